#include "check/mutex_model.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "search/states.h"

namespace hapax {
namespace {

std::uint8_t narrow(std::uint32_t value) { return static_cast<std::uint8_t>(value); }

}  // namespace

MutexModel::MutexModel(const Operations& algorithm, const CheckOptions& options,
                       const MutexChoices& choices)
    : info_(algorithm.info),
      has_modes_(algorithm.modes.size() > 1),
      options_(options),
      n_(options.n),
      fields_(n_ + n_ * (n_ - 1) + 1),
      members_(algorithm, options, choices),
      links_(options.channels),
      first_(fields_) {
  HAPAX_CHECK(n_ >= 1);
  HAPAX_CHECK(n_ <= kMostChecked);
  first_[shared()] = number_of(
      {0, 0, narrow(options_.duplicates), narrow(options_.losses), narrow(options_.crashes), 0});
  for (std::uint32_t i = 0; i < n_; ++i) {
    const Reactions::Reaction first = members_.begin(i);
    first_[i] = first.local;
    for (const auto& sent : members_.sends(first)) {
      std::uint32_t& content = first_[link(i, sent.to)];
      content = links_.with(content, sent.message);
    }
  }
  lay_out();
  if (options_.reduce) reduction_.emplace(static_cast<Automata&>(*this), n_);
}

// --- rows ---

void MutexModel::initial(std::uint64_t* row) {
  for (std::uint32_t f = 0; f < fields_; ++f) layout_.set(row, f, first_[f]);
}

// Wide enough for the parts that there are; and as wide as fits in as many words, so that rows
// seldom have to be widened.
void MutexModel::lay_out() {
  const auto bits_for = [](std::uint32_t parts) {
    return std::max(1u, static_cast<std::uint32_t>(std::bit_width(parts - 1)));
  };
  // Bits of a member, a link, what they share.
  std::array<std::uint32_t, 3> widths{bits_for(members_.most_locals()), bits_for(links_.size()),
                                      bits_for(static_cast<std::uint32_t>(shared_.size()))};
  layout_ = layout_of(widths);
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t kind = 0; kind < widths.size(); ++kind) {
      std::array<std::uint32_t, 3> wider = widths;
      if (++wider[kind] > 32 || layout_of(wider).words() > layout_.words()) continue;
      widths = wider;
      grown = true;
    }
  }
  layout_ = layout_of(widths);
}

RowLayout MutexModel::layout_of(const std::array<std::uint32_t, 3>& widths) const {
  std::vector<std::uint32_t> bits(fields_, widths[1]);
  std::fill(bits.begin(), bits.begin() + n_, widths[0]);
  bits.back() = widths[2];
  return RowLayout{bits};
}

void MutexModel::widen(States& states) {
  const RowLayout before = layout_;
  lay_out();
  states.reshape(layout_.words(), [&](const std::uint64_t* old, std::uint64_t* row) {
    before.repack(old, layout_, row);
  });
}

void MutexModel::freeze(bool on) {
  frozen_ = on;
  members_.freeze(on);
  links_.freeze(on);
}

std::uint32_t MutexModel::number_of(const Shared& common) {
  if (const auto known = shared_numbers_.find(common.key()); known != shared_numbers_.end()) {
    return known->second;
  }
  if (frozen_) throw Unknown{};
  const auto number = static_cast<std::uint32_t>(shared_.size());
  shared_.push_back(common);
  shared_numbers_.emplace(common.key(), number);
  return number;
}

// --- what can happen ---

void MutexModel::expand(const std::uint64_t* row, Steps& steps) {
  if (!reduction_ || !expand_first(row, steps)) expand_in_full(row, steps);
}

void MutexModel::expand_in_full(const std::uint64_t* row, Steps& steps) {
  const Shared common = shared_in(row);
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (common.has_crashed(i)) continue;
    const std::uint32_t local = layout_.get(row, i);
    if (members_.may_ask(i, local)) {
      react(row, steps, step_of(CheckStep::request, i), i, Reactions::kRequest);
      if (has_modes_) {
        react(row, steps, step_of(CheckStep::request_shared, i), i, Reactions::kRequestShared);
      }
    }
    if (members_.holding(i, local).units > 0) {
      react(row, steps, step_of(CheckStep::release, i), i, Reactions::kRelease);
    }
  }
  for (std::uint32_t from = 0, at = n_; from < n_; ++from) {
    for (std::uint32_t to = 0; to < n_; ++to) {
      if (from == to) continue;
      if (layout_.get(row, at) != 0) expand_link(row, steps, common, from, to);
      ++at;
    }
  }
  if (common.crashes > 0) expand_crashes(row, steps, common);
}

void MutexModel::expand_link(const std::uint64_t* row, Steps& steps, const Shared& common,
                             std::uint32_t from, std::uint32_t to) {
  const std::uint32_t at = link(from, to);
  const std::uint32_t content = layout_.get(row, at);
  for (const LinkContents::Take take : links_.takes(content)) {
    if (!common.has_crashed(to)) {
      std::uint64_t* next = steps.draft(row);
      if (!put(next, steps, at, take.rest)) return;
      finish(next, steps, step_of(CheckStep::deliver, from, to, take.message), to,
             members_.receive(from, take.message));
    }
    if (common.losses > 0) {
      Shared less = common;
      --less.losses;
      change_link(row, steps, step_of(CheckStep::lose, from, to, take.message), take.rest, less);
    }
    if (common.duplicates > 0) {
      Shared less = common;
      --less.duplicates;
      change_link(row, steps, step_of(CheckStep::duplicate, from, to, take.message),
                  links_.with(content, take.message), less);
    }
  }
}

