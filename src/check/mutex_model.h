// All that members of a mutual-exclusion algorithm and the links between them can do, as a model
// for the search. A state is a row of numbers: one for each member, one for each link, and one for
// what belongs to nobody (the last fence, how many faults are left, who has crashed).
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "check/channels.h"
#include "check/options.h"
#include "check/reactions.h"
#include "check/shared_part.h"
#include "check/step.h"
#include "core/instance.h"
#include "search/model.h"
#include "search/reduction.h"
#include "search/row_layout.h"

namespace hapax {

class MutexModel final : public SearchModel, private Automata {
 public:
  // REQUIRES: options are in range.
  MutexModel(const Operations& algorithm, const CheckOptions& options,
             const MutexChoices& choices = {});

  std::uint32_t width() const override { return layout_.words(); }
  void initial(std::uint64_t* row) override;
  void expand(const std::uint64_t* row, Steps& steps) override;
  bool leaves_out() const override { return reduction_.has_value(); }
  void expand_in_full(const std::uint64_t* row, Steps& steps) override;
  void leave_nothing_out() override { reduction_.reset(); }
  bool left_out_too_much() override { return reduction_ && !reduction_->held(); }
  // Where progress is promised. The dead do not wait.
  std::uint64_t waits(const std::uint64_t* row) const override;
  // Deliveries and exits happen eventually; nobody has to ask, and faults need not occur.
  std::optional<std::uint32_t> fair_class(const SearchStep& step) const override;
  std::string dead_end(const std::uint64_t* row) const override;
  // As commands of a trace. A message that overtakes others is named by its place on the link.
  std::vector<std::string> tell(const std::vector<SearchStep>& way) override;
  void widen(States& states) override;
  bool can_freeze() const override { return !reduction_; }
  void freeze(bool on) override;
  // Units that may be inside at a time, shared.
  std::uint32_t capacity() const { return members_.capacity(); }

 private:
  using Shared = SharedPart;
  // By link: messages in the order of sending.
  using UnderWay = std::vector<std::vector<std::uint32_t>>;

  // Fields of a row: members, links, and what they share.
  // REQUIRES: they are two.
  std::uint32_t link(std::uint32_t from, std::uint32_t to) const {
    return n_ + from * (n_ - 1) + (to > from ? to - 1 : to);
  }
  std::uint32_t shared() const { return fields_ - 1; }
  const Shared& shared_in(const std::uint64_t* row) const {
    return shared_[layout_.get(row, shared())];
  }
  std::uint32_t number_of(const Shared& common);
  // What in the row belongs to nobody. False if that is unknown.
  bool change_shared(std::uint64_t* row, Steps& steps, const Shared& after);
  void lay_out();
  // There are parts whose numbers have no room in a row.
  bool is_too_narrow() const;
  RowLayout layout_of(const std::array<std::uint32_t, 3>& widths) const;

  // --- mutex_model_reduce.cc ---
  bool expand_first(const std::uint64_t* row, Steps& steps);
  std::uint32_t after(std::uint32_t i, std::uint32_t local, std::uint32_t input) override;
  Order order(std::uint32_t i, std::uint32_t local, std::uint32_t first,
              std::uint32_t other) override;

  // Plain: there are no faults, clocks stay as they are, and nobody asks what commutes.
  template <bool kPlain>
  void expand_all(const std::uint64_t* row, Steps& steps);
  void expand_faults(const std::uint64_t* row, Steps& steps, const Shared& common, std::uint32_t at,
                     const LinkContents::Take& take);
  void expand_crashes(const std::uint64_t* row, Steps& steps, const Shared& common);
  void change_link(const std::uint64_t* row, Steps& steps, SearchStep step, std::uint32_t content,
                   const Shared& common);
  // Member i, in the state `local`, reacts to `input`. REQUIRES: `next` is the state before it,
  // without the message that is delivered.
  template <bool kPlain>
  void finish(std::uint64_t* next, Steps& steps, SearchStep step, std::uint32_t i,
              std::uint32_t local, std::uint32_t input);
  bool is_right(std::uint64_t* next, Steps& steps, SearchStep step, std::uint32_t i,
                const Reactions::Effect& effect);
  bool check_entry(std::uint64_t* row, Steps& steps, SearchStep step, std::uint32_t i, Turn turn);

  std::uint32_t take(const SearchStep& step, UnderWay& under_way, std::string& command) const;

  // For a search without end: counts all clocks and turns from the lowest, so that equal situations
  // are equal states.
  // False if what they are then is unknown.
  bool lower_clocks(std::uint64_t* row, Steps& steps);
  // The same where the order of sending is kept.
  void lower_clocks(std::vector<std::uint32_t>& locals, UnderWay& under_way);
  std::uint32_t lowered(std::uint32_t field, std::uint32_t part, std::uint64_t by);

  const MutexInfo& info_;
  bool has_modes_;
  CheckOptions options_;
  std::uint32_t n_;
  std::uint32_t fields_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;  // By link: from whom to whom.
  Reactions members_;
  LinkContents links_;
  std::vector<Shared> shared_;
  boost::unordered_flat_map<Shared::Key, std::uint32_t> shared_numbers_;
  std::vector<std::uint32_t> first_;  // The state to begin with, by field.
  RowLayout layout_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> lowered_;  // By amount, kind and part.
  std::optional<Reduction> reduction_;
  bool is_plain_;
  bool frozen_ = false;
};

// Every step of a search goes through it: here, so that it is inlined.
template <bool kPlain>
[[gnu::always_inline]] inline void MutexModel::finish(std::uint64_t* next, Steps& steps,
                                                      SearchStep step, std::uint32_t i,
                                                      std::uint32_t local, std::uint32_t input) {
  if (!kPlain && reduction_) reduction_->note(i, local, input);
  const Reactions::Reaction reaction = members_.react(i, local, input);
  if (reaction.local == Reactions::kUnknown) [[unlikely]]
    return steps.find_unknown();
  layout_.change(next, i, local, reaction.local);
  if (reaction.effect != Reactions::kNoEffect) {
    const Reactions::Effect& effect = members_.effect(reaction);
    for (const auto& sent : members_.sends(effect)) {
      const std::uint32_t at = link(i, sent.to);
      const std::uint32_t before = layout_.get(next, at);
      const std::uint32_t after = links_.with(before, sent.message);
      if (after == LinkContents::kUnknown) [[unlikely]]
        return steps.find_unknown();
      layout_.change(next, at, before, after);
    }
    if (effect.is_to_be_checked() && !is_right(next, steps, step, i, effect)) return;
  }
  if (!kPlain && options_.forever && !lower_clocks(next, steps)) return;
  steps.add_to_draft(step);
}

}  // namespace hapax
