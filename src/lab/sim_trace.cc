#include "lab/sim_trace.h"

#include <fmt/format.h>

#include "console/usage.h"
#include "told/sim_words.h"
#include "world/play.h"

namespace hapax::cli {
namespace {

constexpr std::uint32_t kMostProcesses = 64;

SimWords told(const SimArguments& a) {
  return {.algorithm = a.algorithm,
          .requests = static_cast<std::uint64_t>(a.requests),
          .requesters = static_cast<std::uint64_t>(a.requesters),
          .load = a.load,
          .latency = a.latency,
          .inside = a.inside,
          .faults = a.faults,
          .voting_sets = a.voting_sets,
          .say_denied = a.say_denied,
          .readers = a.readers,
          .units = static_cast<std::uint64_t>(a.units)};
}

// Before the file is opened, so that a refusal leaves it as it was.
const std::string& refuse_many(const std::string& file, std::uint32_t n) {
  if (n <= kMostProcesses) return file;
  throw UsageError{
      fmt::format("--trace is for at most {} processes; use a smaller -n", kMostProcesses)};
}

}  // namespace

SimTrace::SimTrace(const SimArguments& a, const SimOptions& options, const VotingSets* sets)
    : name_(refuse_many(a.trace, options.n)),
      file_(name_),
      recorder_(recorder_of(told(a), options, sets)) {
  if (!file_) throw UsageError{fmt::format("'{}' cannot be written", name_)};
}

void SimTrace::write() {
  file_ << value_or_usage(play(recorder_.script())).text() << std::flush;
  if (!file_) throw UsageError{fmt::format("'{}' cannot be written", name_)};
}

}  // namespace hapax::cli
