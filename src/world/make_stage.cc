#include <charconv>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "election/catalog.h"
#include "world/election_stage.h"
#include "world/mutex_stage.h"
#include "world/stage.h"

namespace hapax {
namespace {

struct Setting {
  std::string algorithm;
  std::vector<std::string> names;
  std::string holder;
  std::string voting_sets;
  std::vector<std::string> inside;  // Readers or units, where several may be inside.
  std::uint32_t units = 1;
  std::uint32_t each = 0;
  bool held = false;
  bool say_denied = false;
  bool descending = false;
  // Of a run that was recorded: how it was as the recording began.
  Epoch epoch{1};
  std::vector<std::string> states;     // NAME:BYTES
  std::vector<std::string> under_way;  // FROM->TO:BYTES
};

Result<std::uint32_t> count_of(const std::string& word, const std::string& text) {
  std::uint32_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc{} || end != text.data() + text.size() || count < 1 || count > 1000) {
    return error("'{}' is no number of units; write {}=2", word, word.substr(0, word.find('=')));
  }
  return count;
}

Result<Epoch> epoch_of(const std::string& text) {
  std::uint64_t epoch = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), epoch);
  if (failed != std::errc{} || end != text.data() + text.size()) {
    return error("'{}' is no epoch; write epoch=2", text);
  }
  return Epoch{epoch};
}

// NAME:0a1b, the last colon separates: what stands before it, and the bytes.
Result<std::pair<std::string, std::vector<std::uint8_t>>> bytes_after_colon(
    const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const Error how = error("'{}' is no state; write NAME:BYTES, two digits 0-9a-f a byte", text);
  if (colon == std::string::npos || (text.size() - colon) % 2 == 0) return how;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = colon + 1; i < text.size(); i += 2) {
    const char* end = text.data() + i + 2;
    std::uint8_t byte = 0;
    const auto [stop, failed] = std::from_chars(text.data() + i, end, byte, 16);
    if (failed != std::errc{} || stop != end) return how;
    bytes.push_back(byte);
  }
  return std::pair{text.substr(0, colon), std::move(bytes)};
}

Result<Setting> setting_of(const Command& command) {
  const Error how = error("a trace begins with: nodes ALGORITHM NAME NAME …");
  if (command.size() < 3 || command[0] != "nodes") return how;
  Setting setting;
  setting.algorithm = command[1];
  for (std::size_t i = 2; i < command.size(); ++i) {
    const std::string& word = command[i];
    const std::size_t equals = word.find('=');
    if (word == "held") {
      setting.held = true;
    } else if (word == "say-denied") {
      setting.say_denied = true;
    } else if (word == "descending") {
      setting.descending = true;
    } else if (equals == std::string::npos) {
      setting.names.push_back(word);
    } else if (word.substr(0, equals) == "holder") {
      setting.holder = word.substr(equals + 1);
    } else if (word.substr(0, equals) == "inside") {
      setting.inside.push_back(word.substr(equals + 1));
    } else if (word.substr(0, equals) == "units" || word.substr(0, equals) == "each") {
      const auto count = count_of(word, word.substr(equals + 1));
      if (!count) return count.error();
      (word.starts_with("units") ? setting.units : setting.each) = *count;
    } else if (word.substr(0, equals) == "voting-sets") {
      setting.voting_sets = word.substr(equals + 1);
    } else if (word.substr(0, equals) == "epoch") {
      const auto epoch = epoch_of(word.substr(equals + 1));
      if (!epoch) return epoch.error();
      setting.epoch = *epoch;
    } else if (word.substr(0, equals) == "state") {
      setting.states.push_back(word.substr(equals + 1));
    } else if (word.substr(0, equals) == "under-way") {
      setting.under_way.push_back(word.substr(equals + 1));
    } else {
      return error("'{}' is not an option of nodes", word);
    }
  }
  if (setting.names.empty()) return how;
  const std::set<std::string> different{setting.names.begin(), setting.names.end()};
  if (different.size() < setting.names.size()) return error("two nodes have the same name");
  return setting;
}

// What each holds as the view starts. Empty: as `holder` and `held` say.
Result<std::vector<Holding>> holdings_of(const Setting& setting, std::uint32_t capacity) {
  const Names names{setting.names};
  std::vector<Holding> holdings;
  for (const std::string& name : setting.inside) {
    const auto who = names.find(name);
    if (!who) return who.error();
    holdings.resize(names.count(), Holding{Mode::shared, 0});
    ++holdings[number(*who)].units;
  }
  const std::uint32_t each = capacity == kAnyNumber
                                 ? 1
                                 : MutexChoices{.units = setting.units, .per_member = setting.each}
                                       .most_units_of_a_member();
  for (const Holding& holding : holdings) {
    if (holding.units > each) return error("a node is inside with more than {}", each);
  }
  if (!may_be_held_together(holdings, capacity)) return error("so many cannot be inside");
  return holdings;
}

// What an algorithm may be told besides its nodes.
struct Taken {
  bool holder = false;  // And held, and inside.
  bool voting_sets = false;
  bool say_denied = false;
  bool units = false;  // And each.
  bool descending = false;
  bool states = false;  // And what is under way.
};

