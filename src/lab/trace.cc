#include <boost/json.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <string>

#include "console/command.h"
#include "lab/script_file.h"
#include "draw/ascii.h"
#include "draw/json.h"
#include "draw/shiviz.h"
#include "draw/svg.h"
#include "world/play.h"

namespace hapax::cli {
namespace {

struct TraceArguments {
  std::string file;
  std::string out;
  bool ascii = false;
  bool svg = false;
  bool json = false;
  bool shiviz = false;
};

std::string rendered(const TraceArguments& a, const std::vector<Chronicle>& scenes) {
  if (a.svg) return draw_svg(scenes);
  if (a.shiviz) return shiviz_log(scenes);
  if (a.json) return boost::json::serialize(chronicle_json(scenes)) + '\n';
  std::string text;
  for (const Chronicle& scene : scenes) text += (text.empty() ? "" : "\n") + draw_ascii(scene);
  return text;
}

void write(const std::string& text, const std::string& file) {
  if (file.empty() || file == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream stream{file};
  stream << text << std::flush;
  if (!stream) throw UsageError{fmt::format("'{}' cannot be written", file)};
}

int run_trace(const TraceArguments& a) {
  const Result<Performance> played = perform(script_from(a.file));
  if (!played) throw UsageError{fmt::format("'{}': {}", a.file, played.error().message)};
  write(rendered(a, played->scenes), a.out);
  return kHolds;
}

}  // namespace

void add_trace(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("trace", "Draw a trace as a space-time diagram");
  auto a = std::make_shared<TraceArguments>();
  command->add_option("FILE", a->file, "A trace; - for standard input")->required();
  auto* form = command->add_option_group("form");
  form->add_flag("--ascii", a->ascii, "For the terminal: a step a row, with its reason (default)");
  form->add_flag("--svg", a->svg, "For a slide or a paper");
  form->add_flag("--json", a->json, "Every happening, for programs");
  form->add_flag("--shiviz", a->shiviz, "A log with vector clocks, for ShiViz");
  form->require_option(0, 1);
  command->add_option("-o,--output", a->out, "Where to write it; default: standard output");
  command->footer(
      "Examples:\n"
      "  hapax trace src/mutex/testdata/request-5-and-3.trace\n"
      "  hapax trace src/mutex/testdata/six-processes.trace --svg -o six.svg\n"
      "  hapax trace src/election/testdata/bully-partition.trace --shiviz\n"
      "`hapax sim ALGORITHM … --trace FILE` writes such a trace.");
  command->callback([a, &outcome] { outcome.status = run_trace(*a); });
}

}  // namespace hapax::cli
