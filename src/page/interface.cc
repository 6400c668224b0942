#include "page/interface.h"

#include <boost/json.hpp>
#include <string>
#include <utility>

#include "console/json.h"
#include "draw/json.h"
#include "draw/shiviz.h"
#include "draw/svg.h"
#include "page/requests.h"
#include "page/steps.h"
#include "told/algorithms_json.h"
#include "world/play.h"

namespace {

using namespace hapax;

// The caller comes from one thread, and each of its calls is over before the next.
std::string question;  // NOLINT(cert-err58-cpp)
std::string answer;    // NOLINT(cert-err58-cpp)

int give(std::string text) {
  answer = std::move(text);
  return 0;
}
int refuse(const Error& why) {
  answer = why.message;
  return 1;
}
int give_or_refuse(Result<std::string> result) {
  return result ? give(std::move(*result)) : refuse(result.error());
}

Result<Script> script_asked() {
  Result<Script> script = Script::parse(question);
  if (script && script->blocks.empty()) {
    return error("there is no command in it; a trace begins with: nodes ALGORITHM NAME NAME …");
  }
  return script;
}

template <class Tell>
int give_performance(const Tell& tell) {
  const Result<Script> script = script_asked();
  if (!script) return refuse(script.error());
  const Result<Performance> played = perform(*script);
  return played ? give(tell(*played)) : refuse(played.error());
}

int give_steps(bool forgiving) {
  const Result<Script> script = script_asked();
  if (!script) return refuse(script.error());
  return give_or_refuse(steps_json(*script, forgiving, [](std::size_t steps) {
    page_progress(static_cast<double>(steps), 0, 0, 0);
  }));
}

}  // namespace

char* page_room(std::size_t size) {
  question.resize(size);
  return question.data();
}
const char* page_answer() { return answer.data(); }
std::size_t page_answer_size() { return answer.size(); }

int page_trace_json() {
  return give_performance([](const Performance& played) {
    return boost::json::serialize(chronicle_json(played.scenes)) + '\n';
  });
}
int page_trace_svg() {
  return give_performance([](const Performance& played) { return draw_svg(played.scenes); });
}
int page_trace_shiviz() {
  return give_performance([](const Performance& played) { return shiviz_log(played.scenes); });
}
int page_trace_text() {
  return give_performance([](const Performance& played) { return played.script.text(); });
}
int page_steps() { return give_steps(false); }
int page_steps_forgiving() { return give_steps(true); }

int page_check() {
  const auto tell = [](const SearchProgress& p) {
    page_progress(static_cast<double>(p.states), static_cast<double>(p.frontier), p.depth,
                  static_cast<double>(p.bytes));
    return true;
  };
  return give_or_refuse(answer_check(question, tell, page_now));
}
int page_compare() {
  const auto tell = [](const CompareProgress& p) {
    page_progress(100 * (static_cast<double>(p.row) + p.done) / static_cast<double>(p.rows), 0, 0,
                  0);
    return true;
  };
  return give_or_refuse(answer_compare(question, tell));
}
int page_measure() { return give_or_refuse(answer_measure(question)); }
int page_simulate() { return give_or_refuse(answer_simulate(question)); }

int page_algorithms() { return give(cli::json_text(algorithms_json())); }
