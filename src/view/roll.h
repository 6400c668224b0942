// What the engine keeps for a group: the roll of the view, and each member's beat.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/record.h"

namespace hapax {

// One run of one member, from announcing itself to its end. Never used again: a process that
// restarts, or that was shut out, comes back as another life.
enum class Life : std::uint64_t {};

constexpr std::uint64_t number(Life life) { return static_cast<std::uint64_t>(life); }

// The agreed list of a view. It is never deleted, so that epochs grow across a restart of
// everybody.
struct Roll {
  Epoch epoch{};              // 0: there has been no view yet.
  std::vector<Life> members;  // In the view a member is known by its place here.
  // The views before it, as far as they are remembered; in order. One that does not come after the
  // view that we are in is of an engine that has forgotten ours.
  std::vector<Epoch> after{};
  // By which algorithms its locks are served, as Policy::lines() writes them. Empty: nobody has set
  // any since the members were started, and theirs, which are the same, hold. Every later roll
  // carries them on.
  std::string algorithms{};
  HAPAX_RECORD(Roll, epoch, members, after, algorithms)
  static constexpr std::size_t kMostMembers = 64;

  std::optional<NodeId> place_of(Life life) const {
    const auto at = std::find(members.begin(), members.end(), life);
    if (at == members.end()) return std::nullopt;
    return NodeId{static_cast<std::uint32_t>(at - members.begin())};
  }
  bool has(Life life) const { return place_of(life).has_value(); }
  bool comes_after(Epoch earlier) const {
    return std::find(after.begin(), after.end(), earlier) != after.end();
  }
  // An empty one that comes after this.
  Roll next(Epoch next_epoch) const {
    constexpr std::size_t kRemembered = 16;
    Roll roll{next_epoch, {}, after, algorithms};
    if (epoch != Epoch{}) roll.after.push_back(epoch);
    if (roll.after.size() > kRemembered) roll.after.erase(roll.after.begin());
    return roll;
  }
};

// A member's sign of life. A life that has one is a member, or wants to be.
struct Beat {
  Life life{};
  std::uint64_t version = 0;  // Grows with every beat.
  // How long it is to be waited for; 0: the TTL that the members were started with.
  std::uint32_t ttl_ms = 0;
  HAPAX_RECORD(Beat, life, version, ttl_ms)
};

// Roll and beats as they were at one moment.
struct Register {
  std::uint64_t version = 0;  // Of the roll.
  Roll roll;
  std::vector<Beat> beats;
  HAPAX_RECORD(Register, version, roll, beats)

  const Beat* beat_of(Life life) const {
    const auto at =
        std::find_if(beats.begin(), beats.end(), [&](const Beat& b) { return b.life == life; });
    return at == beats.end() ? nullptr : &*at;
  }
  // What stands still if that life is gone: its beat; one of version 0 if it has none, because
  // somebody deleted its record.
  Beat sight_of(Life life) const {
    const Beat* there = beat_of(life);
    return there == nullptr ? Beat{life, 0, 0} : *there;
  }
};

// The next roll, to be committed on the condition that the roll still has this version and that
// those who are gone have not beaten since; their beats are deleted with it.
struct Proposal {
  std::uint64_t version = 0;
  Roll next;
  std::vector<Beat> gone;
  HAPAX_RECORD(Proposal, version, next, gone)
};

}  // namespace hapax

template <>
struct fmt::formatter<hapax::Life> : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(hapax::Life life, Context& context) const {
    return fmt::formatter<std::uint64_t>::format(hapax::number(life), context);
  }
};
