// What the page asks for besides traces: a check, and a simulated run. A request is a JSON object;
// what is left out is as on the command line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "search/search.h"

namespace hapax {

// {"algorithm", "n", "entries", "forever", "unordered", "duplicates", "losses", "crashes",
//  "expect_progress", "units", "per_member", "voting_sets", "memory_mib"}
// Answers as `hapax check --json` does. `now`: in seconds, from any beginning.
Result<std::string> answer_check(std::string_view request, const SearchObserver& observer,
                                 double (*now)());

// {"algorithm", "n", "requests", "load", "latency", "cs", "unordered", "units", "voting_sets",
//  "seed"}
// Answers with the trace that `hapax sim … --trace` writes.
Result<std::string> answer_simulate(std::string_view request);

}  // namespace hapax
