// All that the rest of the house knows about a mutual-exclusion algorithm without running it.
// Whoever wants to treat one in a special way asks here, and never by its name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "core/theory.h"

namespace hapax {

class VotingSets;

// An algorithm's number, as members write it to one another. Given once, and never again to another
// algorithm; below 0x80, which is a bit of the payload's tag.
enum class AlgorithmId : std::uint8_t {};

inline constexpr std::uint8_t kMostAlgorithmIds = 0x80;

constexpr std::uint8_t number(AlgorithmId id) { return static_cast<std::uint8_t>(id); }

// What an algorithm needs of its channels. Reliable always; the order of messages only for some.
enum class Channels : std::uint8_t { unordered, fifo };

// Which of the MutexChoices an algorithm takes.
struct MutexTakes {
  bool voting_sets = false;  // Any that meet.
  bool say_denied = false;
  bool units = false;  // And per_member.
};

struct MutexInfo {
  std::string_view name;
  AlgorithmId id{};
  std::string_view summary;
  std::string_view kind;  // permission | token | quorum
  Channels needs{};
  MutexTakes takes{};
  bool can_deadlock = false;
  bool never_rests = false;  // Sends messages even when nobody wants to enter, …
  bool token_rests = false;  // … but its token may be taken back to its home until it is wanted.
  bool turns_are_stamps = false;  // A turn is turn_of() the request's stamp.
  // Whoever was inside may enter again without asking, as long as nobody else is known to wait, and
  // its turns are its clock.
  bool permission_stays = false;
  // Readers of one member share its entry: whoever comes later joins, unless somebody is waiting.
  bool readers_join = false;
  // Counters from here on are beyond what counting can have reached: somebody made them up.
  std::uint8_t counter_bits = 48;
  // The voting sets that `text` names, of n members. Null: the algorithm has none.
  Result<VotingSets> (*voting_sets)(std::string_view text, std::uint32_t n) = nullptr;
  // Why states do not come again when members go on asking for ever, even with all clocks counted
  // from the lowest. Empty if they do.
  std::string_view never_repeats = "";
  std::string_view never_repeats_with_units = "";  // The same where there are several units.
  Theory (*theory)(const TheoryInput&) = nullptr;  // What it costs.
};

}  // namespace hapax
