// What the page asks for besides traces: a check, a simulated run, and what is measured in many. A
// request is a JSON object; what is left out is as on the command line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "compare/compare.h"
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

// {"n", "cs_ms", "voting_sets", "seed", "most_messages"}
// Answers as `hapax compare --json` does, if it may take as many messages.
Result<std::string> answer_compare(std::string_view request, const CompareObserver& observer);

// As answer_simulate(), of many more requests. Answers with figures: what such a run has measured.
Result<std::string> answer_measure(std::string_view request);

}  // namespace hapax
