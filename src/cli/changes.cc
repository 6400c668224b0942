#include "cli/changes.h"

#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "console/exit_status.h"
#include "console/json.h"
#include "console/log.h"
#include "console/show.h"

namespace hapax::cli {

int show_changes(Signals& signals, bool json, const std::function<Sight()>& look) {
  constexpr int kEvery_ms = 200;
  std::string last;
  for (std::optional<int> signal; !signal; signal = signals.take()) {
    if (Sight now = look(); now.line != last) {
      last = std::move(now.line);
      if (json) {
        now.object["time"] = timestamp();
        print_json(now.object);
      } else {
        show("{} {}\n", timestamp(), last);
      }
      if (std::fflush(stdout) != 0) return kHolds;  // Nobody reads any more; main says why.
    }
    wait_for(signals, nullptr, kEvery_ms);
  }
  return kHolds;
}

}  // namespace hapax::cli
