#include "check/explore.h"

#include <bit>
#include <fmt/format.h>

#include "check/mutex_model.h"
#include "search/conclusion.h"
#include "search/fair_cycles.h"
#include "search/searches.h"

namespace hapax {

CheckReport explore(SearchModel& model, const CheckOptions& options, std::string_view what,
                    bool fairness_decides, const SearchObserver& observer, const Promise& promise) {
  Searches searches{model, options.most_bytes, options.threads};
  const bool finished = searches.run(observer);
  Search& search = searches.last();
  Conclusion conclusion{model, search, finished};
  CheckReport& report = conclusion.report;
  report.searches = searches.count();
  report.reduced = model.leaves_out();
  if (!conclusion.is_open()) return report;
  const bool may_end = !options.forever && options.promises_progress();
  const bool every_run_ends = search.is_layered() || (may_end && searches.every_run_ends());
  const bool may_cycle = !every_run_ends && options.promises_progress();
  if (may_cycle && fairness_decides) {
    if (const auto starved = FairCycles{model, search.states()}.find(options.n)) {
      conclusion.goes_round(
          "starvation",
          fmt::format("P{} can wait for ever although everybody goes on", starved->process + 1),
          *starved);
      return report;
    }
  }
  const std::uint64_t everybody = (std::uint64_t{1} << options.n) - 1;
  if (options.promises_progress() && search.entered() != everybody) {
    report.verdict = Verdict::violated;
    report.property = "reachability";
    report.finding = fmt::format("P{} can never enter", std::countr_one(search.entered()) + 1);
    return report;
  }
  report.proved = what_is_proved(options, what,
                                 !options.promises_progress() ? Progress::not_promised
                                 : every_run_ends             ? Progress::by_ending
                                 : fairness_decides           ? Progress::by_fairness
                                                              : Progress::undecided,
                                 promise);
  if (report.reduced) {
    report.proved +=
        " Deliveries that commute with all that may happen before them were taken first; what is "
        "proved does not depend on it.";
  }
  return report;
}

CheckReport check_mutex(const Operations& algorithm, const CheckOptions& options,
                        const MutexChoices& choices, const SearchObserver& observer) {
  const bool fifo = options.channels == Channels::fifo;
  MutexModel model{algorithm, options, choices};
  // Fairness is by link; without order that would let one message be passed over for ever.
  return explore(
      model, options,
      fmt::format("requests, exits and deliveries over {} channels", fifo ? "FIFO" : "unordered"),
      fifo, observer, promise_of(model.capacity()));
}

}  // namespace hapax
