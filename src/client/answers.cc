#include "client/answers.h"

#include <algorithm>
#include <utility>

namespace hapax::client {
namespace {

using std::chrono::milliseconds;

hapax::Person person_of(session::Person&& p) {
  return {p.member + 1,         std::move(p.member_name), std::move(p.host), p.pid,
          std::move(p.command), milliseconds{p.since_ms}, p.fence,           p.shared};
}

}  // namespace

std::vector<std::uint32_t> counted_from_one(std::vector<std::uint32_t> members) {
  for (std::uint32_t& member : members) ++member;
  return members;
}

std::vector<LockInfo> locks_of(std::vector<session::Lock>&& locks) {
  std::vector<LockInfo> list;
  for (session::Lock& lock : locks) {
    LockInfo info{std::move(lock.name), std::move(lock.algorithm), std::nullopt, {}, {}};
    for (session::Person& p : lock.sharers) info.sharers.push_back(person_of(std::move(p)));
    if (lock.holder) info.holder = person_of(std::move(*lock.holder));
    for (session::Person& p : lock.waiters) info.waiters.push_back(person_of(std::move(p)));
    info.more_sharers = lock.more_sharers;
    info.more_waiters = lock.more_waiters;
    list.push_back(std::move(info));
  }
  return list;
}

namespace {

ViewStatus view_of(session::ViewState&& v) {
  ViewStatus view{std::move(v.engine),
                  v.engine_reachable,
                  std::move(v.engine_said),
                  std::move(v.engine_trouble),
                  milliseconds{v.ttl_ms},
                  milliseconds{v.lease_ms},
                  v.in_jeopardy,
                  std::move(v.standing),
                  {},
                  {}};
  for (session::LifeState& life : v.lives) {
    view.lives.push_back({life.life, life.seat + 1, std::move(life.name), std::move(life.address),
                          life.is_member, life.is_up, life.is_evicted, life.beat,
                          std::move(life.release.value)});
  }
  for (session::BanState& ban : v.bans) {
    view.bans.push_back({ban.seat + 1, std::move(ban.name), std::move(ban.by)});
  }
  return view;
}

MemberStatus member_of(session::MemberReport&& r) {
  return {r.member + 1,
          std::move(r.name),
          std::move(r.obstacle),
          r.epoch,
          r.size,
          milliseconds{r.lease_ms},
          r.clients,
          r.held,
          r.waiting,
          r.entries,
          milliseconds{r.uptime_ms}};
}

}  // namespace

GroupStatus status_of(session::State&& s) {
  std::vector<bool> up(s.up.begin(), s.up.end());
  std::optional<ViewStatus> view;
  auto size = static_cast<std::uint32_t>(s.members.size());
  if (s.view) {
    view = view_of(std::move(*s.view));
    size = static_cast<std::uint32_t>(
        std::count_if(view->lives.begin(), view->lives.end(),
                      [](const ViewStatus::Life& life) { return life.is_member; }));
  }
  std::vector<GroupStatus::Away> away;
  for (session::AwayMember& member : s.away) {
    away.push_back({member.member + 1, std::move(member.name), std::nullopt});
    if (member.free_in_ms) away.back().free_in = milliseconds{*member.free_in_ms};
  }
  GroupStatus status{std::move(s.group),
                     s.member + 1,
                     size,
                     s.epoch,
                     std::move(s.members),
                     std::move(up),
                     std::move(s.trouble),
                     std::move(s.standing),
                     std::move(s.name),
                     std::move(s.obstacle),
                     std::move(away),
                     std::move(s.absence),
                     s.locks,
                     s.held,
                     s.waiting,
                     s.entries,
                     s.messages_sent,
                     s.messages_received,
                     milliseconds{s.uptime_ms},
                     std::move(s.election),
                     s.term,
                     s.leader ? std::optional{*s.leader + 1} : std::nullopt,
                     std::move(view),
                     {},
                     {}};
  status.releases = std::move(s.releases.value);
  if (auto& c = s.certificate.value) {
    const std::chrono::seconds until{c->until_s};
    status.certificate = {std::move(c->file), std::chrono::system_clock::time_point{until}};
  }
  if (s.all) {
    for (session::MemberReport& r : s.all->reports) status.all.push_back(member_of(std::move(r)));
    status.silent = counted_from_one(std::move(s.all->silent));
  }
  return status;
}

MemberStats stats_of(session::Stats&& s) {
  MemberStats stats{s.member + 1, std::move(s.name), milliseconds{s.uptime_ms}, {}, {}};
  for (session::Traffic& t : s.traffic) {
    stats.traffic.push_back({std::move(t.algorithm), t.sent, t.received});
  }
  for (session::Counter& c : s.counters) stats.counters.emplace_back(std::move(c.name), c.value);
  return stats;
}

Election::Change change_of(const std::optional<session::Leader>& leader) {
  if (!leader) return {};
  session::Leader copy = *leader;
  const Fence fence = copy.who.fence.value_or(Fence{});
  return {Leader{std::move(copy.value), fence, person_of(std::move(copy.who))}};
}

}  // namespace hapax::client
