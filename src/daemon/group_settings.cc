#include "daemon/group_settings.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "base/boot_clock.h"

namespace hapax {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

// Who has not reported for the view that goes by them: it cannot begin before.
json::object settings_of(const Group& group, const EngineGroup* on_engine,
                         const std::vector<Life>& missing = {}) {
  const GroupOptions& options = group.options();
  json::array rules;
  for (std::size_t rule = 0; rule + 1 < options.policy.rules(); ++rule) {
    rules.emplace_back(options.policy.pattern_of(rule) + "=" + options.policy.algorithm_of(rule));
  }
  json::object object{
      {"group", options.group},
      {"view", static_cast<std::int64_t>(number(group.epoch()))},
      {"default_algorithm", options.policy.algorithm_of(options.policy.rules() - 1)},
      {"algorithms", std::move(rules)},
      {"set", nullptr}};
  json::array warnings;
  for (const std::string& warning : options.policy.warnings()) warnings.emplace_back(warning);
  object["warnings"] = std::move(warnings);
  if (on_engine == nullptr) return object;
  object["ttl_ms"] = options.times.ttl / milliseconds{1};
  object["given"] = on_engine->settings().given().text();
  if (const auto& set = on_engine->settings().last_set()) {
    object["set"] = json::object{
        {"by", set->by}, {"at", static_cast<std::int64_t>(set->at)}, {"started", set->started}};
  }
  json::array names;
  for (const EngineGroup::Other& other : on_engine->enlisted()) {
    if (std::find(missing.begin(), missing.end(), other.who.life) == missing.end()) continue;
    names.emplace_back(other.who.name);
  }
  object["missing"] = std::move(names);
  return object;
}

}  // namespace

std::string settings_json(const Group& group, const EngineGroup* engine_group) {
  return json::serialize(settings_of(group, engine_group));
}

void set_settings(EngineGroup* group, const session::SetSettings& asked, std::string by,
                  std::function<void(Result<std::string>)> done) {
  if (group == nullptr) {
    return done(
        error("this group is a fixed list of members, whose settings cannot be changed while they "
              "run: stop them all, and start them with others, once with --new-group"));
  }
  SettingsChange change{std::nullopt, asked.rules, asked.fallback};
  constexpr std::uint64_t kLongestMs = 3'600'000;
  if (asked.ttl_ms) change.ttl = milliseconds{std::min(*asked.ttl_ms, kLongestMs + 1)};
  const Span wait = milliseconds{std::min(asked.wait_ms, kLongestMs)};
  group->set_settings(
      {std::move(change), fmt::format("{} at {}", by, group->name()), boot_clock_now() + wait},
      [group, done = std::move(done)](const Result<SettingsChanger::Begun>& begun) {
        if (!begun) return done(begun.error());
        json::object object = settings_of(*group, group, begun->missing);
        object["why"] = begun->why;
        done({boost::system::in_place_value, json::serialize(object)});
      });
}

void back_up(EngineGroup* group, std::function<void(Result<std::string>)> done) {
  if (group == nullptr) {
    return done(
        error("this group is a fixed list of members, which keeps nothing in an engine: what each "
              "has promised is in its --state file"));
  }
  group->back_up([done = std::move(done)](const Result<Backup>& backup) {
    if (!backup) return done(backup.error());
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto at = std::chrono::floor<std::chrono::seconds>(now).count();
    done({boost::system::in_place_value, text_of(*backup, static_cast<std::uint64_t>(at))});
  });
}

}  // namespace hapax
