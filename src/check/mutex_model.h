// All that members of a mutual-exclusion algorithm and the links between them can do, as a model
// for the search. A state is a row of numbers: one for each member, one for each link, and one for
// what belongs to nobody (the last fence, how many faults are left, who has crashed).
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "check/channels.h"
#include "check/options.h"
#include "check/reactions.h"
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
  struct Shared {
    std::uint64_t last_turn;  // The highest of all entries …
    std::uint64_t last_lone;  // … and of those that exclude all others.
    std::uint8_t duplicates, losses, crashes;
    std::uint8_t crashed;  // A bit for each process.

    bool has_crashed(std::uint32_t i) const { return (crashed >> i & 1) != 0; }
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
    Key key() const {
      return {last_turn, last_lone,
              std::uint32_t{duplicates} << 24 | std::uint32_t{losses} << 16 |
                  std::uint32_t{crashes} << 8 | crashed};
    }
  };
  // By link: messages in the order of sending.
  using UnderWay = std::vector<std::vector<std::uint32_t>>;

  // Fields of a row: members, links, and what they share.
  std::uint32_t link(std::uint32_t from, std::uint32_t to) const {
    HAPAX_CHECK(from != to);
    return n_ + from * (n_ - 1) + (to > from ? to - 1 : to);
  }
  std::uint32_t shared() const { return fields_ - 1; }
  const Shared& shared_in(const std::uint64_t* row) const {
    return shared_[layout_.get(row, shared())];
  }
  std::uint32_t number_of(const Shared& common);
  // False if the row is too narrow for it, and the steps are told so.
  [[nodiscard]] bool put(std::uint64_t* row, Steps& steps, std::uint32_t field,
                         std::uint32_t value) const;
  void lay_out();
  RowLayout layout_of(const std::array<std::uint32_t, 3>& widths) const;

  // --- mutex_model_reduce.cc ---
  bool expand_first(const std::uint64_t* row, Steps& steps);
  std::uint32_t after(std::uint32_t i, std::uint32_t local, std::uint32_t input) override;
  Order order(std::uint32_t i, std::uint32_t local, std::uint32_t first,
              std::uint32_t other) override;

  void expand_link(const std::uint64_t* row, Steps& steps, const Shared& common, std::uint32_t from,
                   std::uint32_t to);
  void expand_crashes(const std::uint64_t* row, Steps& steps, const Shared& common);
  void change_link(const std::uint64_t* row, Steps& steps, const SearchStep& step,
                   std::uint32_t content, const Shared& common);
  void react(const std::uint64_t* row, Steps& steps, const SearchStep& step, std::uint32_t i,
             std::uint32_t input);
  void finish(std::uint64_t* row, Steps& steps, const SearchStep& step, std::uint32_t i,
              std::uint32_t input);
  bool check_entry(std::uint64_t* row, Steps& steps, const SearchStep& step, std::uint32_t i,
                   Turn turn);

  std::uint32_t take(const SearchStep& step, UnderWay& under_way, std::string& command) const;

  // For a search without end: counts all clocks and turns from the lowest, so that equal situations
  // are equal states.
  [[nodiscard]] bool lower_clocks(std::uint64_t* row, Steps& steps);
  // The same where the order of sending is kept.
  void lower_clocks(std::vector<std::uint32_t>& locals, UnderWay& under_way);
  std::uint32_t lowered(std::uint32_t field, std::uint32_t part, std::uint64_t by);

  const MutexInfo& info_;
  bool has_modes_;
  CheckOptions options_;
  std::uint32_t n_;
  std::uint32_t fields_;
  Reactions members_;
  LinkContents links_;
  std::vector<Shared> shared_;
  boost::unordered_flat_map<Shared::Key, std::uint32_t> shared_numbers_;
  std::vector<std::uint32_t> first_;  // The state to begin with, by field.
  RowLayout layout_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> lowered_;  // By amount, kind and part.
  std::optional<Reduction> reduction_;
  bool frozen_ = false;
};

// Every step of a search goes through it: here, so that it is inlined.
inline bool MutexModel::put(std::uint64_t* row, Steps& steps, std::uint32_t field,
                            std::uint32_t value) const {
  if (!layout_.fits(field, value)) [[unlikely]] {
    steps.find_too_narrow();
    return false;
  }
  layout_.set(row, field, value);
  return true;
}

}  // namespace hapax
