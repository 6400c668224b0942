// What a check comes to whose way there is told in sentences: as text, as JSON, as an exit status.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <string>
#include <vector>

#include "search/report.h"
#include "search/search.h"

namespace hapax::cli {

// Each word of the lists that --faults was given.
void for_each_fault(const std::vector<std::string>& lists,
                    const std::function<void(const std::string&)>& allow);

struct ToldCheck {
  CheckReport report;
  double seconds = 0;
};
// With progress on a terminal, unless it is quiet.
ToldCheck check_with_progress(bool is_quiet,
                              const std::function<CheckReport(const SearchObserver&)>& check);

// The verdict, and the way there if there is one.
void print_verdict(const CheckReport& report);
// `about`: what was checked, which comes first.
void print_as_json(boost::json::object about, const ToldCheck& check);
int status_of(Verdict verdict);

}  // namespace hapax::cli
