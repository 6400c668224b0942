#include "cli/changes.h"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "console/exit_status.h"
#include "console/json.h"
#include "console/log.h"
#include "console/show.h"
#include "console/terminal.h"

namespace hapax::cli {

int show_changes(Signals& signals, bool json, const std::function<std::vector<Sight>()>& look) {
  constexpr int kEvery_ms = 200;
  std::map<std::string, std::string> last;  // Line, of what is there.
  for (std::optional<int> signal; !signal && is_output_read(); signal = signals.take()) {
    std::map<std::string, std::string> next;
    for (Sight& now : look()) {
      const auto before = last.find(now.of);
      const bool is_new = before == last.end() || before->second != now.line;
      if (is_new && json) {
        now.object["time"] = timestamp();
        print_json(now.object);
      } else if (is_new) {
        show("{} {}\n", timestamp(), now.line);
      }
      if (is_new && std::fflush(stdout) != 0) return kHolds;  // Nobody reads; main says why.
      next[std::move(now.of)] = std::move(now.line);
    }
    last = std::move(next);
    wait_for(signals, nullptr, kEvery_ms);
  }
  return kHolds;
}

}  // namespace hapax::cli
