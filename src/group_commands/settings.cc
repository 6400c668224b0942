// hapax settings: what all members of a group have in common, and how it is changed while they run.
#include <boost/json.hpp>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "group_commands/group_commands.h"
#include "group_commands/view_text.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

namespace json = boost::json;

struct SettingsArguments {
  std::string address;
  bool json = false;
};

struct SetArguments {
  std::string address;
  std::vector<std::string> algorithms;
  std::optional<std::string> default_algorithm;
  std::optional<std::string> ttl;
  std::string wait = "30s";
  bool json = false;
};

// What a daemon has said.
json::object object_of(const std::string& text) {
  boost::system::error_code failed;
  json::value value = json::parse(text, failed);
  if (failed || !value.is_object()) {
    throw Failure{kUnavailable,
                  "the daemon's answer is not understood: use the same hapax for both"};
  }
  return std::move(value.as_object());
}

std::string text_at(const json::object& object, const char* field) {
  const json::value* value = object.if_contains(field);
  return value != nullptr && value->is_string() ? std::string{value->as_string()} : "";
}
std::vector<std::string> texts_at(const json::object& object, const char* field) {
  std::vector<std::string> texts;
  const json::value* value = object.if_contains(field);
  if (value == nullptr || !value->is_array()) return texts;
  for (const json::value& text : value->as_array()) {
    if (text.is_string()) texts.emplace_back(text.as_string());
  }
  return texts;
}
std::optional<std::int64_t> number_at(const json::object& object, const char* field) {
  const json::value* value = object.if_contains(field);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->as_int64();
}

void print_settings(const json::object& object) {
  show("group {}, view {}\n", text_at(object, "group"), number_at(object, "view").value_or(0));
  const auto ttl = number_at(object, "ttl_ms");
  show("TTL: {}\n", ttl ? fmt::format("{} ms", *ttl) : "none: a fixed list has no leases");
  for (const std::string& rule : texts_at(object, "algorithms")) show("locks {}\n", rule);
  show("{} locks: {}\n", texts_at(object, "algorithms").empty() ? "all" : "other",
       text_at(object, "default_algorithm"));
  for (const std::string& warning : texts_at(object, "warnings")) show("{}\n", warning);
  const json::value* set = object.if_contains("set");
  if (set == nullptr || !set->is_object()) {
    return show("as the members were given them at their start\n");
  }
  const std::time_t at = number_at(set->as_object(), "at").value_or(0);
  show("set by {}, {:%Y-%m-%d %H:%M:%S} UTC; the group was started with\n  {}\n",
       text_at(set->as_object(), "by"), fmt::gmtime(at), text_at(set->as_object(), "started"));
  show("this member was given\n  {}\n", text_at(object, "given"));
}

int run_settings(const SettingsArguments& a) {
  Client client = reach(a.address);
  try {
    const json::object settings = object_of(client.settings());
    a.json ? print_json(settings) : print_settings(settings);
  } catch (const std::system_error& e) {
    if (e.code().category() != error_category()) throw;  // Of the output.
    fail(e, "settings");
  }
  return kHolds;
}

Client::SettingsChange change_of(const SetArguments& a) {
  Client::SettingsChange change;
  if (!a.algorithms.empty()) change.algorithms = a.algorithms;
  change.default_algorithm = a.default_algorithm;
  if (!change.algorithms && !change.default_algorithm && !a.ttl) {
    throw Failure{kBadUsage, "settings set: what? Say --ttl, --algorithm or --default-algorithm"};
  }
  if (a.ttl) {
    const auto ttl = parse_duration(*a.ttl, "--ttl");
    if (!ttl) throw Failure{kBadUsage, ttl.error().message};
    if (*ttl < 500 * kMillisecond || *ttl % kMillisecond != 0) {
      throw Failure{kBadUsage,
                    fmt::format("--ttl {}: use 500ms … 1h, in whole milliseconds", *a.ttl)};
    }
    change.ttl = std::chrono::milliseconds{*ttl / kMillisecond};
  }
  const auto wait = parse_duration(a.wait, "--wait");
  if (!wait) throw Failure{kBadUsage, wait.error().message};
  change.patience = std::chrono::milliseconds{*wait / kMillisecond};
  return change;
}

