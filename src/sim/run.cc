#include "sim/run.h"

#include <optional>
#include <utility>

#include "base/prng.h"
#include "catalog/algorithms.h"

namespace hapax {

Result<SimReport> simulate(std::string_view algorithm, const SimOptions& options,
                           const MutexChoices& choices, const SimObserver& observer) {
  Prng prng{~options.seed};
  Result<FaultPlan> faults = FaultPlan::draw(options.faults, options.n, prng);
  if (!faults) return faults.error();
  std::optional<SimReport> report;
  with_mutex(algorithm, [&]<class A>() {
    Simulation<A> simulation{options, std::move(*faults), options_from<A>(choices)};
    report = simulation.run(observer);
  });
  if (!report) return error("there is no algorithm '{}'; `hapax algorithms` lists them", algorithm);
  return *report;
}

}  // namespace hapax
