// A fixed list that changes its views, with an algorithm inside, as a model for the search. A state
// is a row of numbers: one for each process, one for each link, one for what all share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/record.h"
#include "core/fence.h"
#include "core/instance.h"
#include "listcheck/list_links.h"
#include "listcheck/list_members.h"
#include "listcheck/list_options.h"
#include "search/model.h"
#include "search/parts.h"
#include "view/roll.h"

namespace hapax {

struct ListCommons {
  Fence last{};                                 // The highest given out.
  std::vector<std::pair<Epoch, Roll>> begun{};  // What each epoch meant.
  std::uint8_t restarts = 0;                    // Left.
  std::uint8_t flaps = 0;
  HAPAX_RECORD(ListCommons, last, begun, restarts, flaps)
};

class ListModel final : public SearchModel {
 public:
  ListModel(const Operations& algorithm, const ListCheckOptions& options);

  std::uint32_t width() const override { return (parts() + 1) / 2; }
  void initial(std::uint64_t* row) override;
  void expand(const std::uint64_t* row, Steps& steps) override;
  std::uint64_t waits(const std::uint64_t* row) const override;
  std::string dead_end(const std::uint64_t* row) const override;
  std::optional<std::uint32_t> fair_class(const SearchStep& step) const override;
  std::vector<std::string> tell(const std::vector<SearchStep>& way) override;

 private:
  // A step of a process, `from`; or from one `to` the other.
  enum class Kind : std::uint8_t {
    // What happens eventually if it stays possible.
    deliver,
    meet,
    part,
    exit,
    write,
    notice,
    restart,
    // What may happen or not.
    ask,
    crash,
    restart_without_file,
    flap
  };
  static constexpr std::uint32_t kMostParts = kMostInViews * kMostInViews + 1;
  // By part; the last half of a word may be unused.
  using Row = std::array<std::uint32_t, kMostParts + 1>;
  struct Step {
    SearchStep label;
    std::uint32_t i = 0;  // To whom it happens …
    ListInput input{};    // … and what.
  };

  // Parts of a row: processes, links, and what they share.
  std::uint32_t parts() const { return n_ * n_ + 1; }
  std::uint32_t link(std::uint32_t from, std::uint32_t to) const {
    return n_ + from * (n_ - 1) + (to > from ? to - 1 : to);
  }
  std::uint32_t commons() const { return n_ * n_; }
  const ListMembers::Face& face(std::uint32_t i) const { return members_.face(now_[i]); }
  void read(const std::uint64_t* row);
  bool lacks(ListRule rule) const { return options_.leaves_out(rule); }

  // What can happen in the state that was read.
  bool takes_part(std::uint32_t i) const;
  bool can_part(std::uint32_t i, std::uint32_t j) const;
  bool can_deliver(std::uint32_t from, std::uint32_t i) const;
  std::optional<Step> step_if_possible(Kind kind, std::uint32_t i, std::uint32_t j = 0) const;
  void take(const Step& step, Steps& steps);
  void take_if_possible(Steps& steps, Kind kind, std::uint32_t i, std::uint32_t j = 0);
  void lose(Row& next, const Step& step);
  bool check(Row& next, const Step& step, const ListMembers::Outcome& outcome, Steps& steps);
  static bool note_begin(ListCommons& common, const Roll& roll);
  std::uint32_t number_of(const ListCommons& common);

  // --- list_model_tell.cc ---
  std::string tell(const SearchStep& step) const;
  std::string tell_frame(std::uint32_t link) const;

  ListCheckOptions options_;
  std::uint32_t n_;
  ListMembers members_;
  ListLinks links_;
  Parts<ListCommons> commons_;
  Row now_{};  // What was read.
  Bytes key_;
};

}  // namespace hapax
