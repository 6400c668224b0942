#include "membership/settings_changer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hapax {
namespace {

std::uint64_t seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(now).count());
}

}  // namespace

Settings SettingsChanger::in_force() const {
  const auto& set = registrar_.directory().set;
  return set ? set->now : given_;
}

void SettingsChanger::set(Asked asked, Done done) {
  if (const auto next = asked.change.applied_to(in_force()); !next) return done(next.error());
  pending_.push_back(std::make_shared<Pending>(Pending{std::move(asked), std::move(done)}));
}

void SettingsChanger::look(Instant now) {
  std::vector<std::shared_ptr<Pending>> over;
  for (const auto& pending : pending_) {
    if (is_over(*pending, now)) {
      over.push_back(pending);
    } else if (!pending->epoch && !pending->is_committing && may_propose()) {
      propose(pending);
    }
  }
  std::erase_if(pending_, [&](const auto& p) {
    return std::find(over.begin(), over.end(), p) != over.end();
  });
  for (const auto& pending : over) conclude(*pending);
}

// Whoever is in the recorded view, and has been all the time, may number the next one.
bool SettingsChanger::may_propose() const {
  const Keeper& keeper = service_.keeper();
  const Directory& now = registrar_.directory();
  return keeper.may_grant() && keeper.roll() == now.reg.roll && all_know_(now.lives);
}

void SettingsChanger::propose(const std::shared_ptr<Pending>& pending) {
  const Directory& now = registrar_.directory();
  const Settings before = in_force();
  const auto next = pending->asked.change.applied_to(before);
  if (!next) {  // Somebody else has set others meanwhile.
    pending->asked.until = Instant::min();
    return;
  }
  SetSettings settings =
      now.set.value_or(SetSettings{before, given_.text(), given_.ttl, given_.ttl, "", 0});
  settings.now = *next;
  settings.longest = std::max(settings.longest, next->ttl);
  settings.by = pending->asked.by;
  settings.at = seconds_since_1970();
  Roll roll = now.reg.roll.next(Epoch{number(now.reg.roll.epoch) + 1});
  roll.members = now.reg.roll.members;
  roll.algorithms = next->policy.lines();
  pending->is_committing = true;
  registrar_.change(setting(now, roll, settings),
                    [weak = std::weak_ptr{pending}, epoch = roll.epoch](Outcome outcome) {
                      const auto there = weak.lock();
                      if (!there) return;
                      there->is_committing = false;
                      if (outcome == Outcome::committed) there->epoch = epoch;
                    });
}

bool SettingsChanger::is_over(const Pending& pending, Instant now) const {
  if (pending.is_committing) return false;
  const Keeper& keeper = service_.keeper();
  const bool has_begun = pending.epoch && keeper.standing() == Standing::running &&
                         keeper.roll().epoch >= *pending.epoch;
  return has_begun || now >= pending.asked.until;
}

void SettingsChanger::conclude(const Pending& pending) const {
  const Keeper& keeper = service_.keeper();
  if (!pending.epoch) {
    const auto still = pending.asked.change.applied_to(in_force());
    if (!still) return pending.done(still.error());
    const bool all_know = all_know_(registrar_.directory().lives);
    return pending.done(Begun{keeper.roll().epoch,
                              {},
                              all_know ? "no view could be made in time"
                                       : "a member may be of a release that knows no settings set "
                                         "while it runs (`hapax members`)"});
  }
  Begun begun{std::max(*pending.epoch, keeper.roll().epoch), {}};
  if (keeper.standing() != Standing::running || keeper.roll().epoch < *pending.epoch) {
    for (const Life life : keeper.roll().members) {
      if (!keeper.has_reported(life)) begun.missing.push_back(life);
    }
  }
  pending.done(begun);
}

}  // namespace hapax
