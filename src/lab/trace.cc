#include <boost/json.hpp>
#include <fmt/format.h>
#include <string>

#include "console/usage.h"
#include "draw/ascii.h"
#include "draw/json.h"
#include "draw/shiviz.h"
#include "draw/svg.h"
#include "lab/file.h"
#include "lab/run.h"
#include "lab/script_file.h"
#include "world/play.h"

namespace hapax::cli {
namespace {

std::string rendered(const TraceArguments& a, const std::vector<Chronicle>& scenes) {
  if (a.svg) return draw_svg(scenes);
  if (a.shiviz) return shiviz_log(scenes);
  if (a.json) return boost::json::serialize(chronicle_json(scenes)) + '\n';
  std::string text;
  for (const Chronicle& scene : scenes) text += (text.empty() ? "" : "\n") + draw_ascii(scene);
  return text;
}

}  // namespace

int run_trace(const TraceArguments& a) {
  if (a.ascii + a.svg + a.json + a.shiviz > 1) {
    throw UsageError{"--ascii, --svg, --json and --shiviz are one form each; choose one"};
  }
  const Result<Performance> played = perform(script_from(a.file));
  if (!played) throw UsageError{fmt::format("'{}': {}", a.file, played.error().message)};
  write_file(a.out, rendered(a, played->scenes));
  return kHolds;
}

}  // namespace hapax::cli
