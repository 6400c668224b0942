#include "lab/told_check.h"

#include <fmt/format.h>
#include <sstream>
#include <utility>

#include "console/exit_status.h"
#include "console/json.h"
#include "console/progress.h"
#include "console/usage.h"

namespace hapax::cli {

void for_each_fault(const std::vector<std::string>& lists,
                    const std::function<void(const std::string&)>& allow) {
  for (const std::string& list : lists) {
    std::stringstream words{list};
    for (std::string word; std::getline(words, word, ',');) allow(word);
  }
}

ToldCheck check_with_progress(bool is_quiet,
                              const std::function<CheckReport(const SearchObserver&)>& check) {
  Progress progress{!is_quiet};
  CheckReport report = check([&](const SearchProgress& p) {
    progress.show(p.states - p.frontier, p.states,
                  fmt::format("{} states, frontier {}, depth {}, {} MiB", p.states, p.frontier,
                              p.depth, p.bytes >> 20));
    return true;
  });
  return {std::move(report), progress.seconds()};
}

void print_verdict(const CheckReport& r) {
  if (r.verdict != Verdict::violated) {
    fmt::print("\n{}: {}\n", r.verdict == Verdict::holds ? "HOLDS" : "UNFINISHED", r.proved);
    return;
  }
  fmt::print("\nVIOLATED, {}: {}. A shortest way there, {} steps:\n\n", r.property, r.finding,
             r.commands.size());
  for (std::size_t i = 0; i < r.commands.size(); ++i) {
    if (r.round > 0 && i + r.round == r.commands.size()) {
      fmt::print("From here on, round and round:\n");
    }
    fmt::print("{:>3}  {}\n", i + 1, r.commands[i]);
  }
}

void print_as_json(boost::json::object about, const ToldCheck& check) {
  const CheckReport& r = check.report;
  boost::json::array steps;
  for (const std::string& command : r.commands) steps.emplace_back(command);
  for (auto& [key, value] : boost::json::object{{"states", r.states},
                                                {"transitions", r.transitions},
                                                {"depth", r.depth},
                                                {"seconds", json_number(check.seconds)},
                                                {"bytes", r.bytes},
                                                {"verdict", name_of(r.verdict)},
                                                {"property", r.property},
                                                {"finding", r.finding},
                                                {"proved", r.proved},
                                                {"steps", steps}}) {
    about[key] = value;
  }
  print_json(about);
}

int status_of(Verdict verdict) {
  return verdict == Verdict::violated ? kViolated
         : verdict == Verdict::holds  ? kHolds
                                      : kUnfinished;
}

}  // namespace hapax::cli
