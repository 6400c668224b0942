// hapax fence: whether a fence is still good.
#include <fmt/format.h>
#include <string>

#include "cell_commands/cell_commands.h"
#include "cell_commands/file_words.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

struct FenceArguments {
  std::string name;
  std::string fence;
  std::string address;
  bool json = false;
};

constexpr const char* kCheckStatuses =
    "Exit status: 0 it is, 1 it is not, 64 usage, 69 no daemon answers, 75 nobody can say (a "
    "member "
    "does\nnot answer), 77 not allowed.";

int check_one(const FenceArguments& a) {
  std::string address = a.address, name = a.name;
  find_cell(address, name);
  require_lock_name(name);
  const auto fence = parse_fence(a.fence);
  if (!fence) {
    throw Failure{kBadUsage,
                  fmt::format("'{}' is no fence; it is EPOCH.TURN, as in $HAPAX_FENCE", a.fence)};
  }
  Client client = reach(address, Purpose::looks);
  std::string why;
  FenceStanding standing{};
  try {
    standing = check_fence(client, name, *fence, &why);
  } catch (const std::system_error& e) {
    fail_about_file(e, a.name);
  }
  const bool is_present = standing == FenceStanding::present;
  const bool is_unknown = standing == FenceStanding::unknown;
  if (a.json) {
    print_json({{"lock", a.name},
                {"fence", to_string(*fence)},
                {"standing", is_present   ? "present"
                             : is_unknown ? "unknown"
                                          : "past"},
                {"why", why}});
  } else {
    show("{}\n",
         is_present ? fmt::format("{} is held with fence {}", a.name, to_string(*fence)) : why);
  }
  return is_present ? kHolds : is_unknown ? kNoLease : kConflict;
}

Command describe_check(FenceArguments& a) {
  Command command{"check", "Whether a fence is that of the present holder", kLockGroup};
  command.add("NAME", &a.name, "Of the lock", {.required = true});
  command.add("FENCE", &a.fence, "EPOCH.TURN, as $HAPAX_FENCE has it", {.required = true});
  add_address(command, &a.address, Purpose::looks);
  command.add("--json", &a.json, "One JSON object instead of a sentence");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax fence check orders 3.17 && apply\n"
          "For a server that is handed a fence. All members are asked; by the time that it acts "
          "the "
          "lock may\nhave moved on: only a gate that remembers the highest fence is certain "
          "(docs/fences.md).\n"} +
      kCheckStatuses;
  return command;
}

}  // namespace

Command fence_command() {
  Command command{"fence", "Whether a fence is still good", kLockGroup};
  command.subcommands = {make_command(describe_check, check_one)};
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax fence check orders 3.17\n"} +
      kCheckStatuses;
  return command;
}

}  // namespace hapax::cli
