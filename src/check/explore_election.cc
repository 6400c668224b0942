#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "check/election_model.h"
#include "check/explore.h"
#include "search/conclusion.h"
#include "search/fair_cycles.h"

namespace hapax {
namespace {

// How it is known that the members come to rest; nothing if they need not.
std::optional<Progress> judge_endless_runs(const CheckOptions& options, ElectionModel& model,
                                           const Search& search, Conclusion& conclusion) {
  if (search.is_layered()) return Progress::by_ending;
  model.let_every_cycle_count(true);
  if (!FairCycles{model, search.states()}.find(options.n + 1)) return Progress::by_ending;
  // Fairness is by link; without order that would let one message be passed over for ever.
  if (options.channels != Channels::fifo) return Progress::undecided;
  model.let_every_cycle_count(false);
  const auto endless = FairCycles{model, search.states()}.find(options.n + 1);
  if (!endless) return Progress::by_fairness;
  const std::string who = endless->process < options.n
                              ? fmt::format("P{} can wait for a leader", endless->process + 1)
                              : std::string{"messages can go round"};
  conclusion.goes_round("progress", fmt::format("{} for ever although everybody goes on", who),
                        *endless);
  return std::nullopt;
}

// So that the trace shows whom everybody follows. At rest only what was sent to crashed members is
// left.
void end_with_a_look(CheckReport& report) {
  if (report.commands.empty()) return;
  report.commands.back() += report.property == "agreement" ? "\nstabilize\nshow" : "\nshow";
}

}  // namespace

CheckReport check_election(std::vector<AnyElection> members, const CheckOptions& options,
                           const SearchObserver& observer) {
  ElectionModel model{std::move(members), options};
  Search search{model, options.most_bytes};
  const bool finished = search.run(observer);
  Conclusion conclusion{model, search, finished};
  CheckReport& report = conclusion.report;
  if (!conclusion.is_open()) {
    end_with_a_look(report);
  } else if (const auto progress = judge_endless_runs(options, model, search, conclusion)) {
    if (model.rests()) {
      report.proved = what_is_proved_of_election(options, *progress, model.terms_have_one_leader());
    } else {
      conclusion.violated("progress", "nobody is ever elected", {});
    }
  }
  return report;
}

}  // namespace hapax
