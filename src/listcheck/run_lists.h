// The check of the view changes of a fixed list, by the name of the algorithm inside.
#pragma once

#include <string_view>

#include "base/result.h"
#include "listcheck/list_options.h"
#include "search/report.h"
#include "search/search.h"

namespace hapax {

// An error if the algorithm is not known, lets several in, or the options are out of range.
Result<CheckReport> check_lists_of(std::string_view algorithm, const ListCheckOptions& options,
                                   const SearchObserver& observer = {});

}  // namespace hapax
