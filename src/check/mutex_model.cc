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
      ends_(fields_),
      members_(algorithm, options, choices),
      links_(options.channels),
      first_(fields_),
      is_plain_(!options.forever && !options.has_faults() && !options.reduce) {
  HAPAX_CHECK(n_ >= 1);
  HAPAX_CHECK(n_ <= kMostChecked);
  first_[shared()] = number_of(
      {0, 0, narrow(options_.duplicates), narrow(options_.losses), narrow(options_.crashes), 0});
  for (std::uint32_t i = 0; i < n_; ++i) {
    for (std::uint32_t to = 0; to < n_; ++to) {
      if (to != i) ends_[link(i, to)] = {i, to};
    }
    const Reactions::Reaction first = members_.begin(i);
    first_[i] = first.local;
    for (const auto& sent : members_.sends(members_.effect(first))) {
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

bool MutexModel::is_too_narrow() const {
  return members_.most_locals() > layout_.room(0) || shared_.size() > layout_.room(shared()) ||
         (n_ > 1 && links_.size() > layout_.room(n_));
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
  const auto number = static_cast<std::uint32_t>(shared_.size());
  shared_.push_back(common);
  shared_numbers_.emplace(common.key(), number);
  return number;
}

bool MutexModel::change_shared(std::uint64_t* row, Steps& steps, const Shared& after) {
  if (frozen_ && !shared_numbers_.contains(after.key())) {
    steps.find_unknown();
    return false;
  }
  layout_.change(row, shared(), layout_.get(row, shared()), number_of(after));
  return true;
}

// --- what can happen ---

void MutexModel::expand(const std::uint64_t* row, Steps& steps) {
  if (!reduction_ || !expand_first(row, steps)) expand_in_full(row, steps);
}

void MutexModel::expand_in_full(const std::uint64_t* row, Steps& steps) {
  is_plain_ ? expand_all<true>(row, steps) : expand_all<false>(row, steps);
  if (is_too_narrow()) steps.find_too_narrow();
}

// Of what is possible a bit each, so that the processor need not guess at every member and link
// whether there is something.
template <bool kPlain>
void MutexModel::expand_all(const std::uint64_t* row, Steps& steps) {
  constexpr CheckStep kSteps[] = {CheckStep::request, CheckStep::request_shared,
                                  CheckStep::release};
  std::array<std::uint32_t, kMostChecked * kMostChecked + 1> now;  // By field.
  layout_.unpack(row, now.data());
  const Shared common = kPlain ? Shared{} : shared_[now[shared()]];
  std::uint64_t own = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    own |= std::uint64_t{members_.own_inputs(i, now[i])} << i * Reactions::kFirstReceive;
  }
  for (; own != 0; own &= own - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(own));
    const std::uint32_t i = bit / Reactions::kFirstReceive;
    const std::uint32_t input = bit % Reactions::kFirstReceive;
    if (common.has_crashed(i)) continue;
    finish<kPlain>(steps.draft(row), steps, step_of(kSteps[input], i), i, now[i], input);
  }
  std::uint64_t busy = 0;
  for (std::uint32_t at = n_; at < shared(); ++at) busy |= std::uint64_t{now[at] != 0} << at;
  for (; busy != 0; busy &= busy - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(busy));
    const auto [from, to] = ends_[at];
    const std::span<const LinkContents::Take> takes = links_.takes(now[at]);
    if (takes.empty()) [[unlikely]]
      return steps.find_unknown();
    for (const LinkContents::Take take : takes) {
      if (!common.has_crashed(to)) {
        std::uint64_t* next = steps.draft(row);
        layout_.change(next, at, now[at], take.rest);
        finish<kPlain>(next, steps, step_of(CheckStep::deliver, from, to, take.message), to,
                       now[to], members_.receive(from, take.message));
      }
      if (!kPlain) expand_faults(row, steps, common, at, take);
    }
  }
  if (common.crashes > 0) expand_crashes(row, steps, common);
}

void MutexModel::expand_faults(const std::uint64_t* row, Steps& steps, const Shared& common,
                               std::uint32_t at, const LinkContents::Take& take) {
  const auto [from, to] = ends_[at];
  if (common.losses > 0) {
    Shared less = common;
    --less.losses;
    change_link(row, steps, step_of(CheckStep::lose, from, to, take.message), take.rest, less);
  }
  if (common.duplicates > 0) {
    Shared less = common;
    --less.duplicates;
    change_link(row, steps, step_of(CheckStep::duplicate, from, to, take.message),
                links_.with(layout_.get(row, at), take.message), less);
  }
}

void MutexModel::change_link(const std::uint64_t* row, Steps& steps, SearchStep step,
                             std::uint32_t content, const Shared& common) {
  if (content == LinkContents::kUnknown) return steps.find_unknown();
  std::uint64_t* next = steps.draft(row);
  const std::uint32_t at = link(step.from, step.to);
  layout_.change(next, at, layout_.get(row, at), content);
  if (!change_shared(next, steps, common)) return;
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
    if (!change_shared(next, steps, after)) return;
    steps.add_to_draft(step_of(CheckStep::crash, i));
  }
}

// --- what must hold ---

bool MutexModel::is_right(std::uint64_t* next, Steps& steps, SearchStep step, std::uint32_t i,
                          const Reactions::Effect& effect) {
  if (effect.rejected != Reject::none && !options_.has_faults()) {
    steps.fail(step, "protocol", fmt::format("P{} rejects a {}", i + 1, name_of(effect.rejected)));
    return false;
  }
  return !effect.enters || check_entry(next, steps, step, i, effect.turn);
}

bool MutexModel::check_entry(std::uint64_t* row, Steps& steps, SearchStep step, std::uint32_t i,
                             Turn turn) {
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
  return change_shared(row, steps, common);
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
