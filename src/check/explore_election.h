// Search, then judge: from an election to a report. What is claimed of it: see proved.h.
#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/election_model.h"
#include "check/fair_cycles.h"
#include "check/options.h"
#include "check/proved.h"
#include "check/report.h"
#include "check/round.h"
#include "check/search.h"

namespace hapax {

template <ElectionAlgorithm A>
class ElectionCheck {
 public:
  ElectionCheck(const CheckOptions& options, const typename OptionsOf<A>::Type& choice)
      : options_(options), model_(options, choice), search_(model_, options.most_bytes) {}

  CheckReport run(const SearchObserver& observer) {
    const bool finished = search_.run(observer);
    report_.states = search_.states().size();
    report_.transitions = search_.transitions();
    report_.depth = search_.depth();
    report_.bytes = search_.bytes();
    if (search_.finding()) {
      violated(search_.finding()->property, search_.finding()->text, search_.finding()->way);
      end_with_a_look();
    } else if (!finished) {
      report_.verdict = Verdict::unfinished;
      report_.proved = fmt::format("No violation within {} steps, and not all states were seen.",
                                   search_.depth());
    } else if (const std::optional<Progress> progress = judge_endless_runs()) {
      if (model_.rests()) {
        report_.proved =
            what_is_proved_of_election(options_, *progress, model_.terms_have_one_leader());
      } else {
        violated("progress", "nobody is ever elected", {});
      }
    }
    return std::move(report_);
  }

 private:
  using Model = ElectionModel<A>;
  using Cycles = FairCycles<Model>;

  // How it is known that the members come to rest; nothing if they need not.
  std::optional<Progress> judge_endless_runs() {
    if (search_.is_layered()) return Progress::by_ending;
    model_.let_every_cycle_count(true);
    if (!Cycles{model_, search_.states()}.find(options_.n + 1)) return Progress::by_ending;
    // Fairness is by link; without order that would let one message be passed over for ever.
    if (options_.channels != Channels::fifo) return Progress::undecided;
    model_.let_every_cycle_count(false);
    const auto endless = Cycles{model_, search_.states()}.find(options_.n + 1);
    if (!endless) return Progress::by_fairness;
    const auto round =
        FairRound<Model>{model_, search_.states(), endless->process}.from(endless->state);
    std::vector<ElectionStep> way = search_.way_to(endless->state);
    way.insert(way.end(), round.begin(), round.end());
    const std::string who = endless->process < options_.n
                                ? fmt::format("P{} can wait for a leader", endless->process + 1)
                                : std::string{"messages can go round"};
    violated("progress", fmt::format("{} for ever although everybody goes on", who), way);
    report_.round = round.size();
    return std::nullopt;
  }

  void violated(std::string property, std::string finding, const std::vector<ElectionStep>& way) {
    report_.verdict = Verdict::violated;
    report_.property = std::move(property);
    report_.finding = std::move(finding);
    report_.commands = model_.tell(way);
    report_.depth = static_cast<std::uint32_t>(way.size());
  }

  // So that the trace shows whom everybody follows. At rest only what was sent to the fallen is
  // left.
  void end_with_a_look() {
    if (report_.commands.empty()) return;
    report_.commands.back() += report_.property == "agreement" ? "\nstabilize\nshow" : "\nshow";
  }

  CheckOptions options_;
  Model model_;
  Search<Model> search_;
  CheckReport report_;
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
