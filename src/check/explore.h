// Search, then judge: from a model to a report.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "check/options.h"
#include "check/proved.h"
#include "core/instance.h"
#include "election/any_election.h"
#include "search/model.h"
#include "search/report.h"
#include "search/search.h"

namespace hapax {

// Explores all of the model. `what` happens in every order, for the sentence about what was proved.
CheckReport explore(SearchModel& model, const CheckOptions& options, std::string_view what,
                    bool fairness_decides, const SearchObserver& observer,
                    const Promise& promise = {});

// Every order of requests, exits, deliveries and the faults allowed. REQUIRES: options are in
// range.
CheckReport check_mutex(const Operations& algorithm, const CheckOptions& options,
                        const MutexChoices& choices = {}, const SearchObserver& observer = {});

// Every order of campaigns and deliveries and, as far as options.crashes allows, crashes and
// suspicions. REQUIRES: options are in range; there are options.n members.
CheckReport check_election(std::vector<AnyElection> members, const CheckOptions& options,
                           const SearchObserver& observer = {});

}  // namespace hapax
