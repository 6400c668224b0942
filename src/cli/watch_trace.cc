#include "cli/watch_trace.h"

#include <chrono>
#include <fmt/format.h>
#include <string>

#include "base/duration.h"
#include "certs/new_file.h"
#include "console/exit_status.h"
#include "console/show.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"
#include "recorded/recorded_trace.h"

namespace hapax::cli {
namespace {

std::chrono::milliseconds duration_of(const RecordArguments& a) {
  const auto duration = parse_duration(a.duration, "--for");
  if (!duration) throw Failure{kBadUsage, duration.error().message};
  const std::chrono::milliseconds time{*duration / kMillisecond};
  if (time < std::chrono::milliseconds{1} || time > std::chrono::minutes{1}) {
    throw Failure{kBadUsage, "--for: 1 ms to 60 s"};
  }
  return time;
}

}  // namespace

int run_watch_trace(const RecordArguments& a) {
  if (a.name.find_first_of("*?") != std::string::npos) {
    throw Failure{kBadUsage, "--trace records one lock, not those of a pattern"};
  }
  const auto duration = duration_of(a);
  Client client = reach(a.address);
  std::string recorded;
  try {
    recorded = client.record(a.name, duration);
  } catch (const std::system_error& e) {
    if (e.code() == Errc::refused) throw Failure{kUnavailable, "watch: " + words_of(e)};
    fail(e, a.name);
  }
  const auto trace = trace_of_bytes(recorded);
  if (!trace) throw Failure{kUnavailable, "watch: " + trace.error().message};
  if (a.file.empty() || a.file == "-") {
    show("{}", trace->script.text());
  } else if (const auto wrong = net::replace({a.file, trace->script.text(), 0666})) {
    throw Failure{kSystem, "watch: " + wrong->message};
  }
  fmt::print(stderr, "{} steps{}.\n", trace->steps,
             trace->is_cut ? "; there were more than fit, or the view ended" : "");
  return kHolds;
}

}  // namespace hapax::cli
