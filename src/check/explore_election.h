// Search, then judge: from an election to a report. What is claimed of it: see proved.h.
#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>

#include "check/election_model.h"
#include "check/options.h"
#include "check/proved.h"
#include "search/conclusion.h"
#include "search/fair_cycles.h"
#include "search/report.h"
#include "search/search.h"

namespace hapax {

template <ElectionAlgorithm A>
class ElectionCheck {
 public:
  ElectionCheck(const CheckOptions& options, const typename OptionsOf<A>::Type& choice)
      : options_(options), model_(options, choice), search_(model_, options.most_bytes) {}

  CheckReport run(const SearchObserver& observer) {
    const bool finished = search_.run(observer);
    Conclusion<Model> conclusion{model_, search_, finished};
    CheckReport& report = conclusion.report;
    if (!conclusion.is_open()) {
      end_with_a_look(report);
    } else if (const std::optional<Progress> progress = judge_endless_runs(conclusion)) {
      if (model_.rests()) {
        report.proved =
            what_is_proved_of_election(options_, *progress, model_.terms_have_one_leader());
      } else {
        conclusion.violated("progress", "nobody is ever elected", {});
      }
    }
    return report;
  }

 private:
  using Model = ElectionModel<A>;
  using Cycles = FairCycles<Model>;

  // How it is known that the members come to rest; nothing if they need not.
  std::optional<Progress> judge_endless_runs(Conclusion<Model>& conclusion) {
    if (search_.is_layered()) return Progress::by_ending;
    model_.let_every_cycle_count(true);
    if (!Cycles{model_, search_.states()}.find(options_.n + 1)) return Progress::by_ending;
    // Fairness is by link; without order that would let one message be passed over for ever.
    if (options_.channels != Channels::fifo) return Progress::undecided;
    model_.let_every_cycle_count(false);
    const auto endless = Cycles{model_, search_.states()}.find(options_.n + 1);
    if (!endless) return Progress::by_fairness;
    const std::string who = endless->process < options_.n
                                ? fmt::format("P{} can wait for a leader", endless->process + 1)
                                : std::string{"messages can go round"};
    conclusion.goes_round("progress", fmt::format("{} for ever although everybody goes on", who),
                          *endless);
    return std::nullopt;
  }

  // So that the trace shows whom everybody follows. At rest only what was sent to the fallen is
  // left.
  static void end_with_a_look(CheckReport& report) {
    if (report.commands.empty()) return;
    report.commands.back() += report.property == "agreement" ? "\nstabilize\nshow" : "\nshow";
  }

  CheckOptions options_;
  Model model_;
  Search<Model> search_;
};

// Every order of campaigns and deliveries and, as far as options.crashes allows, crashes and
// suspicions. REQUIRES: options are in range.
template <ElectionAlgorithm A>
CheckReport check_election(const CheckOptions& options,
                           const typename OptionsOf<A>::Type& choice = {},
                           const SearchObserver& observer = {}) {
  return ElectionCheck<A>{options, choice}.run(observer);
}

}  // namespace hapax
