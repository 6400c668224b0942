// What every search comes to, whatever its model: counts, a violation with the path to it, or a
// search that was cut short. What was proved is for the model's own page to say.
#pragma once

#include <string>
#include <vector>

#include "search/fair_cycles.h"
#include "search/report.h"
#include "search/search.h"

namespace hapax {

class Conclusion {
 public:
  // REQUIRES: the search has run. `finished`: what it returned.
  Conclusion(SearchModel& model, Search& search, bool finished);

  // Every state was seen and none is bad in itself. Left to judge: runs that never end.
  bool is_open() const { return is_open_; }

  void violated(std::string property, std::string finding, const std::vector<SearchStep>& way);
  // Somebody can go round for ever: the path there, and once round.
  void goes_round(std::string property, std::string finding, const FairCycles::Starvation& starved);

  CheckReport report;

 private:
  SearchModel& model_;
  Search& search_;
  bool is_open_ = false;
};

}  // namespace hapax
