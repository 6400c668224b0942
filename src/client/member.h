// A member of the group inside this process, on a loop that the threads of this process share.
//
// A lock whose permission stays (carvalho-roucairol) is kept after an unlock: the table goes on
// believing that it is held, and the next lock() is one compare-and-swap on the spot's word, with
// the next turn. When somebody else wants it, here or elsewhere, the loop takes the word
// back and releases; or, if it is in use, marks it, and the unlock releases.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "client/gateway.h"
#include "client/shared_loop.h"
#include "hapax/error.h"
#include "node/daemon.h"

namespace hapax::client {

class Member final : public detail::Gateway {
 public:
  // Throws std::system_error.
  explicit Member(NodeConfig config);
  ~Member() override;

  std::shared_ptr<detail::Spot> spot(const std::string& name) override;
  bool enter_again(detail::Spot* spot, detail::Holding& holding) noexcept override;
  std::error_code acquire(const std::string& name, detail::Spot* spot, detail::Deadline deadline,
                          const std::stop_token& cancel, detail::Holding& holding) override;
  void acquire_later(const std::string& name, detail::Spot* spot, const std::stop_token& cancel,
                     detail::Completion& completion) override;
  void release(detail::Spot* spot, const detail::Holding& holding) noexcept override;
  std::error_code acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                             const std::stop_token& cancel, detail::Holding& holding,
                             std::string& why) override;
  void give_back(const detail::Holding& holding) noexcept override;
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
  std::error_code leave(std::chrono::milliseconds, std::string&) override { return Errc::refused; }
  std::error_code evict(const std::string&, std::string&) override { return Errc::refused; }
  std::stop_token lost() const override { return lost_.get_token(); }
  std::chrono::milliseconds valid_for() const override;
  bool is_complete();

 private:
  class Kept;
  class Waiting;
  class Awaited;
  class Later;
  struct Canceller;
  struct Campaign;
  struct Grant;

  // All on the loop.
  void give_up(Campaign& campaign, std::error_code why);
  void end_campaign(std::uint64_t waiter);
  void ask(std::uint64_t id, const std::shared_ptr<Grant>& grant);
  void give_up(std::uint64_t grant, std::error_code why);
  void drop(std::uint64_t grant);

  SharedLoop loop_;
  std::unique_ptr<Daemon> daemon_;
  std::uint32_t size_ = 0;
  Epoch epoch_{};
  std::mutex mutex_;  // Guards spots_.
  std::map<std::string, std::shared_ptr<Kept>> spots_;
  std::atomic<std::uint64_t> last_observation_{0};
  std::atomic<std::uint64_t> last_grant_{0};
  // The loop's:
  std::map<std::uint64_t, std::shared_ptr<Campaign>> campaigns_;  // By waiter.
  std::map<std::uint64_t, ObserverId> observers_;
  std::map<std::uint64_t, std::shared_ptr<Grant>> grants_;
  std::stop_source lost_;
};

}  // namespace hapax::client