// What became of it; 75 if it has not begun yet.
int tell_outcome(const json::object& told) {
  if (const std::string why = text_at(told, "why"); !why.empty()) {
    throw Failure{kNoLease,
                  fmt::format("settings set: {}; nothing was changed: see `hapax status`", why)};
  }
  const auto missing = texts_at(told, "missing");
  if (missing.empty()) return kHolds;
  throw Failure{
      kNoLease,
      fmt::format("settings set: the settings are agreed on, and hold from the next view on; that "
                  "waits for {}, and goes on without whoever is gone for a TTL",
                  fmt::join(missing, ", "))};
}

int run_set(const SetArguments& a) {
  const Client::SettingsChange change = change_of(a);
  Client client = reach(a.address);
  try {
    const json::object told = object_of(client.set_settings(change));
    const int status = tell_outcome(told);
    a.json ? print_json(told) : print_settings(told);
    return status;
  } catch (const std::system_error& e) {
    if (e.code() == Errc::refused) throw Failure{kBadUsage, "settings set: " + words_of(e)};
    if (e.code().category() != error_category()) throw;  // Of the output.
    fail(e, "settings set");
  }
}

constexpr const char* kSetStatuses =
    "Exit status: 0 all members go by them, 64 refused: nothing was changed, 69 no daemon "
    "answers,\n"
    "75 agreed on, but the view that goes by them has not begun within --wait; or no view could "
    "be\n"
    "made, and nothing was changed; 77 not allowed.";

Command describe_set(SetArguments& a) {
  Command command{"set", "Other settings for all members, while they run", kLockGroup};
  add_address(command, &a.address);
  command.add("--ttl", &a.ttl, "How long a lease lasts, from the next beats on: 500ms … 1h");
  command.add("--algorithm", &a.algorithms,
              "PATTERN=ALGORITHM for the locks that match, as of `hapax node`; all rules together "
              "replace those there were; repeatable",
              {.takes_one_each = true});
  command.add("--default-algorithm", &a.default_algorithm, "For all other locks");
  command.add("--wait", &a.wait, "So long for the view that goes by them", {.shows_default = true});
  command.add("--json", &a.json, "One JSON object instead of text");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax settings set --ttl 10s\n"
          "  hapax settings set --default-algorithm maekawa\n"
          "  hapax settings set --algorithm 'orders/*=maekawa:cyclic' --algorithm "
          "'cache/*=raymond'\n"
          "What is not said stays. Held locks stay held, and who waits keeps its place. Members "
          "that come\nlater take these settings, whatever their flags say. Algorithms that let in "
          "several at a time\ncan be neither added nor taken away while members run.\n"} +
      kSetStatuses;
  return command;
}

Command describe_settings(SettingsArguments& a) {
  Command command{"settings", "What all members have in common, and how to change it", kLockGroup};
  add_address(command, &a.address);
  command.add("--json", &a.json, "One JSON object instead of text");
  command.subcommands = {make_command(describe_set, run_set)};
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax settings\n"
          "  hapax settings --json | jq .default_algorithm\n"
          "  hapax settings set --default-algorithm maekawa\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

void print_set_settings(const std::string& address) {
  try {
    const json::object settings = object_of(reach(address).settings());
    const json::value* set = settings.if_contains("set");
    if (set == nullptr || !set->is_object()) return;
    const std::size_t rules = texts_at(settings, "algorithms").size();
    show("settings: TTL {} ms, {} rule{}, others by {}, as set by {} (`hapax settings`)\n",
         number_at(settings, "ttl_ms").value_or(0), rules, rules == 1 ? "" : "s",
         text_at(settings, "default_algorithm"), text_at(set->as_object(), "by"));
  } catch (const std::system_error&) {  // Forbidden, or gone meanwhile.
  } catch (const Failure&) {
  }
}

Command settings_command() { return make_command(describe_settings, run_settings); }

}  // namespace hapax::cli