Result<void> refuse_what_is_not_taken(const Setting& setting, const Taken& taken) {
  const struct {
    bool given, taken;
    std::string_view option;
  } options[] = {
      {!setting.holder.empty() || setting.held || !setting.inside.empty(), taken.holder,
       "holder, held or inside"},
      {!setting.voting_sets.empty(), taken.voting_sets, "voting-sets"},
      {setting.say_denied, taken.say_denied, "say-denied"},
      {setting.units != 1 || setting.each != 0, taken.units, "units or each"},
      {setting.descending, taken.descending, "descending"},
      {!setting.states.empty() || !setting.under_way.empty(), taken.states, "state or under-way"}};
  for (const auto& [given, is_taken, option] : options) {
    if (given && !is_taken) return error("{} takes no {}", setting.algorithm, option);
  }
  return {};
}

// Null: the algorithm's own.
Result<std::unique_ptr<VotingSets>> make_voting_sets(const Setting& setting, const MutexInfo& info,
                                                     std::uint32_t n) {
  if (setting.voting_sets.empty()) return std::unique_ptr<VotingSets>{};
  auto sets = info.voting_sets(setting.voting_sets, n);
  if (!sets) return sets.error();
  if (sets->processes() != n) {
    return error("there are {} voting sets for {} nodes", sets->processes(), n);
  }
  return std::make_unique<VotingSets>(std::move(*sets));
}

Result<void> put_states(const Setting& setting, std::vector<Instance>& nodes) {
  const Names names{setting.names};
  for (const std::string& text : setting.states) {
    const auto state = bytes_after_colon(text);
    if (!state) return state.error();
    const auto who = names.find(state->first);
    if (!who) return who.error();
    if (!nodes[number(*who)].decode_from(state->second, names.count())) {
      return error("'{}' is no state of {}", text, setting.algorithm);
    }
  }
  return {};
}

Result<void> put_under_way(const Setting& setting, const Operations& algorithm, MutexStage& stage) {
  const Names names{setting.names};
  for (const std::string& text : setting.under_way) {
    const auto message = bytes_after_colon(text);
    if (!message) return message.error();
    const std::size_t arrow = message->first.find("->");
    if (arrow == std::string::npos) return error("'{}' needs a link, e.g. P1->P2", text);
    const auto from = names.find(message->first.substr(0, arrow));
    const auto to = names.find(message->first.substr(arrow + 2));
    if (!from) return from.error();
    if (!to) return to.error();
    if (*from == *to || !algorithm.is_message(message->second)) {
      return error("'{}' is no message of {}", text, setting.algorithm);
    }
    stage.put_under_way(*from, *to, message->second);
  }
  return {};
}

Result<std::unique_ptr<TraceStage>> make_mutex_stage(const Operations& algorithm,
                                                     const Setting& setting, View view) {
  const MutexInfo& info = algorithm.info;
  const auto fits = refuse_what_is_not_taken(setting, {.holder = true,
                                                       .voting_sets = info.voting_sets != nullptr,
                                                       .say_denied = info.takes.say_denied,
                                                       .units = info.takes.units,
                                                       .states = true});
  if (!fits) return fits.error();
  auto sets = make_voting_sets(setting, info, view.size);
  if (!sets) return sets.error();
  const MutexChoices choices{.voting_sets = sets->get(),
                             .say_denied = setting.say_denied,
                             .units = setting.units,
                             .per_member = setting.each};
  if (!algorithm.shared && !setting.inside.empty()) {
    return error("of {} at most one is inside: use holder= and held", setting.algorithm);
  }
  const auto holdings = holdings_of(setting, Instance{algorithm, view, choices}.capacity());
  if (!holdings) return holdings.error();
  std::vector<Instance> nodes;
  for (std::uint32_t i = 0; i < view.size; ++i) {
    view.self = NodeId{i};
    nodes.push_back(holdings->empty() ? Instance{algorithm, view, choices}
                                      : Instance{algorithm, view, choices, (*holdings)[i]});
  }
  if (const auto done = put_states(setting, nodes); !done) return done.error();
  auto stage = std::make_unique<MutexStage>(Names{setting.names}, std::move(nodes), view.epoch,
                                            std::move(*sets));
  if (const auto done = put_under_way(setting, algorithm, *stage); !done) return done.error();
  if (!setting.states.empty() || !setting.under_way.empty()) stage->doubt();
  return std::unique_ptr<TraceStage>{std::move(stage)};
}

Result<std::unique_ptr<TraceStage>> make_election_stage(const Setting& setting) {
  std::vector<AnyElection> nodes;
  Taken taken;
  with_election(setting.algorithm, [&]<class A>() {
    typename OptionsOf<A>::Type options{};
    if constexpr (requires { options.direction; }) {
      taken.descending = true;
      if (setting.descending) options.direction = Direction::descending;
    }
    nodes = elect_among<A>(static_cast<std::uint32_t>(setting.names.size()), options);
  });
  if (nodes.empty()) return error("there is no algorithm '{}'", setting.algorithm);
  if (const auto fits = refuse_what_is_not_taken(setting, taken); !fits) return fits.error();
  return std::make_unique<ElectionStage>(Names{setting.names}, std::move(nodes));
}

}  // namespace

Result<std::unique_ptr<TraceStage>> make_stage(const Command& command) {
  const Result<Setting> setting = setting_of(command);
  if (!setting) return setting.error();
  const Names names{setting->names};
  View view{.epoch = setting->epoch, .size = names.count(), .held = setting->held};
  if (!setting->holder.empty()) {
    const auto holder = names.find(setting->holder);
    if (!holder) return holder.error();
    view.holder = *holder;
  }
  if (const Operations* algorithm = find_algorithm(setting->algorithm)) {
    return make_mutex_stage(*algorithm, *setting, view);
  }
  return make_election_stage(*setting);
}

}  // namespace hapax
