#include "page/requests.h"

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "catalog/catalog.h"
#include "check/run.h"
#include "compare/compare.h"
#include "compare/elections.h"
#include "console/json.h"
#include "sim/run.h"
#include "told/check_json.h"
#include "told/compare_json.h"
#include "told/sim_words.h"
#include "voting/voting_sets.h"
#include "world/play.h"

namespace hapax {
namespace {

// A request, field by field. What is of another kind than it should be counts as left out.
class Fields {
 public:
  static Result<Fields> parse(std::string_view text) {
    boost::json::error_code failed;
    const boost::json::value value =
        boost::json::parse(boost::json::string_view{text.data(), text.size()}, failed);
    if (failed || !value.is_object()) return error("a request is an object in JSON");
    return Fields{value.get_object()};
  }

  bool is(boost::json::string_view name) const {
    const boost::json::value* value = fields_.if_contains(name);
    return value != nullptr && value->is_bool() && value->get_bool();
  }
  std::string text(boost::json::string_view name, std::string otherwise = {}) const {
    const boost::json::value* value = fields_.if_contains(name);
    if (value == nullptr || !value->is_string()) return otherwise;
    return std::string{value->get_string().begin(), value->get_string().end()};
  }
  // A number from `low` to `high`.
  std::uint32_t number(boost::json::string_view name, std::int64_t otherwise, std::int64_t low,
                       std::int64_t high) {
    const boost::json::value* value = fields_.if_contains(name);
    const std::int64_t given =
        value != nullptr && value->is_int64() ? value->get_int64() : otherwise;
    if (given < low || given > high) {
      wrong_ = error("{} {} is out of range; use {} … {}", std::string{name.begin(), name.end()},
                     given, low, high);
    }
    return static_cast<std::uint32_t>(std::clamp(given, low, high));
  }
  // What was out of range.
  const std::optional<Error>& wrong() const { return wrong_; }

 private:
  explicit Fields(boost::json::object fields) : fields_(std::move(fields)) {}

