#include "group_json/group_json.h"

#include <chrono>
#include <utility>

namespace hapax::cli {
namespace {

boost::json::object json_of_member(const MemberStatus& m) {
  return {
      {"member", m.member},          {"name", m.name},           {"ready", m.obstacle.empty()},
      {"obstacle", m.obstacle},      {"epoch", number(m.epoch)}, {"size", m.view_size},
      {"lease_ms", m.lease.count()}, {"clients", m.clients},     {"held", m.held},
      {"waiting", m.waiting},        {"entries", m.entries},     {"uptime_ms", m.uptime.count()}};
}

}  // namespace

boost::json::value json_member(const std::optional<std::uint32_t>& member) {
  if (!member) return nullptr;
  return *member;
}

boost::json::object json_of(const Person& person) {
  boost::json::object object{{"member", person.member},   {"member_name", person.member_name},
                             {"host", person.host},       {"pid", person.pid},
                             {"command", person.command}, {"since_ms", person.since.count()}};
  // Another program's client of an engine: it has not said who it is.
  if (person.pid == 0) object["pid"] = object["since_ms"] = nullptr;
  if (person.fence) object["fence"] = to_string(*person.fence);
  if (person.shared) object["mode"] = "shared";
  return object;
}

boost::json::object json_of(const LockInfo& lock) {
  boost::json::array waiters;
  for (const Person& waiter : lock.waiters) waiters.push_back(json_of(waiter));
  boost::json::array sharers;
  for (const Person& sharer : lock.sharers) sharers.push_back(json_of(sharer));
  boost::json::value holder = nullptr;
  if (lock.holder) {
    boost::json::object person = json_of(*lock.holder);
    if (!lock.holder->fence) person["kept"] = true;
    holder = std::move(person);
  }
  return {{"lock", lock.name},
          {"algorithm", lock.algorithm},
          {"holder", std::move(holder)},
          {"sharers", std::move(sharers)},
          {"waiters", std::move(waiters)},
          {"more_sharers", lock.more_sharers},
          {"more_waiters", lock.more_waiters}};
}

boost::json::object json_of_locks(const std::vector<LockInfo>& locks,
                                  const std::vector<std::uint32_t>& silent,
                                  std::uint64_t more_locks) {
  boost::json::array rows;
  for (const LockInfo& lock : locks) rows.push_back(json_of(lock));
  boost::json::array missing;
  for (const std::uint32_t member : silent) missing.push_back(member);
  return {{"locks", std::move(rows)}, {"silent", std::move(missing)}, {"more_locks", more_locks}};
}

boost::json::value json_release(const std::string& release) {
  return release.empty() ? boost::json::value() : boost::json::value(release);  // {…}: an array.
}

boost::json::value json_certificate(const std::optional<GroupStatus::Certificate>& c) {
  if (!c) return nullptr;
  return boost::json::object{{"file", c->file},
                             {"until", std::chrono::system_clock::to_time_t(c->until)}};
}

boost::json::object json_view(const ViewStatus& v) {
  boost::json::array lives;
  for (const ViewStatus::Life& life : v.lives) {
    lives.push_back(boost::json::object{{"life", life.life},
                                        {"seat", life.seat},
                                        {"name", life.name},
                                        {"address", life.address},
                                        {"member", life.is_member},
                                        {"up", life.is_up},
                                        {"evicted", life.is_evicted},
                                        {"beat", life.beat},
                                        {"release", json_release(life.release)}});
  }
  boost::json::array bans;
  for (const ViewStatus::Ban& ban : v.bans) {
    bans.push_back(boost::json::object{{"seat", ban.seat}, {"name", ban.name}, {"by", ban.by}});
  }
  return {{"engine", v.engine},           {"engine_reachable", v.engine_reachable},
          {"engine_said", v.engine_said}, {"ttl_ms", v.ttl.count()},
          {"lease_ms", v.lease.count()},  {"jeopardy", v.in_jeopardy},
          {"standing", v.standing},       {"lives", std::move(lives)},
          {"bans", std::move(bans)}};
}

boost::json::object json_of(const GroupStatus& s, bool with_all) {
  boost::json::array members;
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    members.push_back(
        boost::json::object{{"member", i + 1},
                            {"address", s.members[i]},
                            {"up", bool{s.up[i]}},
                            {"trouble", s.trouble[i]},
                            {"release", json_release(i < s.releases.size() ? s.releases[i] : "")}});
  }
  boost::json::object object{{"group", s.group},
                             {"member", s.member},
                             {"name", s.name},
                             {"release", json_release(s.release)},
                             {"certificate", json_certificate(s.certificate)},
                             {"absence", s.absence},
                             {"size", s.size},
                             {"epoch", number(s.epoch)},
                             {"ready", s.obstacle.empty()},
                             {"obstacle", s.obstacle},
                             {"standing", s.standing},
                             {"members", std::move(members)},
                             {"locks", s.locks},
                             {"held", s.held},
                             {"waiting", s.waiting},
                             {"entries", s.entries},
                             {"messages_sent", s.messages_sent},
                             {"messages_received", s.messages_received},
                             {"uptime_ms", s.uptime.count()},
                             {"election", s.election},
                             {"term", s.term},
                             {"leader", json_member(s.leader)},
                             {"view", s.view ? json_view(*s.view) : boost::json::value{}}};
  if (with_all) {
    boost::json::array all, silent;
    for (const MemberStatus& member : s.all) all.push_back(json_of_member(member));
    for (const std::uint32_t member : s.silent) silent.push_back(member);
    object["all"] = std::move(all);
    object["silent"] = std::move(silent);
  }
  return object;
}

boost::json::object json_of(const MemberStats& s) {
  boost::json::object messages;
  for (const auto& t : s.traffic) {
    messages[t.algorithm] = boost::json::object{{"sent", t.sent}, {"received", t.received}};
  }
  boost::json::object counters;
  for (const auto& [name, value] : s.counters) counters[name] = value;
  return {{"member", s.member},
          {"name", s.name},
          {"uptime_ms", s.uptime.count()},
          {"messages", std::move(messages)},
          {"counters", std::move(counters)}};
}

}  // namespace hapax::cli
