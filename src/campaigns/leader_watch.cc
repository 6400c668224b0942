#include "campaigns/leader_watch.h"

#include <utility>

#include "base/check.h"
#include "core/lock_name.h"

namespace hapax {

LeaderWatch::LeaderWatch(Seat self, Others others, Send send)
    : self_(self), others_(std::move(others)), send_(std::move(send)) {}

// --- what is ours ---

void LeaderWatch::claim(const std::string& name, session::Leader leader) {
  push(name, leader);
  hear(name, self_, leader);
  ours_[name] = std::move(leader);
}

void LeaderWatch::unclaim(const std::string& name) {
  if (ours_.erase(name) == 0) return;
  push(name, std::nullopt);
  hear(name, self_, std::nullopt);
}

void LeaderWatch::push(const std::string& name, const std::optional<session::Leader>& leader) {
  const auto watchers = watchers_.find(name);
  if (watchers == watchers_.end()) return;
  for (const Seat peer : watchers->second) send_(peer, TellLeader{name, leader});
}

bool LeaderWatch::on(Seat from, const WatchLeader& watch) {
  if (!check_lock_name(watch.name)) return false;
  if (!watch.on) {
    const auto watchers = watchers_.find(watch.name);
    if (watchers == watchers_.end()) return true;
    watchers->second.erase(from);
    if (watchers->second.empty()) watchers_.erase(watchers);
    return true;
  }
  if (watchers_.size() >= kMostWatched && !watchers_.contains(watch.name)) return false;
  watchers_[watch.name].insert(from);
  const auto leader = ours_.find(watch.name);
  send_(from, TellLeader{watch.name, leader == ours_.end()
                                         ? std::nullopt
                                         : std::optional<session::Leader>{leader->second}});
  return true;
}

// --- what is observed here ---

ObserverId LeaderWatch::observe(const std::string& name, Tell tell) {
  const ObserverId observer{++last_observer_};
  names_[observer] = name;
  const bool is_new = !watched_.contains(name);
  Watched& watched = watched_[name];
  if (watched.is_shown) tell(watched.shown);
  watched.observers[observer] = std::move(tell);
  if (!is_new) return observer;
  if (const auto leader = ours_.find(name); leader != ours_.end()) {
    watched.claims[self_] = leader->second;
  }
  for (const Seat peer : others_()) {
    watched.silent.insert(peer);
    send_(peer, WatchLeader{name, true});
  }
  show(watched);
  return observer;
}

void LeaderWatch::unobserve(ObserverId observer) {
  const auto name = names_.find(observer);
  HAPAX_CHECK(name != names_.end());
  const auto watched = watched_.find(name->second);
  watched->second.observers.erase(observer);
  if (watched->second.observers.empty()) {
    for (const Seat peer : others_()) send_(peer, WatchLeader{name->second, false});
    watched_.erase(watched);
  }
  names_.erase(name);
}

void LeaderWatch::hurry(const std::string& name) {
  const auto watched = watched_.find(name);
  if (watched == watched_.end()) return;
  watched->second.in_a_hurry = true;
  show(watched->second);
}

bool LeaderWatch::on(Seat from, const TellLeader& told) {
  if (!told.leader) {
    hear(told.name, from, std::nullopt);
    return true;
  }
  session::Leader leader = *told.leader;
  const bool is_sound = leader.who.fence.has_value() &&
                        (leader.value.empty() || check_lock_name(leader.value)) &&
                        leader.who.host.size() <= session::kLongestText &&
                        leader.who.command.size() <= session::kLongestText;
  if (!is_sound) return false;
  leader.who.member = number(from);
  hear(told.name, from, leader);
  return true;
}

void LeaderWatch::hear(const std::string& name, Seat of,
                       const std::optional<session::Leader>& leader) {
  const auto at = watched_.find(name);
  if (at == watched_.end()) return;
  Watched& watched = at->second;
  watched.silent.erase(of);
  if (leader) {
    watched.claims[of] = *leader;
  } else {
    watched.claims.erase(of);
  }
  show(watched);
}

void LeaderWatch::show(Watched& watched) {
  const session::Leader* latest = nullptr;
  for (const auto& [member, claim] : watched.claims) {
    // A term older than the one shown has ended; its member has yet to say so.
    if (*claim.who.fence < watched.highest) continue;
    if (latest == nullptr || *latest->who.fence < *claim.who.fence) latest = &claim;
  }
  if (latest == nullptr && !watched.silent.empty() && !watched.in_a_hurry) return;
  const bool is_same = watched.is_shown && watched.shown.has_value() == (latest != nullptr) &&
                       (latest == nullptr || watched.shown->who.fence == latest->who.fence);
  if (is_same) return;
  watched.is_shown = true;
  watched.shown.reset();
  if (latest != nullptr) {
    watched.shown = *latest;
    watched.highest = *latest->who.fence;
  }
  for (const auto& [observer, tell] : watched.observers) tell(watched.shown);
}

// Both sides say again what they want to know, so what they wanted before does not count.
void LeaderWatch::met(Seat peer) {
  for (auto at = watchers_.begin(); at != watchers_.end();) {
    at->second.erase(peer);
    at = at->second.empty() ? watchers_.erase(at) : std::next(at);
  }
  for (const auto& [name, watched] : watched_) send_(peer, WatchLeader{name, true});
}

void LeaderWatch::forgotten(Seat peer) {
  met(peer);
  for (auto& [name, watched] : watched_) {
    watched.claims.erase(peer);
    watched.silent.erase(peer);
    show(watched);
  }
}

}  // namespace hapax
