#include "redlock/run_redlock.h"

#include <fmt/format.h>
#include <string>

#include "base/check.h"
#include "redlock/redlock_model.h"
#include "search/conclusion.h"

namespace hapax {

CheckReport check_redlock(const RedlockOptions& options, const SearchObserver& observer) {
  HAPAX_CHECK((options.servers >= 1 && options.servers <= kMostRedlockServers));
  HAPAX_CHECK((options.tries >= 1 && options.tries <= 3));
  RedlockModel model{options};
  Search search{model, options.most_bytes};
  const bool finished = search.run(observer);
  Conclusion conclusion{model, search, finished};
  CheckReport& report = conclusion.report;
  if (!conclusion.is_open()) return report;
  std::string faults;
  const auto name = [&](bool is_allowed, const char* text) {
    if (is_allowed) faults += fmt::format("{}{}", faults.empty() ? "" : " and ", text);
  };
  name(options.pause, "a client that is stopped");
  name(options.drift, "a server whose clock runs twice as fast");
  name(options.restart, "a server that starts again empty");
  report.proved = fmt::format(
      "In every order of requests, answers and ticks, with {}: {}. Whether anybody is ever let in "
      "was not asked.",
      faults.empty() ? "clocks that agree, and nobody stopped or started again" : faults,
      options.gate ? "behind the gate no update is lost"
                   : "at most one is inside, and fences grow");
  return report;
}

}  // namespace hapax
