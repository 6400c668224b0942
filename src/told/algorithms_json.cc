#include "told/algorithms_json.h"

#include <utility>

#include "catalog/catalog.h"
#include "election/catalog.h"
#include "memory/catalog.h"

namespace hapax {

boost::json::object algorithms_json() {
  boost::json::array rows;
  for (const Operations* algorithm : algorithms()) {
    const MutexInfo& info = algorithm->info;
    rows.push_back({{"name", info.name},
                    {"family", algorithm->shared ? "several at once" : "mutual exclusion"},
                    {"kind", info.kind},
                    {"fifo_needed", info.needs == Channels::fifo},
                    {"can_deadlock", info.can_deadlock},
                    {"voting_sets", info.takes.voting_sets},
                    {"units", info.takes.units},
                    {"summary", info.summary}});
  }
  for_each_election([&]<class A>() {
    rows.push_back({{"name", A::kInfo.name},
                    {"family", "election"},
                    {"kind", A::kInfo.topology},
                    {"fifo_needed", A::kInfo.needs == Channels::fifo},
                    {"messages_best", A::kInfo.best},
                    {"messages_worst", A::kInfo.worst},
                    {"summary", A::kInfo.summary}});
  });
  for (const MemoryInfo& info : kMemoryCatalog) {
    rows.push_back({{"name", info.name}, {"family", "shared memory"}, {"summary", info.summary}});
  }
  return {{"algorithms", std::move(rows)}};
}

}  // namespace hapax
