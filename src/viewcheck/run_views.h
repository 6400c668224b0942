// The check of the view change, by the name of the algorithm inside.
#pragma once

#include <string_view>

#include "base/result.h"
#include "search/report.h"
#include "search/search.h"
#include "viewcheck/view_options.h"

namespace hapax {

// An error if the algorithm is not known or the options are out of range.
Result<CheckReport> check_views_of(std::string_view algorithm, const ViewCheckOptions& options,
                                   const SearchObserver& observer = {});

}  // namespace hapax
