// A member of the group inside this process, on a loop that the threads of this process share.
//
// A lock whose permission stays (carvalho-roucairol) is kept after an unlock: the table still
// believes that it is held, and the next lock() is one compare-and-swap on its word (local_lock.h),
// with the next turn. When somebody else wants it, here or elsewhere, the loop takes the word back
// and releases; or, if it is in use, marks it, and the unlock releases. The same happens when a
// view stops, before what is held is reported.
//
// In a group on an engine an entry by the word alone also checks the lease (lease.h), and whether
// it is still the one under which the lock was granted.
#pragma once

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/daemon.h"
#include "handles/gateway.h"
#include "hapax/error.h"
#include "member/lease.h"
#include "member/shared_loop.h"

namespace hapax::client {

class Member final : public detail::Gateway {
 public:
  // Throws std::system_error.
  explicit Member(NodeConfig config);
  ~Member() override;

  std::shared_ptr<detail::LockHandle> handle(const std::string& name) override;
  bool enter_again(detail::LockHandle* handle, detail::Holding& holding) noexcept override;
  std::error_code acquire(const std::string& name, detail::LockHandle* handle,
                          detail::Deadline deadline, const std::stop_token& cancel,
                          detail::Holding& holding) override;
  void acquire_later(const std::string& name, detail::LockHandle* handle,
                     const std::stop_token& cancel, detail::Completion& completion) override;
  void release(detail::LockHandle* handle, const detail::Holding& holding) noexcept override;
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
  std::error_code status(bool all, GroupStatus& status) override;
  std::error_code stats(MemberStats& stats) override;
  std::error_code administer(session::Ask asked, std::chrono::milliseconds patience,
                             std::string& told) override;
  bool can_lose() const override { return can_lose_; }
  std::stop_token lost() const override { return lease_.token(0); }
  std::stop_token lost(const detail::Holding& holding) const override {
    return lease_.token(holding.term);
  }
  std::chrono::milliseconds valid_for() const override;
  bool is_complete();

 private:
  class LocalLock;
  class Waiting;
  class Awaited;
  class Later;
  struct Canceller;
  struct Grant;
  // What is asked for by who has no handle.
  struct Wish {
    std::string name;
    Want want = Want::exclusive;
    std::string value;                             // To proclaim …
    std::shared_ptr<detail::Candidate> candidate;  // … by a candidate. Null: it is none.
  };

  std::vector<std::shared_ptr<LocalLock>> all_locks();
  // Begins on the loop, with a function that tells the answer, and waits for that.
  template <class Told, class Begin>
  std::error_code ask_daemon(Told& told, Begin begin);
  std::error_code acquire_grant(const Wish& wish, detail::Deadline deadline,
                                const std::stop_token& cancel, detail::Holding& holding,
                                std::string& why);
  // Without `patience`: we end, whatever is held.
  std::error_code leave_until(detail::Deadline deadline,
                              std::optional<std::chrono::milliseconds> patience, std::string& why);

  // All on the loop.
  // Of a wait that has taken too long: whether it is because somebody else has the lock.
  std::error_code not_in_time(const std::string& name) const {
    return daemon_->why_not(name).empty() ? Errc::timed_out : Errc::unavailable;
  }
  void on_left();
  void give_up_all();
  void ask(const std::shared_ptr<Grant>& grant);
  void give_up(std::uint64_t grant, std::error_code why);
  void drop(std::uint64_t grant);
  std::optional<WaiterId> waiter_of(std::uint64_t grant) const;  // Nothing: no longer held.

  const bool can_lose_;  // On an engine, with its lease.
  const Span ttl_;
  Lease lease_;
  SharedLoop loop_;
  std::unique_ptr<Daemon> daemon_;
  std::mutex mutex_;  // Guards locks_.
  std::map<std::string, std::shared_ptr<LocalLock>> locks_;
  std::atomic<std::uint64_t> last_observation_{0};
  std::atomic<std::uint64_t> last_grant_{0};
  // The loop's:
  std::map<std::uint64_t, ObserverId> observers_;
  std::map<std::uint64_t, std::shared_ptr<Grant>> grants_;
  bool is_leaving_ = false;
  bool has_left_ = false;
  std::vector<SharedLoop::Waiter*> leavers_;  // Who waits for that.
};

template <class Told, class Begin>
std::error_code Member::ask_daemon(Told& told, Begin begin) {
  constexpr std::chrono::seconds kPatience{4};  // Longer than a daemon waits for the other members.
  if (const auto error = SharedLoop::would_deadlock()) return error;
  const auto promise = std::make_shared<std::promise<Told>>();
  loop_.visit([&] { begin([promise](Told answer) { promise->set_value(std::move(answer)); }); });
  auto answer = promise->get_future();
  if (answer.wait_for(kPatience) != std::future_status::ready) return Errc::timed_out;
  told = answer.get();
  return {};
}

}  // namespace hapax::client
