// hapax members, leave, evict: who belongs to a group on an engine.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>

#include "console/exit_status.h"
#include "console/json.h"
#include "console/number.h"
#include "console/show.h"
#include "group_commands/group_commands.h"
#include "group_commands/view_text.h"
#include "group_json/group_json.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

struct MembersArguments {
  std::string address;
  std::string whom;
  double patience_s = 10;
  bool yes = false;
  bool ban = false;
  bool unban = false;
  bool json = false;
};

ViewStatus view_of(Client& client) {
  const GroupStatus status = client.status();
  if (status.view) return *status.view;
  throw Failure{kUnavailable,
                "this group is a fixed list of members (`hapax status` shows it); members come and "
                "go with `hapax node --engine`"};
}

// What the daemon says is wrong, in its own words.
[[noreturn]] void fail_as_told(const std::system_error& e, const std::string& what) {
  if (e.code() == Errc::refused) throw Failure{kUnavailable, words_of(e)};
  fail(e, what);
}

int run_members(const MembersArguments& a) {
  Client client = reach(a.address);
  try {
    const ViewStatus view = view_of(client);
    a.json ? print_json(json_view(view)) : print_members(view);
  } catch (const std::system_error& e) {
    if (e.code().category() != error_category()) throw;  // Of the output.
    fail(e, "members");
  }
  return kHolds;
}

int run_leave(const MembersArguments& a) {
  Client client = reach(a.address);
  try {
    client.leave_group(std::chrono::milliseconds{static_cast<std::int64_t>(a.patience_s * 1000)});
  } catch (const std::system_error& e) {
    if (e.code() == Errc::lost) return kHolds;  // It ended as it left.
    fail_as_told(e, "leave");
  }
  return kHolds;
}

bool confirm(const std::string& whom) {
  if (isatty(STDIN_FILENO) == 0) {
    throw Failure{kBadUsage,
                  fmt::format("evict {}: its clients will lose what they hold; say --yes if you "
                              "mean it",
                              whom)};
  }
  fmt::print(stderr, "Clients of {} will lose what they hold. Evict it? [y/N] ", whom);
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

int run_evict(const MembersArguments& a) {
  using Eviction = Client::Eviction;
  Client client = reach(a.address);
  const ViewStatus view = view_of(client);
  if (!a.unban && !a.yes && !confirm(a.whom)) return kConflict;
  try {
    client.evict(a.whom, a.ban ? Eviction::ban : a.unban ? Eviction::unban : Eviction::evict);
  } catch (const std::system_error& e) {
    fail_as_told(e, "evict");
  }
  if (a.unban) {
    show("{} may come back: it does by itself if it runs\n", a.whom);
    return kHolds;
  }
  show(
      "{} is marked: its beats are refused, and it is removed when its lease is over, in {} ms at "
      "most;\n",
      a.whom, view.ttl.count() * 4 / 3);
  if (a.ban) {
    show("its seat stays out until `hapax evict {} --unban`\n", a.whom);
  } else {
    show(
        "it will come back as another life unless it is stopped: end its daemon, or keep it out "
        "with --ban\n");
  }
  return kHolds;
}

Command command_with_address(const char* name, const char* what, const char* examples,
                             MembersArguments& a) {
  Command command{name, what, kLockGroup};
  add_address(command, &a.address);
  command.footer = std::string{"Examples:\n"} + examples + kShowStatuses;
  return command;
}

Command describe_members(MembersArguments& a) {
  Command command =
      command_with_address("members", "Who belongs to a group on an engine",
                           "  hapax members\n  hapax members --json | jq '.lives[].name'\n", a);
  command.add("--json", &a.json, "One JSON object instead of text");
  return command;
}

Command describe_leave(MembersArguments& a) {
  Command command = command_with_address(
      "leave", "Let the daemon leave its group and end, after draining",
      "  hapax leave\n  hapax leave --wait 60        for jobs that take long\n", a);
  command.add("--wait", &a.patience_s, "Seconds until what is still held is lost",
              {.check = seconds(0, 3'600), .shows_default = true});
  return command;
}

Command describe_evict(MembersArguments& a) {
  Command command =
      command_with_address("evict", "Stop a member's beats: it is out when its lease is over",
                           "  hapax evict db2\n  hapax evict 17 --yes          by its life\n"
                           "  hapax evict db2 --ban\n  hapax evict db2 --unban\n"
                           "A member that is evicted and runs on comes back as another life.\n",
                           a);
  command.add("MEMBER", &a.whom, "Its name or its life, as `hapax members` shows them",
              {.required = true});
  command.add("--yes", &a.yes, "Do not ask");
  command.add("--ban", &a.ban,
              "Keep its seat out until --unban, even if it is started again. Kept in the engine");
  command.add("--unban", &a.unban,
              "Let one back in that is banned, by the name it had or its seat, from 1",
              {.excludes = {"--ban"}});
  return command;
}

}  // namespace

Command members_command() { return make_command(describe_members, run_members); }
Command leave_command() { return make_command(describe_leave, run_leave); }
Command evict_command() { return make_command(describe_evict, run_evict); }

}  // namespace hapax::cli
