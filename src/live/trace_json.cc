#include "live/trace_json.h"

#include <boost/json.hpp>
#include <utility>

#include "draw/svg.h"
#include "recorded/recorded_trace.h"
#include "world/play.h"

namespace hapax::live {

Result<boost::json::object> json_of_trace(const session::Recording& recording) {
  const auto trace = trace_of(recording);
  if (!trace) return trace.error();
  boost::json::object told{{"lock", recording.lock},     {"time", recording.time_ms},
                           {"for_ms", recording.for_ms}, {"steps", trace->steps},
                           {"is_cut", trace->is_cut},    {"trace", trace->script.text()}};
  if (trace->steps == 0 || trace->steps > kMostDrawnSteps) return told;
  const auto played = perform(trace->script);
  if (played) told["svg"] = draw_svg(played->scenes);
  return told;
}

}  // namespace hapax::live
