// All that members of an election and the links between them can do, as a model for the search. It
// keeps the promises that the contract asks of a driver, and nothing more: a member that crashes is
// suspected by each other at any later time, or never if that one crashes, too; what it sent may
// arrive until then and not afterwards; no live member is suspected. A member that has no election
// open may campaign whenever it knows no leader, and options.entries - 1 times although it has one.
//
// A state is a row of numbers: one for each member, one for each link. A member that has crashed
// has a number of its own, whatever it was doing; the crashes left are counted from these. The
// algorithm objects are the real ones; what a member in a given state does on a given input is
// computed once and looked up from then on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "check/channels.h"
#include "check/options.h"
#include "core/instance.h"
#include "election/any_election.h"
#include "search/model.h"
#include "search/parts.h"

namespace hapax {

enum class ElectionStep : std::uint8_t {
  campaign,
  deliver,  // from: the sender; to: who is told; what: the message's number.
  crash,
  suspect  // from: who is suspected; to: who is told.
};

class ElectionModel final : public SearchModel {
 public:
  // `members`: as the view starts, in its order.
  ElectionModel(std::vector<AnyElection> members, const CheckOptions& options);

  // Two numbers to a word.
  std::uint32_t width() const override { return (parts() + 1) / 2; }
  void initial(std::uint64_t* row) override { pack(first_, row); }
  void expand(const std::uint64_t* row, Steps& steps) override;
  // For the search of cycles. Bit i: member i has no leader yet, or an election still open. Bit n:
  // something must still happen. None at rest: whether all is well there has been judged by the
  // step that led there.
  std::uint64_t waits(const std::uint64_t* row) const override;
  std::string dead_end(const std::uint64_t*) const override { return "nothing can happen"; }
  // Deliveries and suspicions happen eventually; nobody has to campaign, or to crash. No cycle has
  // a suspicion on it, since none is taken back, so all of them can count as one.
  std::optional<std::uint32_t> fair_class(const SearchStep& step) const override;
  // As commands of a trace, those of a step with line ends between them: what is lost with a link
  // is dropped before its end is told.
  std::vector<std::string> tell(const std::vector<SearchStep>& way) override;

  // Whether a state at rest was ever seen, other than the first: otherwise nothing was judged.
  bool rests() const { return rests_; }
  // Whether no two live ones were ever seen to follow different ones, crashed or not, in one term.
  bool terms_have_one_leader() const { return terms_have_one_leader_; }
  // If so, fair or not: then the lack of cycles means that every run ends.
  void let_every_cycle_count(bool so) { every_cycle_counts_ = so; }

 private:
  using Row = std::vector<std::uint32_t>;

  struct Local {
    AnyElection algorithm;
    std::uint8_t again;  // How often it may still campaign although it has a leader.
    std::uint8_t told;   // A bit for each peer whose crash it was told of.
  };
  struct Reaction {
    std::uint32_t local;
    Reject rejected;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sends;  // to, message
  };

  std::uint32_t parts() const { return n_ + n_ * (n_ - 1); }
  std::uint32_t link(std::uint32_t from, std::uint32_t to) const {
    return n_ + from * (n_ - 1) + (to > from ? to - 1 : to);
  }
  static void pack(const Row& from, std::uint64_t* to);
  std::uint32_t number_of(std::uint32_t i, const Local& local);
  std::uint32_t number_of_message(std::span<const std::uint8_t> message);
  const AnyElection& member(const Row& row, std::uint32_t i) const {
    return locals_[i][row[i]].algorithm;
  }
  bool lives(const Row& row, std::uint32_t i) const;
  bool was_told(const Row& row, std::uint32_t i, std::uint32_t of) const;
  bool is_at_rest(const Row& row) const;
  std::uint32_t highest(const Row& row) const;

  std::uint32_t input_of(const SearchStep& step) const;
  const Reaction& react(std::uint32_t i, std::uint32_t local, std::uint32_t input);
  void apply(Local& local, std::uint32_t input);

  void take(Steps& steps, const SearchStep& step, Row next, std::uint32_t i);
  void finish(Steps& steps, const SearchStep& step, const Row& next);
  void expand_crashes(Steps& steps);

  bool follows_rightly(Steps& steps, const SearchStep& step, const Row& next, std::uint32_t i);
  void note_terms(const Row& next, std::uint32_t i, std::uint32_t leader, Term term);
  std::string disagreement(const Row& row) const;
  std::string tell(const SearchStep& step, std::vector<Row>& under_way) const;

  CheckOptions options_;
  std::uint32_t n_;
  LinkContents links_;
  Parts<std::monostate> messages_;  // By their bytes.
  std::vector<Parts<Local>> locals_;
  // By member, its state and the input: one more than the place in known_; 0 if it was never seen.
  std::vector<std::vector<Row>> known_by_input_;
  std::vector<Reaction> known_;
  Row first_;  // The initial state.
  Row row_;    // The state that is expanded.
  std::vector<std::uint64_t> packed_;
  InstanceEffects fx_;
  std::vector<std::uint8_t> key_;
  bool rests_ = false;
  bool terms_have_one_leader_ = true;
  bool every_cycle_counts_ = false;
};

}  // namespace hapax
