#include "client/answers.h"

#include <utility>

namespace hapax::client {
namespace {

using std::chrono::milliseconds;

hapax::Person person_of(session::Person&& p) {
  return {p.member, std::move(p.host), p.pid, std::move(p.command), milliseconds{p.since_ms},
          p.fence,  p.shared};
}

}  // namespace

std::vector<LockInfo> locks_of(std::vector<session::Lock>&& locks) {
  std::vector<LockInfo> list;
  for (session::Lock& lock : locks) {
    LockInfo info{std::move(lock.name), std::move(lock.algorithm), std::nullopt, {}, {}};
    for (session::Person& p : lock.sharers) info.sharers.push_back(person_of(std::move(p)));
    if (lock.holder) info.holder = person_of(std::move(*lock.holder));
    for (session::Person& p : lock.waiters) info.waiters.push_back(person_of(std::move(p)));
    list.push_back(std::move(info));
  }
  return list;
}

GroupStatus status_of(session::State&& s) {
  std::vector<bool> up(s.up.begin(), s.up.end());
  return {std::move(s.group),
          s.member,
          static_cast<std::uint32_t>(s.members.size()),
          s.epoch,
          std::move(s.members),
          std::move(up),
          s.locks,
          s.held,
          s.waiting,
          s.entries,
          s.messages_sent,
          s.messages_received,
          milliseconds{s.uptime_ms},
          std::move(s.election),
          s.term,
          s.leader,
          s.coordinator};
}

MemberStats stats_of(session::Stats&& s) {
  MemberStats stats{s.member, milliseconds{s.uptime_ms}, {}, {}};
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
