// A counterexample as a trace: the commands that lead to the violation, played so that every step
// says why.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "check/options.h"
#include "core/mutex_choices.h"
#include "search/report.h"
#include "world/script.h"

namespace hapax {

// REQUIRES: the report is of that check, and violated, by an algorithm that sends messages. For a
// dead end, only the steps that make one process wait for ever.
Result<Script> trace_of(std::string_view algorithm, const CheckOptions& options,
                        const MutexChoices& choices, const CheckReport& report);

}  // namespace hapax
