// A connection to a daemon. Callers write to the socket themselves, and one who waits for an answer
// reads it, too. A thread that resides here reads while nobody waits, does all that calls the
// program, and declares a daemon gone that falls silent.
#pragma once

#include <atomic>
#include <chrono>
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

#include "client/election_news.h"
#include "client/reading_turns.h"
#include "client/socket.h"
#include "client/words.h"
#include "handles/gateway.h"
#include "handles/held_grants.h"
#include "net/address.h"
#include "session/file_copies.h"
#include "session/heartbeat.h"
#include "session/protocol.h"
#include "wire/codec.h"

namespace hapax::client {

// Its functions are those of detail::Gateway, which says what they do (Endpoints is the gateway).
class Connection {
 public:
  // `generation` tells its requests from those of other connections. Throws std::system_error if
  // nobody answers, or not as a daemon does.
  Connection(const net::Address& address, const Trust& trust, std::uint64_t generation);
  ~Connection();

  std::error_code acquire(const std::string& name, Want want, detail::Deadline deadline,
                          const std::stop_token& cancel, detail::Holding& holding, std::string& why,
                          std::uint32_t word = 0);
  void acquire_later(const std::string& name, std::stop_token cancel,
                     detail::Completion& completion);
  void release(const detail::Holding& holding) noexcept;
  // The daemon took it back.
  void forget(const detail::Holding& holding) noexcept { held_.forget(holding.request); }
  std::error_code campaign(const std::string& name, const std::string& value,
                           detail::Deadline deadline, const std::stop_token& cancel,
                           const std::shared_ptr<detail::Candidate>& candidate,
                           detail::Holding& holding);
  void resign(const detail::Holding& holding) noexcept;
  std::error_code hand_over(const detail::Holding& holding, const std::string& to);
  std::error_code ask_to_resign(const std::string& name, const std::string& to);
  std::uint64_t observe(const std::string& name, const std::shared_ptr<detail::Changes>& changes);
  void unobserve(std::uint64_t observation) noexcept;
  std::error_code who(std::string_view name, std::vector<LockInfo>& locks, detail::LeftOut& more);
  std::error_code status(bool all, GroupStatus& status);
  std::error_code stats(MemberStats& stats);
  std::error_code ask_for_an_end(session::Ask question, std::chrono::milliseconds patience,
                                 std::string& why);
  std::error_code ask(session::Ask question, std::chrono::milliseconds patience,
                      session::Answer& answer);
  int descriptor() const { return socket_.descriptor(); }
  void has_job(pid_t group) noexcept { say(session::Job{static_cast<std::uint32_t>(group)}); }
  void excuse_silence(bool is_excused) noexcept { heartbeat_.excuse(is_excused); }
  std::stop_token lost() const { return held_.lost(); }
  std::chrono::milliseconds valid_for() const;
  std::chrono::milliseconds ttl() const { return heartbeat_.ttl(); }
  bool is_gone() const { return gone_; }
  std::string why_lost() const;
  Words& words() { return words_; }
  session::FileCopies& copies() { return copies_; }

 private:
  using MaybeAnswer = std::optional<session::Answer>;
  struct Later;
  struct Pending;  // A request that has no answer yet.

  // 0 if the daemon is gone.
  std::uint64_t add(Pending& pending);
  // Waits for the answer; nothing if there was none by the deadline, or it was cancelled.
  MaybeAnswer say_and_wait(const session::Ask& ask, Pending& pending, detail::Deadline deadline,
                           const std::stop_token& cancel);
  std::error_code ask_for_grant(const session::Ask& ask, Pending& pending,
                                detail::Deadline deadline, const std::stop_token& cancel,
                                detail::Holding& holding, std::string& why);
  // The same for an answer of that kind.
  template <class Told>
  std::error_code ask_for(session::Ask question, Told& told);
  bool say(const session::Ask& ask) noexcept;
  void give_up() noexcept;
  // Waiting for an answer there would be for ever.
  bool is_resident() const { return std::this_thread::get_id() == resident_.get_id(); }

  // By one who waits and has its turn, until its answer, or something that is not for it, is there.
  void read_for(Pending& pending, detail::Deadline deadline) noexcept;
  bool is_for_one_who_waits(const session::Answer& answer) const;
  // False: what comes next is malformed, or for the resident only.
  bool take_frames(bool as_resident);

  // All on the thread that resides here.
  void read_on();
  bool read_once(std::chrono::milliseconds patience);
  void end_all();
  void take(session::Answer answer);
  void take_pong(const session::Pong& pong);
  void pass_on(session::Answer answer);
  static void tell(std::unique_ptr<Later> later, const std::optional<session::Answer>& answer);
  void lose(session::Lost& lost);

  const std::uint32_t version_;
  Words words_;
  session::FileCopies copies_;
  Socket socket_;
  std::mutex writing_;
  ElectionNews elections_;
  HeldGrants held_;
  session::Heartbeat heartbeat_;
  std::string release_;  // Of the daemon, if it says so. From the welcome on.

  mutable std::mutex mutex_;  // Guards what follows.
  std::map<std::uint64_t, Pending*> pending_;
  std::uint64_t next_request_;
  std::atomic<bool> gone_{false};  // Read by anybody.
  std::string why_lost_;

  // Only the resident's, the first two:
  std::optional<session::Answer> welcome_;   // Until we first hear how long grants are good.
  std::vector<session::Answer> unpromised_;  // Grants, until it is known how long they are good.
  std::optional<ReadingTurns> turns_;        // Nothing under TLS: only the resident reads.
  Bytes incoming_;                           // Whose turn it is to read.
  std::jthread resident_;                    // The last: it uses all the others.
};

}  // namespace hapax::client
