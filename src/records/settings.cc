#include "records/settings.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "core/lock_name.h"
#include "records/json_fields.h"

namespace hapax {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr Span kLongestTtl = std::chrono::hours{1};
constexpr std::size_t kLongestRules = 3'000;  // Bytes: each record of a view has them.

std::int64_t ms_of(Span span) { return span / milliseconds{1}; }

std::optional<Span> ttl_at(const json::object& object, std::string_view field) {
  const auto ms = number_at(object, field);
  if (!ms || *ms > static_cast<std::uint64_t>(ms_of(kLongestTtl))) return std::nullopt;
  const Span ttl = milliseconds{*ms};
  return ttl < kShortestTtl ? std::nullopt : std::optional{ttl};
}

Result<void> check_ttl(Span ttl) {
  if (ttl >= kShortestTtl && ttl <= kLongestTtl && ttl % milliseconds{1} == Span{0}) return {};
  return error("a TTL is 500 ms … 1 h, in whole milliseconds");
}

}  // namespace

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr std::size_t kDigest = 22;  // As below.
  return fmt::format("{}… ({:016x})", text.substr(0, most - kDigest), hash_of_lock(text));
}

std::string Settings::text() const {
  constexpr std::size_t kShown = 4096;
  return fmt::format("TTL {} ms and locks by {}", ms_of(ttl), shortened(policy.text(), kShown));
}

Result<Settings> SettingsChange::applied_to(const Settings& now) const {
  const std::string lines = now.policy.lines();
  const std::size_t last = lines.rfind('\n') == std::string::npos ? 0 : lines.rfind('\n') + 1;
  std::string next = lines.substr(0, last);
  if (rules) {
    next.clear();
    for (const std::string& rule : *rules) {
      if (const auto good = check_lock_name(rule.substr(0, rule.rfind('='))); !good) {
        return error("In the rule \"{}\": {}", rule, good.error().message);
      }
      next += rule + "\n";
    }
  }
  next += fallback.value_or(lines.substr(last));
  if (next.size() > kLongestRules) {
    return error("the rules have {} bytes; {} are the most", next.size(), kLongestRules);
  }
  const auto policy = Policy::from_lines(next);
  if (!policy) return policy.error();
  if (const auto good = now.policy.check_change_to(*policy); !good) return good.error();
  const Span later = ttl.value_or(now.ttl);
  if (const auto good = check_ttl(later); !good) return good.error();
  return Settings{later, *policy};
}

std::string text_of(const SetSettings& settings) {
  return json::serialize(json::object{{"ttl_ms", ms_of(settings.now.ttl)},
                                      {"algorithms", settings.now.policy.lines()},
                                      {"started", settings.started},
                                      {"started_ttl_ms", ms_of(settings.started_ttl)},
                                      {"longest_ttl_ms", ms_of(settings.longest)},
                                      {"by", settings.by},
                                      {"at", static_cast<std::int64_t>(settings.at)}});
}

std::optional<SetSettings> set_settings_in(const std::string& record) {
  constexpr std::size_t kLongestLines = 16'384;
  const auto object = object_in(record);
  if (!object) return std::nullopt;
  const auto ttl = ttl_at(*object, "ttl_ms");
  const auto lines = text_at(*object, "algorithms", kLongestLines);
  const auto started = text_at(*object, "started", kLongestLines);
  const auto started_ttl = ttl_at(*object, "started_ttl_ms");
  const auto longest = ttl_at(*object, "longest_ttl_ms");
  const auto by = text_at(*object, "by");
  const auto at = number_at(*object, "at");
  if (!ttl || !lines || !started || !started_ttl || !longest || !by || !at) return std::nullopt;
  const auto policy = Policy::from_lines(*lines);
  if (!policy) return std::nullopt;
  return SetSettings{{*ttl, *policy}, *started, *started_ttl, *longest, *by, *at};
}

}  // namespace hapax
