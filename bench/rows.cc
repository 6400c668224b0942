// Runs all rows, their repetitions in random order, so that a noisy neighbour hits all alike; then
// the medians, with the least and the most, and which goals are met. Options of Google Benchmark
// are taken: --benchmark_filter=REGEX, --benchmark_repetitions=N.
#include "rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace hapax::bench {
namespace {

struct Compared {
  std::string row;
  Goal goal;
};
std::vector<std::string> all_rows;
std::vector<Compared> all_compared;

std::string short_form(double rate) {
  return rate >= 1e6 ? fmt::format("{:.1f} M", rate / 1e6) : fmt::format("{:.1f} k", rate / 1e3);
}

class Table final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      failed_ = failed_ || run.error_occurred;
      if (run.error_occurred)
        fmt::print(stderr, "{}: {}\n", run.benchmark_name(), run.error_message);
      const auto rate = run.counters.find("items_per_second");
      if (run.run_type != Run::RT_Iteration || rate == run.counters.end()) continue;
      rates_[run.run_name.function_name].push_back(rate->second);
    }
  }

  void Finalize() override {
    for (auto& [name, rates] : rates_) std::sort(rates.begin(), rates.end());
    fmt::print("{:<48} {:>10}  {:<21} {:>9}\n", "of CPU time", "a second", "(least … most)",
               "ns each");
    for (const std::string& name : all_rows) {
      if (!rates_.contains(name)) continue;
      const std::vector<double>& rates = rates_[name];
      fmt::print("{:<48} {:>10}  {:<21} {:>9.1f}\n", name, short_form(median(name)),
                 fmt::format("({} … {})", short_form(rates.front()), short_form(rates.back())),
                 1e9 / median(name));
    }
    fmt::print("\n");
    for (const Compared& compared : all_compared) compare(compared);
  }

  bool failed() const { return failed_; }

 private:
  double median(const std::string& name) { return rates_[name][rates_[name].size() / 2]; }

  void compare(const Compared& compared) {
    const auto& [least, beside] = compared.goal;
    if (!rates_.contains(compared.row) || (!beside.empty() && !rates_.contains(beside))) return;
    const double reached = median(compared.row) / (beside.empty() ? 1 : median(beside));
    fmt::print("{}: {}", compared.row,
               beside.empty() ? short_form(reached) : fmt::format("{:.2f} of {}", reached, beside));
    if (least > 0) {
      fmt::print(", goal {}: {}", beside.empty() ? short_form(least) : fmt::format("{:.2f}", least),
                 reached >= least ? "met" : "MISSED");
    }
    fmt::print("\n");
  }

  std::map<std::string, std::vector<double>> rates_;  // In order, once all are there.
  bool failed_ = false;
};

}  // namespace

void add_row(const std::string& name, std::function<void(benchmark::State&)> run) {
  all_rows.push_back(name);
  benchmark::RegisterBenchmark(name.c_str(), std::move(run));
}

void add_row(const std::string& name, Goal goal, std::function<void(benchmark::State&)> run) {
  add_row(name, std::move(run));
  all_compared.push_back({name, std::move(goal)});
}

}  // namespace hapax::bench

int main(int argc, char** argv) {
  using namespace hapax::bench;
  // What is said on the command line comes later, and counts.
  std::vector<std::string> words{argv[0], "--benchmark_enable_random_interleaving=true",
                                 "--benchmark_repetitions=5", "--benchmark_min_time=0.1"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  add_simulator_rows();
  add_step_rows();
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
  return table.failed() ? 1 : 0;
}
