// A search, or as many as it takes: where a model leaves out steps that make no difference, it
// learns during a search which do.
#pragma once

#include <cstdint>
#include <optional>

#include "search/model.h"
#include "search/search.h"

namespace hapax {

class Searches {
 public:
  Searches(SearchModel& model, std::uint64_t most_bytes, unsigned threads = 1)
      : model_(model), most_bytes_(most_bytes), threads_(threads) {}

  // As Search::run().
  bool run(const SearchObserver& observer);

  // REQUIRES: run.
  Search& last() { return *search_; }
  std::uint32_t count() const { return count_; }
  // No run of the model goes on for ever. REQUIRES: run, and finished. Takes as long as two
  // searches.
  bool every_run_ends();

 private:
  bool is_enough();

  SearchModel& model_;
  std::uint64_t most_bytes_;
  unsigned threads_;
  std::optional<Search> search_;
  std::optional<bool> every_run_ends_;  // Once it is known of the last search.
  std::uint32_t count_ = 0;
};

}  // namespace hapax
