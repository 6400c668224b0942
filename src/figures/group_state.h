// What there is to say about a group's members, leases and engine, for people.
#pragma once

#include <optional>
#include <string>

#include "base/seat.h"
#include "figures/facts.h"
#include "membership/engine_group.h"
#include "membership/group.h"
#include "session/protocol.h"

namespace hapax {

// Why it can grant nothing, and who is away.
void describe_obstacles(const Group& group, session::State& state);
void describe(const EngineGroup& group, const std::string& engine, session::State& state);
// Of a fixed list.
void describe(const Group& list, session::State& state);

LeaseFacts lease_facts(const EngineGroup& group);

// Of the view: everybody in it agrees who that is.
std::optional<Seat> oldest_member(const EngineGroup& group);

}  // namespace hapax
