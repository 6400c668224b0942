// What all members have in common, as this one takes it, sets it, and keeps a copy of it.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/boot_clock.h"
#include "base/printable.h"
#include "membership/commit_probe.h"
#include "membership/engine_group.h"

namespace hapax {

// What was set while members ran holds for everybody, whatever it was given.
void EngineGroup::take_settings() {
  const auto& set = registrar_.set_before();
  options_.policy = set ? set->now.policy : settings_.given().policy;
  options_.started = set ? set->started : "";
  follow_ttl(set ? *set : SetSettings{settings_.given(), "", settings_.given().ttl, {}, "", 0});
  if (!set || set->now == settings_.given()) return;
  host_.log_once(fmt::format(
      "the group runs with {}, as {} has set it; this member was given {}, which does not count: "
      "write the group's into its file or flags",
      set->now.text(), printable(set->by), settings_.given().text()));
}

// From the next beat on; each beat says how long it is to be waited for.
void EngineGroup::follow_ttl(const SetSettings& set) {
  service_.set_ttl(boot_clock_now(), set.now.ttl, set.started_ttl, set.longest);
  const Span before = std::exchange(options_.times.ttl, set.now.ttl);
  if (before == set.now.ttl) return;
  host_.on_settings();
  constexpr std::chrono::milliseconds kMs{1};
  log(fmt::format("the TTL is {} ms from now on, instead of {} ms{}", set.now.ttl / kMs,
                  before / kMs, set.by.empty() ? "" : ", as set by " + printable(set.by)));
}

// Of all leases that somebody may have in this group, as far as we know.
Span EngineGroup::longest_ttl() const {
  const auto& set = settings_.last_set();
  return std::max(service_.lease().longest().ttl, set ? set->longest : Span{0});
}

// Of the view that has begun.
void EngineGroup::follow_settings() {
  const std::string& algorithms = service_.keeper().roll().algorithms;
  const Policy policy = algorithms.empty() ? options_.policy : *Policy::from_lines(algorithms);
  if (policy == options_.policy) return;
  options_.policy = policy;
  host_.on_settings();
  const auto& set = settings_.last_set();
  log(fmt::format("locks are served by {} from view {} on{}", policy.text(), epoch(),
                  set ? ", as set by " + printable(set->by) : ""));
  for (const std::string& warning : policy.warnings()) log(warning, LogLevel::warning);
}

void EngineGroup::set_settings(SettingsChanger::Asked asked, SettingsChanger::Done done) {
  for (const Enlisted& e : registrar_.directory().lives) {
    if (links_.release_of(e.life) != "older") continue;
    return done(error(
        "{} is of a release that knows no settings set while it runs: upgrade all members first",
        printable(e.name)));
  }
  const auto keeps_up = check_beats({asked.change.ttl.value_or(options_.times.ttl)},
                                    asked.change.ttl ? counts_.typical_commit() : Span{0});
  if (!keeps_up) return done(keeps_up.error());
  settings_.set(std::move(asked), std::move(done));
  tend();
}

// Onto an engine that knows nothing of the group, and once.
void EngineGroup::restore() {
  const Backup& backup = *options_.state.restored;
  seen_ = std::max(seen_, backup.epoch);
  const auto done = [this](Outcome outcome) {
    if (is_stopped_) return;
    if (outcome == Outcome::committed) {
      log(fmt::format("settings and bans of group {} are restored", options_.group));
      return enlist();
    }
    if (outcome == Outcome::conflict) {
      refusal_ = fmt::format(
          "{} has records of group {}, and nothing is restored: start this member without "
          "--restore",
          options_.engine, options_.group);
      return;
    }
    seat_timer_.expires_after(options_.times.ttl / 2);
    seat_timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled && !is_stopped_) restore();
    });
  };
  Change change = restoring(backup);
  if (change.writes.empty()) return enlist();  // But for the epoch.
  registrar_.change(std::move(change), done);
}

void EngineGroup::back_up(std::function<void(Result<Backup>)> done) {
  registrar_.copy([this, done = std::move(done)](Result<engine::Snapshot> snapshot) {
    if (!snapshot) return done(error("the engine did not answer: {}", snapshot.error().message));
    if (const auto good = directory_of(*snapshot); !good) return done(good.error());
    done(Backup{options_.group, seen_, std::move(snapshot->records)});
  });
}

}  // namespace hapax
