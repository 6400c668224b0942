// A check by name: the one place where all algorithms meet the search.
#pragma once

#include <string_view>

#include "base/result.h"
#include "check/options.h"
#include "core/mutex_choices.h"
#include "search/report.h"
#include "search/search.h"

namespace hapax {

// Explores every order of requests (or campaigns), exits, deliveries and the faults allowed. An
// error if the name is unknown or the options do not fit together.
Result<CheckReport> check(std::string_view algorithm, const CheckOptions& options,
                          const MutexChoices& choices = {}, const SearchObserver& observer = {});

}  // namespace hapax
