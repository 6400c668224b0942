#include "member/local_lock.h"

#include "base/check.h"
#include "hapax/error.h"

namespace hapax::client {

void Member::LocalLock::ask(Waiting& waiting) {
  open_.push_back(waiting);
  if (member_.has_left_) return end(waiting, Errc::lost, {});
  const auto asked = member_.daemon_->acquire(name_, waiting.known_as, *this);
  if (!asked) end(waiting, Errc::refused, {});
}

void Member::LocalLock::give_up(WaiterId waiter, std::error_code why) {
  for (Waiting& waiting : open_) {
    if (waiting.known_as != waiter) continue;
    HAPAX_CHECK(member_.daemon_->abandon(name_, waiter));
    return end(waiting, why, {});
  }
}

void Member::LocalLock::on_granted(const hapax::Grant& grant) {
  // What a view granted that has stopped meanwhile is not kept.
  const bool keep =
      grant.may_keep && grant.fence.epoch == member_.daemon_->epoch() && !member_.is_leaving_;
  const KeptWord::Entry entry = word_.grant(grant, keep, member_.lease_.grant());
  // First come, first served: as a rule it is the first.
  auto at = open_.begin();
  while (at->known_as != grant.waiter) ++at;
  end(*at, {}, {entry.number, entry.fence, {}, entry.term});
}

void Member::LocalLock::on_recalled(WaiterId) {
  member_.lease_.end();
  stop_keeping();
}

void Member::LocalLock::stop_keeping() { release(word_.stop_keeping()); }

bool Member::LocalLock::is_inside(WaiterId waiter) {
  if (word_.holder() != waiter) return true;  // It has not been told yet.
  return word_.is_inside();
}

std::optional<Turn> Member::LocalLock::take_back(WaiterId waiter) {
  if (word_.holder() != waiter) return std::nullopt;
  return word_.take_back();
}

void Member::LocalLock::on_lost(WaiterId waiter, const std::string&) {
  (void)take_back(waiter);  // It was told of its grant after that had been lost.
  member_.lease_.end();
}

// Whoever asks looks at it for the holder; of the waiters nobody has a fence.
session::Person Member::LocalLock::describe() const {
  session::Person person = Asker::describe();
  person.fence = word_.fence();
  return person;
}

void Member::LocalLock::give_back_soon(std::uint64_t number) noexcept {
  member_.loop_.visit(
      [self = shared_from_this(), number] { self->release(self->word_.give_back(number)); });
}

void Member::LocalLock::release(const std::optional<KeptWord::GivenBack>& given) {
  if (given) member_.daemon_->release(name_, given->holder, given->last);
}

void Member::LocalLock::give_all_up() {
  while (!open_.empty()) end(open_.front(), Errc::lost, {});
}

void Member::LocalLock::close() {
  HAPAX_CHECK(open_.empty());
  const auto holder = word_.holder();
  const Turn last = word_.take_back();
  if (holder) release(KeptWord::GivenBack{*holder, last});
}

void Member::LocalLock::end(Waiting& waiting, std::error_code error,
                            const detail::Holding& holding) {
  open_.erase(open_.iterator_to(waiting));
  waiting.answer(error, holding);
}

}  // namespace hapax::client
