// All that members of a mutual-exclusion algorithm and the links between them can do, as a model
// for the search. A state is a row of numbers: one for each member, one for each link, and one for
// what belongs to nobody (the last fence, how many faults are left, who has crashed).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "check/channels.h"
#include "check/members.h"
#include "check/options.h"
#include "check/step.h"
#include "core/mutex_algorithm.h"
#include "search/row_layout.h"
#include "search/search.h"

namespace hapax {

template <MutexAlgorithm A>
class MutexModel {
 public:
  using Action = CheckStep;

  MutexModel(const CheckOptions& options, const typename OptionsOf<A>::Type& choice)
      : options_(options),
        n_(options.n),
        fields_(n_ + n_ * (n_ - 1) + 1),
        members_(options, choice),
        links_(options.channels),
        first_(fields_) {
    HAPAX_CHECK(n_ >= 1);
    HAPAX_CHECK(n_ <= kMostChecked);
    first_[shared()] = number_of(
        {0, 0, narrow(options_.duplicates), narrow(options_.losses), narrow(options_.crashes), 0});
    for (std::uint32_t i = 0; i < n_; ++i) {
      const auto outcome = members_.begin(i);
      first_[i] = outcome.local;
      for (const auto& send : members_.sends(outcome)) {
        std::uint32_t& content = first_[link(i, send.to)];
        content = links_.with(content, send.message);
      }
    }
    lay_out();
  }

  std::uint32_t width() const { return layout_.words(); }

  void initial(std::uint64_t* row) const {
    for (std::uint32_t f = 0; f < fields_; ++f) layout_.set(row, f, first_[f]);
  }

  void widen(States& states) {
    const RowLayout before = layout_;
    lay_out();
    states.reshape(layout_.words(), [&](const std::uint64_t* old, std::uint64_t* row) {
      before.repack(old, layout_, row);
    });
  }

  void freeze(bool on) {
    frozen_ = on;
    members_.freeze(on);
    links_.freeze(on);
  }

  template <class Sink>
  void expand(const std::uint64_t* row, Sink& sink) {
    const Shared common = shared_[layout_.get(row, shared())];
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((common.crashed >> i & 1) != 0) continue;
      const std::uint32_t local = layout_.get(row, i);
      if (members_.may_ask(i, local)) {
        step(row, sink, {CheckStep::Kind::request, narrow(i)}, i, Members<A>::kRequest);
        if constexpr (kHasModes) {
          step(row, sink, {CheckStep::Kind::request_shared, narrow(i)}, i,
               Members<A>::kRequestShared);
        }
      }
      if (members_.holding(i, local).units > 0) {
        step(row, sink, {CheckStep::Kind::release, narrow(i)}, i, Members<A>::kRelease);
      }
    }
    for (std::uint32_t from = 0, at = n_; from < n_; ++from) {
      for (std::uint32_t to = 0; to < n_; ++to) {
        if (from == to) continue;
        if (layout_.get(row, at) != 0) expand_link(row, sink, common, from, to);
        ++at;
      }
    }
    if (common.crashes > 0) expand_crashes(row, sink, common);
  }

