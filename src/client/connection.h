// A connection to a daemon. Callers write to the socket themselves; one thread reads, hands answers
// to those who wait, and sees to it that a daemon that falls silent counts as gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "client/gateway.h"
#include "client/socket.h"
#include "net/address.h"
#include "session/protocol.h"
#include "wire/codec.h"

namespace hapax::client {

class Connection final : public detail::Gateway {
 public:
  static constexpr std::chrono::milliseconds kPingEvery = Client::kPingEvery;
  static constexpr std::chrono::milliseconds kSilence = Client::kSilence;
  static_assert(kSilence == session::kSilence);

  // `tls` may be null. `generation` tells its requests from those of other connections. Throws
  // std::system_error if nobody answers, or not as a daemon does.
  Connection(const net::Address& address, const std::shared_ptr<boost::asio::ssl::context>& tls,
             std::uint64_t generation);
  ~Connection() override;

  std::shared_ptr<detail::Spot> spot(const std::string&) override { return nullptr; }
  bool enter_again(detail::Spot*, detail::Holding&) noexcept override { return false; }
  std::error_code acquire(const std::string& name, detail::Spot* spot, detail::Deadline deadline,
                          const std::stop_token& cancel, detail::Holding& holding) override;
  void acquire_later(const std::string& name, detail::Spot* spot, const std::stop_token& cancel,
                     detail::Completion& completion) override;
  void release(detail::Spot* spot, const detail::Holding& holding) noexcept override;
  std::error_code acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                             const std::stop_token& cancel, detail::Holding& holding,
                             std::string& why) override;
  void give_back(const detail::Holding& holding) noexcept override { release(nullptr, holding); }
  std::error_code campaign(const std::string& name, const std::string& value,
                           detail::Deadline deadline, const std::stop_token& cancel,
                           const std::shared_ptr<detail::Candidate>& candidate,
                           detail::Holding& holding) override;
  void resign(const detail::Holding& holding) noexcept override;
  std::error_code hand_over(const detail::Holding& holding, const std::string& to) override;
  std::error_code ask_to_resign(const std::string& name, const std::string& to) override;
  std::uint64_t observe(const std::string& name,
                        const std::shared_ptr<detail::Changes>& changes) override;
  void unobserve(std::uint64_t observation) noexcept override;
  std::error_code who(std::string_view name, std::vector<LockInfo>& locks,
                      detail::LeftOut& left_out) override;
  std::error_code status(GroupStatus& status) override;
  std::error_code stats(MemberStats& stats) override;
  std::error_code leave(std::chrono::milliseconds patience, std::string& why) override;
  std::error_code evict(const std::string& whom, std::string& why) override;
  int descriptor() const override { return socket_.descriptor(); }
  void has_job(pid_t group) noexcept override {
    say(session::Job{static_cast<std::uint32_t>(group)});
  }
  using detail::Gateway::lost;
  std::stop_token lost() const override;
  std::chrono::milliseconds valid_for() const override;

  bool is_gone() const;

 private:
  struct Later;
  // A request that has no answer yet.
  struct Pending {
    std::condition_variable_any answered;
    std::optional<session::Answer> answer;
    std::stop_token lost{};  // As the answer came: a loss that comes after it is of this grant.
    std::uint64_t request = 0;
    Later* later = nullptr;  // Nobody waits: the reader tells it.
  };

  std::uint64_t add(Pending& pending);
  // Waits for the answer; nothing if there was none until the deadline, or it was cancelled.
  std::optional<session::Answer> await(std::uint64_t request, Pending& pending,
                                       detail::Deadline deadline, const std::stop_token& cancel);
  std::error_code ask_and_await(std::uint64_t request, Pending& pending, const session::Ask& ask,
                                session::Answer& answer);
  bool say(const session::Ask& ask) noexcept;
  void read_on();
  std::chrono::milliseconds until_next_look() const;
  bool take_frames();
  void hand_over(session::Answer answer);
  void hand_over_grants();
  void pass_on(session::Answer answer);
  bool is_good_now() const;
  // On the thread that reads: who waits there for an answer waits for ever.
  bool is_reading() const { return std::this_thread::get_id() == reader_.get_id(); }
  std::error_code await_grant(std::uint64_t request, Pending& pending, detail::Deadline deadline,
                              const std::stop_token& cancel, detail::Holding& holding,
                              std::string& why);
  static void tell(std::unique_ptr<Later> later, const std::optional<session::Answer>& answer);
  // What comes without being asked for, each time; false if it is no such thing.
  bool tell_of_election(const session::Answer& answer);
  void close_observations();
  void give_up() noexcept;
  // Whoever holds something is told; what is granted from here on is another matter.
  void lose_grants();
  std::error_code ask_for_an_end(std::uint64_t request, Pending& pending, const session::Ask& ask,
                                 std::chrono::milliseconds patience, std::string& why);

  Socket socket_;
  std::mutex writing_;

  mutable std::mutex mutex_;  // Guards what follows.
  std::map<std::uint64_t, Pending*> pending_;
  std::uint64_t next_request_;
  bool gone_ = false;
  std::map<std::uint64_t, std::shared_ptr<detail::Candidate>> candidates_;  // By request.
  std::map<std::uint64_t, std::shared_ptr<detail::Changes>> observations_;  // By request.

  // When the daemon is known to have lived, on the clock of leases: when the last ping that it
  // answered was sent, not when the answer came, which may have been long on its way.
  std::atomic<std::int64_t> known_alive_ms_;
  // Until when, on the same clock, what the daemon granted is good without further word.
  std::atomic<std::int64_t> valid_until_ms_;
  std::stop_source lost_;  // Of the grants of now; guarded by mutex_.
  // Only the reader's:
  std::chrono::milliseconds ping_every_{kPingEvery};
  bool is_welcome_ = false;
  bool has_leases_ = false;
  bool ask_at_once_ = false;                 // How long they are good.
  std::vector<session::Answer> unpromised_;  // Grants, until it is known how long they are good.
  bool has_expired_ = false;                 // What was held has been told so.
  Bytes incoming_;
  std::uint64_t pings_ = 0;
  bool ping_is_open_ = false;  // The last one has no answer yet.
  std::int64_t ping_sent_ms_ = 0;
  std::jthread reader_;  // The last: it uses all the others.
};

}  // namespace hapax::client
