#include "lab/sim.h"

#include <fmt/format.h>
#include <string_view>

#include "catalog/catalog.h"
#include "console/usage.h"
#include "election/catalog.h"
#include "lab/run.h"
#include "lab/spelling.h"

namespace hapax::cli {

int run_sim(const SimArguments& a, const Given& given) {
  const bool elects = with_election(a.algorithm, []<class A>() {});
  const Operations* algorithm = find_algorithm(a.algorithm);
  if (!elects && algorithm == nullptr) refuse_unknown_algorithm(a.algorithm);
  const MutexInfo info = elects ? MutexInfo{} : algorithm->info;
  const auto only_for = [&](std::string_view option, bool fits, std::string_view whom) {
    if (given.has(option) && !fits) {
      throw UsageError{fmt::format("{} is for {} only; leave it out", option, whom)};
    }
  };
  if (!a.swarm.empty()) {
    if (a.swarm != "swarm" || elects) {
      throw UsageError{
          "--faults takes `swarm`, and an algorithm of mutual exclusion; single faults are "
          "--fault"};
    }
    for (const std::string& name : given.options) {
      const bool fits = name == "ALGORITHM" || name == "--faults" || name == "--seed" ||
                        name == "--seeds" || name == "--fixed" || name == "--json";
      only_for(name, fits, "runs without a swarm, which draws it from the seed,");
    }
    return simulate_swarm(a);
  }
  only_for("--seeds", false, "--faults swarm");
  only_for("--fixed", false, "--faults swarm");
  only_for("--voting-sets", info.voting_sets != nullptr, "algorithms that vote");
  only_for("--say-denied", info.takes.say_denied, "central");
  only_for("--readers", info.readers_join, "readers-writers");
  only_for("--units", info.takes.units, "semaphore-ra");
  only_for("--starter", elects, "elections");
  only_for("--down", elects, "elections");
  for (const char* option :
       {"--load", "--cs", "--requests", "--requesters", "--holder", "--held", "--trace"}) {
    only_for(option, !elects, "mutual exclusion");
  }
  return elects ? simulate_election(a) : simulate_mutex(a);
}

}  // namespace hapax::cli