void MutexModel::change_link(const std::uint64_t* row, Steps& steps, const SearchStep& step,
                             std::uint32_t content, const Shared& common) {
  std::uint64_t* next = steps.draft(row);
  if (!put(next, steps, link(step.from, step.to), content)) return;
  if (!put(next, steps, shared(), number_of(common))) return;
  if (options_.forever && !lower_clocks(next, steps)) return;
  steps.add_to_draft(step);
}

void MutexModel::expand_crashes(const std::uint64_t* row, Steps& steps, const Shared& common) {
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (common.has_crashed(i)) continue;
    Shared after = common;
    --after.crashes;
    after.crashed = narrow(after.crashed | 1u << i);
    std::uint64_t* next = steps.draft(row);
    if (!put(next, steps, shared(), number_of(after))) return;
    steps.add_to_draft(step_of(CheckStep::crash, i));
  }
}

void MutexModel::react(const std::uint64_t* row, Steps& steps, const SearchStep& step,
                       std::uint32_t i, std::uint32_t input) {
  std::uint64_t* next = steps.draft(row);
  finish(next, steps, step, i, input);
}

// Member i reacts to `input`. REQUIRES: `row` is the state before it, without the message that is
// delivered.
void MutexModel::finish(std::uint64_t* row, Steps& steps, const SearchStep& step, std::uint32_t i,
                        std::uint32_t input) {
  const std::uint32_t local = layout_.get(row, i);
  if (reduction_) reduction_->note(i, local, input);
  const Reactions::Reaction& reaction = members_.react(i, local, input);
  if (!put(row, steps, i, reaction.local)) return;
  for (const auto& sent : members_.sends(reaction)) {
    const std::uint32_t at = link(i, sent.to);
    const std::uint32_t content = links_.with(layout_.get(row, at), sent.message);
    if (!put(row, steps, at, content)) return;
  }
  if (reaction.rejected != Reject::none && !options_.has_faults()) {
    steps.fail(step, "protocol",
               fmt::format("P{} rejects a {}", i + 1, name_of(reaction.rejected)));
    return;
  }
  if (reaction.enters && !check_entry(row, steps, step, i, reaction.turn)) return;
  if (options_.forever && !lower_clocks(row, steps)) return;
  steps.add_to_draft(step);
}

// --- what must hold ---

bool MutexModel::check_entry(std::uint64_t* row, Steps& steps, const SearchStep& step,
                             std::uint32_t i, Turn turn) {
  steps.enter(i);
  Shared common = shared_in(row);
  std::array<Holding, kMostChecked> all;
  for (std::uint32_t j = 0; j < n_; ++j) {
    all[j] = common.has_crashed(j) ? Holding{} : members_.holding(j, layout_.get(row, j));
  }
  if (!may_be_held_together(std::span{all}.first(n_), members_.capacity())) {
    std::string who;
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j == i || all[j].units == 0) continue;
      who += fmt::format("{}P{}", who.empty() ? "" : " and ", j + 1);
    }
    steps.fail(step, "exclusion",
               fmt::format("P{} enters while {} {} inside", i + 1, who.empty() ? "it" : who,
                           who.find("and") == std::string::npos ? "is" : "are"));
    return false;
  }
  if (!options_.fences) return true;
  const bool alone = excludes_all(all[i].mode, members_.capacity());
  // Among k units only exclusive entries are ordered: keeping the last turn would only add states.
  if (!alone && !has_modes_) return true;
  const std::uint64_t before = alone ? common.last_turn : common.last_lone;
  if (number(turn) <= before) {
    steps.fail(step, "fence",
               fmt::format("P{} enters with turn {} after {}", i + 1, number(turn), before));
    return false;
  }
  common.last_turn = std::max(common.last_turn, number(turn));
  if (has_modes_ && alone) common.last_lone = number(turn);
  return put(row, steps, shared(), number_of(common));
}

std::uint64_t MutexModel::waits(const std::uint64_t* row) const {
  if (!options_.promises_progress()) return 0;
  const Shared& common = shared_in(row);
  std::uint64_t waiting = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    const bool waits = members_.phase(i, layout_.get(row, i)) == Phase::waiting;
    if (waits && !common.has_crashed(i)) waiting |= std::uint64_t{1} << i;
  }
  return waiting;
}

std::string MutexModel::dead_end(const std::uint64_t* row) const {
  std::string who;
  const std::uint64_t waiting = waits(row);
  for (std::uint32_t i = 0; i < n_; ++i) {
    if ((waiting >> i & 1) == 0) continue;
    who += fmt::format("{}P{}", who.empty() ? "" : ", ", i + 1);
  }
  return fmt::format("{}{} for ever: no message is under way and nobody is inside", who,
                     std::popcount(waiting) == 1 ? " waits" : " wait");
}

std::optional<std::uint32_t> MutexModel::fair_class(const SearchStep& step) const {
  if (kind_of(step) == CheckStep::release) return step.from;
  if (kind_of(step) == CheckStep::deliver) return link(step.from, step.to);
  return std::nullopt;
}

}  // namespace hapax
