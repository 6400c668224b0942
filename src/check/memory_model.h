// A shared-memory algorithm for the search: each step is one shared read or write of one process. A
// state is one number, since there are no links to tell apart.
#pragma once

#include <memory>
#include <string_view>

#include "check/options.h"
#include "search/model.h"

namespace hapax {

// Null if memory/models.h has none of that name.
std::unique_ptr<SearchModel> make_memory_model(std::string_view algorithm,
                                               const CheckOptions& options);

}  // namespace hapax
