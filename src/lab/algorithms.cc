#include <fmt/format.h>
#include <memory>

#include "catalog/catalog.h"
#include "console/json.h"
#include "console/table.h"
#include "console/usage.h"
#include "election/catalog.h"
#include "lab/run.h"
#include "memory/catalog.h"
#include "told/algorithms_json.h"

namespace hapax::cli {
namespace {

void print_tables() {
  Table mutex;
  mutex.column("mutual exclusion", Table::Align::left);
  mutex.column("kind", Table::Align::left);
  mutex.column("channels", Table::Align::left);
  mutex.column("", Table::Align::left);
  Table shared;
  shared.column("several at once", Table::Align::left);
  shared.column("kind", Table::Align::left);
  shared.column("channels", Table::Align::left);
  shared.column("", Table::Align::left);
  for (const Operations* algorithm : algorithms()) {
    const MutexInfo& info = algorithm->info;
    (algorithm->shared ? shared : mutex)
        .row({std::string{info.name}, std::string{info.kind},
              info.needs == Channels::fifo ? "FIFO" : "any order",
              std::string{info.summary} + (info.can_deadlock ? " — CAN DEADLOCK" : "")});
  }
  Table election;
  election.column("election", Table::Align::left);
  election.column("topology", Table::Align::left);
  election.column("messages", Table::Align::left);
  election.column("", Table::Align::left);
  for_each_election([&]<class A>() {
    election.row({std::string{A::kInfo.name}, std::string{A::kInfo.topology},
                  A::kInfo.best == A::kInfo.worst
                      ? std::string{A::kInfo.best}
                      : fmt::format("{} … {}", A::kInfo.best, A::kInfo.worst),
                  std::string{A::kInfo.summary}});
  });
  Table memory;
  memory.column("shared memory", Table::Align::left);
  memory.column("", Table::Align::left);
  for (const MemoryInfo& info : kMemoryCatalog) {
    memory.row({std::string{info.name}, std::string{info.summary}});
  }
  fmt::print("{}\n{}\n{}\n{}\n", mutex.text(), shared.text(), election.text(), memory.text());
  fmt::print(
      "`hapax sim NAME -n N` runs one of the first three kinds; the last is a C++ library "
      "(src/memory) for threads.\n");
}

}  // namespace

int run_algorithms(const AlgorithmsArguments& a) {
  a.json ? print_json(algorithms_json()) : print_tables();
  return kHolds;
}

}  // namespace hapax::cli
