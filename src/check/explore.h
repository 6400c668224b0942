// Search, then judge: from a model to a report.
#pragma once

#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "check/mutex_model.h"
#include "check/options.h"
#include "check/proved.h"
#include "search/conclusion.h"
#include "search/fair_cycles.h"
#include "search/report.h"
#include "search/search.h"

namespace hapax {

// Explores all of the model. `what` happens in every order, for the sentence about what was proved.
template <class Model>
CheckReport explore(Model& model, const CheckOptions& options, std::string_view what,
                    bool fairness_decides, const SearchObserver& observer,
                    const Promise& promise = {}) {
  Search<Model> search{model, options.most_bytes, options.threads};
  const bool finished = search.run(observer);
  Conclusion<Model> conclusion{model, search, finished};
  CheckReport& report = conclusion.report;
  if (!conclusion.is_open()) return report;
  const bool may_cycle = !search.is_layered() && options.promises_progress();
  if (may_cycle && fairness_decides) {
    if (const auto starved = FairCycles<Model>{model, search.states()}.find(options.n)) {
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
                                 : search.is_layered()        ? Progress::by_ending
                                 : fairness_decides           ? Progress::by_fairness
                                                              : Progress::undecided,
                                 promise);
  return report;
}

template <MutexAlgorithm A>
Promise promise_of(const typename OptionsOf<A>::Type& choice) {
  if constexpr (SharedAlgorithm<A>) {
    const std::uint32_t capacity = make<A>(View{}, choice).capacity();
    if (capacity == kAnyNumber) {
      return {
          "nobody is inside with a writer",
          "a writer's fence is above all before it and a reader's above all writers' before it"};
    }
    if (capacity > 1) return {fmt::format("at most {} are inside", capacity), ""};
  }
  return {};
}

// Every order of requests, exits, deliveries and the faults allowed. REQUIRES: options are in
// range.
template <MutexAlgorithm A>
CheckReport check_mutex(const CheckOptions& options, const typename OptionsOf<A>::Type& choice = {},
                        const SearchObserver& observer = {}) {
  const bool fifo = options.channels == Channels::fifo;
  MutexModel<A> model{options, choice};
  // Fairness is by link; without order that would let one message be passed over for ever.
  return explore(
      model, options,
      fmt::format("requests, exits and deliveries over {} channels", fifo ? "FIFO" : "unordered"),
      fifo, observer, promise_of<A>(choice));
}

}  // namespace hapax
