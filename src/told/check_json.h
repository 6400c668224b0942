// What a check found, as `hapax check --json` prints it.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "check/options.h"
#include "core/mutex_choices.h"
#include "search/report.h"

namespace hapax {

// The way to what is violated: a trace that `replay` plays, or, of shared memory, one step a line.
// Empty if nothing is.
struct Counterexample {
  std::string text;
  std::size_t steps = 0;
};
Result<Counterexample> counterexample_of(std::string_view algorithm, const CheckOptions& options,
                                         const MutexChoices& choices, const CheckReport& report);

boost::json::object check_json(std::string_view algorithm, const CheckOptions& options,
                               const CheckReport& report, const std::string& trace, double seconds);

}  // namespace hapax