  boost::json::object fields_;
  std::optional<Error> wrong_;
};

// As `--voting-sets` says, but for files. Null: the algorithm's own.
Result<std::unique_ptr<VotingSets>> sets_of(const Operations* algorithm, const std::string& rule,
                                            std::uint32_t n) {
  const bool chooses = algorithm != nullptr && algorithm->info.voting_sets != nullptr;
  if (!chooses || (!algorithm->info.takes.voting_sets && rule == "smallest")) {
    return std::unique_ptr<VotingSets>{};
  }
  Result<VotingSets> sets = algorithm->info.voting_sets(rule, n);
  if (!sets) return sets.error();
  return std::make_unique<VotingSets>(std::move(*sets));
}

CheckOptions check_options(Fields& fields) {
  CheckOptions options;
  options.n = fields.number("n", 3, 1, kMostChecked);
  options.entries = fields.number("entries", 1, 1, 200);
  options.forever = fields.is("forever");
  options.channels = fields.is("unordered") ? Channels::unordered : Channels::fifo;
  options.duplicates = fields.number("duplicates", 0, 0, 9);
  options.losses = fields.number("losses", 0, 0, 9);
  options.crashes = fields.number("crashes", 0, 0, 9);
  options.expect_progress = fields.is("expect_progress");
  options.most_bytes = std::uint64_t{fields.number("memory_mib", 1024, 16, 1024)} << 20;
  return options;
}

SimWords sim_words(Fields& fields, std::int64_t most_requests) {
  return {.algorithm = fields.text("algorithm"),
          .requests = fields.number("requests", 3, 1, most_requests),
          .load = fields.text("load", "low"),
          .latency = fields.text("latency", "const:1ms"),
          .inside = fields.text("cs", "5ms"),
          .voting_sets = fields.text("voting_sets", "smallest"),
          .units = fields.number("units", 1, 1, 200)};
}

Result<SimOptions> sim_options(const SimWords& words, Fields& fields) {
  SimOptions options;
  options.n = fields.number("n", 5, 1, 64);
  options.entries = words.requests;
  options.seed = fields.number("seed", 1, 0, 1'000'000'000);
  options.channels = fields.is("unordered") ? Channels::unordered : Channels::fifo;
  const Result<Load> load = Load::parse(words.load);
  if (!load) return load.error();
  options.load = *load;
  const Result<Latency> latency = Latency::parse(words.latency);
  if (!latency) return latency.error();
  options.latency = *latency;
  const Result<Nanos> inside = parse_duration(words.inside, "--cs");
  if (!inside) return inside.error();
  options.inside = *inside;
  return options;
}

}  // namespace

Result<std::string> answer_check(std::string_view request, const SearchObserver& observer,
                                 double (*now)()) {
  Result<Fields> fields = Fields::parse(request);
  if (!fields) return fields.error();
  const std::string algorithm = fields->text("algorithm");
  const CheckOptions options = check_options(*fields);
  const auto sets =
      sets_of(find_algorithm(algorithm), fields->text("voting_sets", "smallest"), options.n);
  if (!sets) return sets.error();
  const std::uint32_t units = fields->number("units", 1, 1, 200);
  const MutexChoices choices{.voting_sets = sets->get(),
                             .units = units,
                             .per_member = fields->number("per_member", 0, 0, units)};
  if (fields->wrong()) return *fields->wrong();
  const double began = now();
  const Result<CheckReport> report = check(algorithm, options, choices, observer);
  if (!report) return report.error();
  const double seconds = now() - began;
  const Result<Counterexample> way = counterexample_of(algorithm, options, choices, *report);
  if (!way) return way.error();
  return {boost::system::in_place_value,
          cli::json_text(check_json(algorithm, options, *report, way->text, seconds))};
}

Result<std::string> answer_simulate(std::string_view request) {
  Result<Fields> fields = Fields::parse(request);
  if (!fields) return fields.error();
  const SimWords words = sim_words(*fields, 10'000);
  const Operations* algorithm = find_algorithm(words.algorithm);
  if (algorithm == nullptr) return error("'{}' is no algorithm to simulate", words.algorithm);
  Result<SimOptions> options = sim_options(words, *fields);
  if (!options) return options.error();
  const auto sets = sets_of(algorithm, words.voting_sets, options->n);
  if (!sets) return sets.error();
  if (fields->wrong()) return *fields->wrong();
  SimRecorder recorder = recorder_of(words, *options, sets->get());
  options->recorder = &recorder;
  const MutexChoices choices{.voting_sets = sets->get(),
                             .units = static_cast<std::uint32_t>(words.units),
                             .per_member = 1};
  const Result<SimReport> report = simulate(words.algorithm, *options, choices);
  if (!report) return report.error();
  const Result<Script> played = play(recorder.script());
  if (!played) return played.error();
  return {boost::system::in_place_value, played->text()};
}

Result<std::string> answer_compare(std::string_view request, const CompareObserver& observer) {
  Result<Fields> fields = Fields::parse(request);
  if (!fields) return fields.error();
  CompareOptions options;
  options.n = fields->number("n", 10, 1, 1000);
  options.seed = fields->number("seed", 1, 0, 1'000'000'000);
  options.inside = kMillisecond * fields->number("cs_ms", 5, 5, 10'000);
  options.most_messages = fields->number("most_messages", 8'000'000, 1000, 8'000'000);
  if (fields->wrong()) return *fields->wrong();
  const Result<VotingSets> sets = find_algorithm("maekawa")->info.voting_sets(
      fields->text("voting_sets", "smallest"), options.n);
  if (!sets) return sets.error();
  const Comparison comparison = compare(options, *sets, observer);
  std::vector<ElectionRow> elections;
  if (options.n >= 3) elections = compare_elections(options.n, options.latency);
  return {boost::system::in_place_value, cli::json_text(compare_json(comparison, elections))};
}

Result<std::string> answer_measure(std::string_view request) {
  Result<Fields> fields = Fields::parse(request);
  if (!fields) return fields.error();
  const SimWords words = sim_words(*fields, 40'000);
  const Operations* algorithm = find_algorithm(words.algorithm);
  if (algorithm == nullptr) return error("'{}' is no algorithm to simulate", words.algorithm);
  const Result<SimOptions> options = sim_options(words, *fields);
  if (!options) return options.error();
  const auto sets = sets_of(algorithm, words.voting_sets, options->n);
  if (!sets) return sets.error();
  if (fields->wrong()) return *fields->wrong();
  const MutexChoices choices{.voting_sets = sets->get()};
  const Result<SimReport> report = simulate(words.algorithm, *options, choices);
  if (!report) return report.error();
  const auto in_ms = [](const Spread& spread) -> boost::json::value {
    return spread.count == 0 ? boost::json::value{}
                             : cli::json_number(spread.mean() / kMillisecond);
  };
  return {boost::system::in_place_value,
          cli::json_text({{"algorithm", words.algorithm},
                          {"entries", report->entries},
                          {"events", report->events},
                          {"messages_per_entry", cli::json_number(report->messages_per_entry())},
                          {"throughput", cli::json_number(report->throughput)},
                          {"response_time_ms", in_ms(report->response_time)},
                          {"sync_delay_ms", in_ms(report->sync_delay)},
                          {"violations", report->violation_count}})};
}

}  // namespace hapax
