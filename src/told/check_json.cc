#include "told/check_json.h"

#include <cstdint>

#include "catalog/catalog.h"
#include "check/counterexample.h"
#include "console/json.h"
#include "election/catalog.h"
#include "world/minimise.h"

namespace hapax {

Result<Counterexample> counterexample_of(std::string_view algorithm, const CheckOptions& options,
                                         const MutexChoices& choices, const CheckReport& report) {
  Counterexample way{{}, report.commands.size()};
  if (report.verdict != Verdict::violated) return way;
  const bool by_messages =
      find_algorithm(algorithm) != nullptr || with_election(algorithm, []<class A>() {});
  if (by_messages) {
    const Result<Script> script = trace_of(algorithm, options, choices, report);
    if (!script) return script.error();
    return Counterexample{script->text(), steps_of(*script)};
  }
  for (std::size_t i = 0; i < report.commands.size(); ++i) {
    const bool is_round = report.round > 0 && i + report.round == report.commands.size();
    if (is_round) way.text += "From here on, round and round:\n";
    way.text += report.commands[i] + '\n';
  }
  return way;
}

boost::json::object check_json(std::string_view algorithm, const CheckOptions& o,
                               const CheckReport& r, const std::string& trace, double seconds) {
  return {{"algorithm", algorithm},
          {"n", o.n},
          {"entries", o.forever ? boost::json::value("forever") : boost::json::value(o.entries)},
          {"channels", o.channels == Channels::unordered ? "unordered" : "fifo"},
          {"states", r.states},
          {"transitions", r.transitions},
          {"depth", r.depth},
          {"reduced", r.reduced},
          {"seconds", cli::json_number(seconds)},
          {"states_per_second",
           cli::json_number(seconds > 0 ? static_cast<double>(static_cast<std::uint64_t>(
                                              static_cast<double>(r.states) / seconds))
                                        : 0)},
          {"bytes", r.bytes},
          {"verdict", name_of(r.verdict)},
          {"property", r.property},
          {"finding", r.finding},
          {"proved", r.proved},
          {"trace", trace}};
}

}  // namespace hapax
