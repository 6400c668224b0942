// One lock of a member inside this program: its word, and who waits for it. For member.cc alone.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/boot_clock.h"
#include "handles/gateway.h"
#include "hapax/error.h"
#include "member/member.h"
#include "service/kept_word.h"

namespace hapax::client {

// A request of this process that the daemon knows of. All of it belongs to the loop.
class Member::Waiting : public boost::intrusive::list_base_hook<> {
 public:
  // May be gone when it returns.
  virtual void answer(std::error_code error, const detail::Holding& holding) = 0;

  WaiterId known_as{};

 protected:
  ~Waiting() = default;
};

// One lock of this process. Everything but the word, and what goes with it, belongs to the loop.
class Member::LocalLock final : public detail::LockHandle,
                                public Asker,
                                public std::enable_shared_from_this<LocalLock> {
 public:
  LocalLock(Member& member, std::string name) : member_(member), name_(std::move(name)) {}

  // --- any thread ---

  bool enter_again(detail::Holding& holding) noexcept;
  void leave(std::uint64_t number) noexcept;
  Member& member() { return member_; }

  // --- the loop ---

  // `waiting` may be answered, and gone, before this returns.
  void ask(Waiting& waiting);
  void give_up(WaiterId waiter, std::error_code why);
  void on_granted(const hapax::Grant& grant) override;
  void on_wanted(WaiterId) override { stop_keeping(); }
  // Its holder is told that it is lost, and its unlock gives it back; until then nobody else is let
  // in, unless the lease runs out.
  void on_recalled(WaiterId) override;
  // The next unlock gives back; at once, if nobody is inside.
  void stop_keeping();
  // Before the report: what is only kept is not entered any more, and what is in use is given back
  // by its unlock, however the view goes on.
  bool is_inside(WaiterId waiter) override;
  std::optional<Turn> take_back(WaiterId waiter) override;
  void on_lost(WaiterId waiter, const std::string& why) override;
  bool can_lose() const override { return member_.can_lose_; }
  session::Person describe() const override;
  // The member has left its group: nobody waits any longer.
  void give_all_up();
  // The member is about to be gone. Nobody waits any more; what is held or kept is released, since
  // others may wait for it.
  void close();

 private:
  void give_back_soon(std::uint64_t number) noexcept;
  void release(const std::optional<KeptWord::GivenBack>& given);
  void end(Waiting& waiting, std::error_code error, const detail::Holding& holding);

  Member& member_;
  const std::string name_;
  KeptWord word_;
  boost::intrusive::list<Waiting> open_;  // In the order of their asking.
};

// In the header: they are all that a lock() and an unlock() of what is kept take.

inline bool Member::LocalLock::enter_again(detail::Holding& holding) noexcept {
  const auto entry = word_.enter_again(
      member_.lease_.term(), [] { return boot_clock_now(); },
      [this](std::uint64_t number) { give_back_soon(number); });
  if (!entry) return false;
  holding.request = entry->number;
  holding.fence = entry->fence;
  holding.term = entry->term;
  return true;
}

inline void Member::LocalLock::leave(std::uint64_t number) noexcept {
  if (word_.leave(number)) give_back_soon(number);
}

}  // namespace hapax::client
