#include "figures/group_state.h"

#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "base/release.h"

namespace hapax {
namespace {

std::uint64_t ms_of(Span span) {
  return static_cast<std::uint64_t>(span / std::chrono::milliseconds{1});
}

}  // namespace

void describe_obstacles(const Group& group, session::State& state) {
  const std::vector<AwayMember> away = group.away();
  if (!away.empty()) state.absence = words_of(away);
  for (const AwayMember& member : away) {
    state.away.push_back({number(member.seat), member.name, std::nullopt});
    if (member.free_in) state.away.back().free_in_ms = ms_of(*member.free_in);
  }
}

void describe(const EngineGroup& group, const std::string& engine, session::State& state) {
  session::ViewState view;
  view.engine = engine;
  const engine::Health health = group.health();
  view.engine_reachable = health.reachable;
  view.engine_said = health.said;
  view.engine_trouble = group.engine_trouble();
  view.ttl_ms = ms_of(group.options().times.ttl);
  view.lease_ms = ms_of(group.lease_left().value_or(Span{0}));
  view.in_jeopardy = group.is_in_jeopardy();
  view.standing = group.standing();
  for (const EngineGroup::Other& other : group.enlisted()) {
    view.lives.push_back({number(other.who.life), other.who.seat, other.who.name, other.who.address,
                          other.is_member, other.is_up, other.is_evicted, other.who.beat,
                          group.peers().release_of(other.who.life)});
  }
  for (const Ban& ban : group.directory().bans) view.bans.push_back({ban.seat, ban.name, ban.by});
  state.view = std::move(view);
}

void describe(const Group& list, session::State& state) {
  const auto& members = list.options().list->members;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const bool is_self = Seat{i} == list.seat();
    state.members.push_back(members[i].text());
    state.up.push_back(is_self || list.is_up(Seat{i}) ? 1 : 0);
    state.trouble.push_back(is_self ? "" : list.peers().trouble_with(Seat{i}));
    state.releases.value.push_back(is_self ? std::string{release()}
                                           : list.peers().release_of(Seat{i}));
  }
  state.standing = list.standing();
}

LeaseFacts lease_facts(const EngineGroup& group) {
  return {.ttl = group.options().times.ttl,
          .left = group.lease_left().value_or(Span{0}),
          .in_jeopardy = group.is_in_jeopardy(),
          .engine_answers = group.health().reachable};
}

std::optional<Seat> oldest_member(const EngineGroup& group) {
  const Roll& roll = group.service().reg().roll;
  for (const EngineGroup::Other& other : group.enlisted()) {
    if (!roll.members.empty() && other.who.life == roll.members.front()) {
      return Seat{other.who.seat};
    }
  }
  return std::nullopt;
}

}  // namespace hapax