  // A bit for each process that waits, where progress is promised. The dead do not wait.
  std::uint64_t waits(const std::uint64_t* row) const {
    if (!options_.promises_progress()) return 0;
    std::uint64_t waiting = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (phase(row, i) == Phase::waiting) waiting |= std::uint64_t{1} << i;
    }
    return waiting & ~std::uint64_t{shared_[layout_.get(row, shared())].crashed};
  }

  std::string dead_end(const std::uint64_t* row) const {
    std::string who;
    const std::uint64_t waiting = waits(row);
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((waiting >> i & 1) == 0) continue;
      who += fmt::format("{}P{}", who.empty() ? "" : ", ", i + 1);
    }
    return fmt::format("{}{} for ever: no message is under way and nobody is inside", who,
                       std::popcount(waiting) == 1 ? " waits" : " wait");
  }

  // Deliveries and exits happen at last; nobody has to ask, and faults need not occur.
  std::optional<std::uint32_t> fair_class(const CheckStep& step) const {
    if (step.kind == CheckStep::Kind::release) return step.from;
    if (step.kind == CheckStep::Kind::deliver) return link(step.from, step.to);
    return std::nullopt;
  }

  // The way as commands of a trace. A message that overtakes others is named by its place on the
  // link.
  std::vector<std::string> tell(const std::vector<CheckStep>& way) {
    std::vector<std::string> commands;
    std::vector<std::uint32_t> locals(first_.begin(), first_.begin() + n_);
    // By link: messages in the order of sending.
    std::vector<std::vector<std::uint32_t>> under_way(fields_);
    for (std::uint32_t l = n_; l < shared(); ++l) under_way[l] = links_.messages(first_[l]);
    for (const CheckStep& step : way) {
      std::uint32_t node = step.from;
      const bool asks =
          step.kind == CheckStep::Kind::request || step.kind == CheckStep::Kind::request_shared;
      std::uint32_t input = step.kind == CheckStep::Kind::request ? Members<A>::kRequest
                            : asks                                ? Members<A>::kRequestShared
                                                                  : Members<A>::kRelease;
      std::string command = fmt::format("P{}", step.from + 1);
      if (step.kind == CheckStep::Kind::deliver || step.kind == CheckStep::Kind::lose ||
          step.kind == CheckStep::Kind::duplicate) {
        std::vector<std::uint32_t>& messages = under_way[link(step.from, step.to)];
        const auto at = place_of(step, messages);
        command = fmt::format("P{}->P{}", step.from + 1, step.to + 1);
        if (at != messages.begin()) command += fmt::format(" {}", at - messages.begin() + 1);
        node = step.to;
        input = members_.receive(step.from, *at);
        if (step.kind == CheckStep::Kind::duplicate) {
          messages.push_back(*at);
        } else {
          messages.erase(at);
        }
      }
      if (step.kind == CheckStep::Kind::request_shared) command += " shared";
      commands.push_back(fmt::format("{} {}", verb_of(step.kind), command));
      if (!asks && step.kind != CheckStep::Kind::release && step.kind != CheckStep::Kind::deliver) {
        continue;
      }
      const auto outcome = members_.react(node, locals[node], input);
      locals[node] = outcome.local;
      for (const auto& send : members_.sends(outcome)) {
        under_way[link(node, send.to)].push_back(send.message);
      }
      if (options_.forever) lower_clocks(locals, under_way);
    }
    return commands;
  }

 private:
  struct Shared {
    std::uint64_t last_turn;  // The highest of all entries …
    std::uint64_t last_lone;  // … and of those that exclude all others.
    std::uint8_t duplicates, losses, crashes;
    std::uint8_t crashed;  // A bit for each process.
    auto key() const {
      return std::tuple{last_turn, last_lone,
                        std::uint32_t{duplicates} << 24 | std::uint32_t{losses} << 16 |
                            std::uint32_t{crashes} << 8 | crashed};
    }
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  };
  static constexpr bool kHasModes = [] {
    if constexpr (SharedAlgorithm<A>) return A::kModes.size() > 1;
    return false;
  }();

  static constexpr std::uint32_t kMostWords = kMostChecked * kMostChecked + 1;
  using Scratch = std::array<std::uint64_t, kMostWords>;

  static std::string_view verb_of(CheckStep::Kind kind) {
    switch (kind) {
      case CheckStep::Kind::request:
      case CheckStep::Kind::request_shared:
        return "request";
      case CheckStep::Kind::release:
        return "release";
      case CheckStep::Kind::deliver:
        return "deliver";
      case CheckStep::Kind::duplicate:
        return "dup";
      case CheckStep::Kind::lose:
        return "drop";
      case CheckStep::Kind::crash:
        return "crash";
      case CheckStep::Kind::act:
        return "act";
    }
    return "?";
  }
  static std::uint8_t narrow(std::uint32_t value) { return static_cast<std::uint8_t>(value); }

  // Fields of a row: members, links, and what they share.
  std::uint32_t link(std::uint32_t from, std::uint32_t to) const {
    HAPAX_CHECK(from != to);
    return n_ + from * (n_ - 1) + (to > from ? to - 1 : to);
  }
  std::uint32_t shared() const { return fields_ - 1; }

  // Wide enough for the parts that there are; and as wide as fits in as many words, so that rows
  // seldom have to be widened.
  void lay_out() {
    const auto bits_for = [](std::uint32_t parts) {
      return std::max(1u, static_cast<std::uint32_t>(std::bit_width(parts - 1)));
    };
    Widths widths{bits_for(members_.most_locals()), bits_for(links_.size()),
                  bits_for(static_cast<std::uint32_t>(shared_.size()))};
    layout_ = layout_of(widths);
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t kind = 0; kind < widths.size(); ++kind) {
        Widths wider = widths;
        if (++wider[kind] > 32 || layout_of(wider).words() > layout_.words()) continue;
        widths = wider;
        grown = true;
      }
    }
    layout_ = layout_of(widths);
  }
  using Widths = std::array<std::uint32_t, 3>;  // Bits of a member, a link, what they share.
  RowLayout layout_of(const Widths& widths) const {
    std::vector<std::uint32_t> bits(fields_, widths[1]);
    std::fill(bits.begin(), bits.begin() + n_, widths[0]);
    bits.back() = widths[2];
    return RowLayout{bits};
  }
  void put(std::uint64_t* row, std::uint32_t field, std::uint32_t value) const {
    if (!layout_.fits(field, value)) throw RowsTooNarrow{};
    layout_.set(row, field, value);
  }

  std::uint32_t number_of(const Shared& common) {
    if (const auto known = shared_numbers_.find(common.key()); known != shared_numbers_.end()) {
      return known->second;
    }
    if (frozen_) throw Unknown{};
    const auto number = static_cast<std::uint32_t>(shared_.size());
    shared_.push_back(common);
    shared_numbers_.emplace(common.key(), number);
    return number;
  }
  Phase phase(const std::uint64_t* row, std::uint32_t i) const {
    return members_.phase(i, layout_.get(row, i));
  }

  // Which of the messages under way is meant. Over FIFO channels the first; else the first that
  // looks like it.
  std::vector<std::uint32_t>::iterator place_of(const CheckStep& step,
                                                std::vector<std::uint32_t>& messages) const {
    HAPAX_CHECK(!messages.empty());
    if (options_.channels == Channels::fifo) return messages.begin();
    const auto at = std::find(messages.begin(), messages.end(), step.message);
    HAPAX_CHECK(at != messages.end());
    return at;
  }

  template <class Sink>
  void step(const std::uint64_t* row, Sink& sink, const CheckStep& action, std::uint32_t i,
            std::uint32_t input) {
    Scratch next;
    std::copy_n(row, layout_.words(), next.data());
    finish(next.data(), sink, action, i, input);
  }

  // Member i reacts to `input`. REQUIRES: `row` is the state before it, without the message that is
  // delivered.
  template <class Sink>
  void finish(std::uint64_t* row, Sink& sink, const CheckStep& action, std::uint32_t i,
              std::uint32_t input) {
    const auto& outcome = members_.react(i, layout_.get(row, i), input);
    put(row, i, outcome.local);
    for (const auto& send : members_.sends(outcome)) {
      const std::uint32_t at = link(i, send.to);
      put(row, at, links_.with(layout_.get(row, at), send.message));
    }
    if (outcome.rejected != Reject::none && !options_.has_faults()) {
      sink.fail(action, "protocol",
                fmt::format("P{} rejects a {}", i + 1, name_of(outcome.rejected)));
      return;
    }
    if (outcome.enters && !check_entry(row, sink, action, i, outcome.turn)) return;
    if (options_.forever) lower_clocks(row);
    sink.step(action, row);
  }

  template <class Sink>
  bool check_entry(std::uint64_t* row, Sink& sink, const CheckStep& action, std::uint32_t i,
                   Turn turn) {
    sink.enter(i);
    Shared common = shared_[layout_.get(row, shared())];
    const auto held = [&](std::uint32_t j) -> Holding {
      if ((common.crashed >> j & 1) != 0) return {};
      return members_.holding(j, layout_.get(row, j));
    };
    std::array<Holding, kMostChecked> all;
    for (std::uint32_t j = 0; j < n_; ++j) all[j] = held(j);
    if (!may_be_held_together(std::span{all}.first(n_), members_.capacity())) {
      std::string who;
      for (std::uint32_t j = 0; j < n_; ++j) {
        if (j == i || all[j].units == 0) continue;
        who += fmt::format("{}P{}", who.empty() ? "" : " and ", j + 1);
      }
      sink.fail(action, "exclusion",
                fmt::format("P{} enters while {} {} inside", i + 1, who.empty() ? "it" : who,
                            who.find("and") == std::string::npos ? "is" : "are"));
      return false;
    }
    if (!options_.fences) return true;
    const bool alone = excludes_all(all[i].mode, members_.capacity());
    // Nobody but the lone ones is ordered among k units: the last turns would only be more states.
    if (!alone && !kHasModes) return true;
    const std::uint64_t before = alone ? common.last_turn : common.last_lone;
    if (number(turn) <= before) {
      sink.fail(action, "fence",
                fmt::format("P{} enters with turn {} after {}", i + 1, number(turn), before));
      return false;
    }
    common.last_turn = std::max(common.last_turn, number(turn));
    if (kHasModes && alone) common.last_lone = number(turn);
    put(row, shared(), number_of(common));
    return true;
  }

  template <class Sink>
  void expand_link(const std::uint64_t* row, Sink& sink, const Shared& common, std::uint32_t from,
                   std::uint32_t to) {
    const std::uint32_t at = link(from, to);
    const std::uint32_t content = layout_.get(row, at);
    for (const LinkContents::Take take : links_.takes(content)) {
      if ((common.crashed >> to & 1) == 0) {
        Scratch next;
        std::copy_n(row, layout_.words(), next.data());
        put(next.data(), at, take.rest);
        finish(next.data(), sink,
               {CheckStep::Kind::deliver, narrow(from), narrow(to), take.message}, to,
               members_.receive(from, take.message));
      }
      if (common.losses > 0) {
        Shared less = common;
        --less.losses;
        change_link(row, sink, {CheckStep::Kind::lose, narrow(from), narrow(to), take.message}, at,
                    take.rest, less);
      }
      if (common.duplicates > 0) {
        Shared less = common;
        --less.duplicates;
        change_link(row, sink, {CheckStep::Kind::duplicate, narrow(from), narrow(to), take.message},
                    at, links_.with(content, take.message), less);
      }
    }
  }

  template <class Sink>
  void change_link(const std::uint64_t* row, Sink& sink, const CheckStep& action, std::uint32_t at,
                   std::uint32_t content, const Shared& common) {
    Scratch next;
    std::copy_n(row, layout_.words(), next.data());
    put(next.data(), at, content);
    put(next.data(), shared(), number_of(common));
    if (options_.forever) lower_clocks(next.data());
    sink.step(action, next.data());
  }

  template <class Sink>
  void expand_crashes(const std::uint64_t* row, Sink& sink, const Shared& common) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((common.crashed >> i & 1) != 0) continue;
      Shared next = common;
      --next.crashes;
      next.crashed = narrow(next.crashed | 1u << i);
      Scratch after;
      std::copy_n(row, layout_.words(), after.data());
      put(after.data(), shared(), number_of(next));
      sink.step({CheckStep::Kind::crash, narrow(i)}, after.data());
    }
  }

  // Counts all clocks and turns from the lowest, so that equal situations are equal states.
  void lower_clocks(std::uint64_t* row) {
    std::uint64_t lowest = kNoClock;
    for (std::uint32_t i = 0; i < n_; ++i) {
      lowest = std::min(lowest, members_.lowest_in_local(i, layout_.get(row, i)));
    }
    for (std::uint32_t l = n_; l < shared(); ++l) {
      for (const std::uint32_t message : links_.messages(layout_.get(row, l))) {
        lowest = std::min(lowest, members_.lowest_in_message(message));
      }
    }
    if (lowest == kNoClock || lowest == 1) return;
    const std::uint64_t by = lowest - 1;
    for (std::uint32_t f = 0; f < fields_; ++f) {
      const std::uint32_t before = layout_.get(row, f);
      HAPAX_CHECK(by < 1u << 16);
      const std::uint64_t key = by << 48 |
                                std::uint64_t{f < n_         ? f
                                              : f < shared() ? n_
                                                             : n_ + 1}
                                    << 32 |
                                before;
      auto known = lowered_.find(key);
      if (known == lowered_.end() && frozen_) throw Unknown{};
      if (known == lowered_.end()) known = lowered_.emplace(key, lowered(f, before, by)).first;
      put(row, f, known->second);
    }
  }

  // The same where the order of sending is kept.
  void lower_clocks(std::vector<std::uint32_t>& locals,
                    std::vector<std::vector<std::uint32_t>>& under_way) {
    std::uint64_t lowest = kNoClock;
    for (std::uint32_t i = 0; i < n_; ++i) {
      lowest = std::min(lowest, members_.lowest_in_local(i, locals[i]));
    }
    for (const auto& messages : under_way) {
      for (const std::uint32_t message : messages) {
        lowest = std::min(lowest, members_.lowest_in_message(message));
      }
    }
    if (lowest == kNoClock) return;
    for (std::uint32_t i = 0; i < n_; ++i) {
      locals[i] = members_.lower_local(i, locals[i], lowest - 1);
    }
    for (auto& messages : under_way) {
      for (std::uint32_t& message : messages) {
        message = members_.lower_message(message, lowest - 1);
      }
    }
  }

  std::uint32_t lowered(std::uint32_t field, std::uint32_t part, std::uint64_t by) {
    if (field < n_) return members_.lower_local(field, part, by);
    if (field < shared()) {
      std::vector<std::uint32_t> messages = links_.messages(part);
      for (std::uint32_t& message : messages) message = members_.lower_message(message, by);
      return links_.number_of(std::move(messages));
    }
    // A last turn that is below every clock there is stays below every turn to come: 0 says as
    // much.
    Shared common = shared_[part];
    const std::uint64_t turns = A::kInfo.turns_are_stamps ? by * n_ : by;
    common.last_turn = common.last_turn > turns ? common.last_turn - turns : 0;
    common.last_lone = common.last_lone > turns ? common.last_lone - turns : 0;
    return number_of(common);
  }

  CheckOptions options_;
  std::uint32_t n_;
  std::uint32_t fields_;
  Members<A> members_;
  LinkContents links_;
  std::vector<Shared> shared_;
  boost::unordered_flat_map<typename Shared::Key, std::uint32_t> shared_numbers_;
  std::vector<std::uint32_t> first_;  // The state to begin with, by field.
  RowLayout layout_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> lowered_;  // By amount, kind and part.
  bool frozen_ = false;
};

}  // namespace hapax
