// hapax live: where a daemon shows its live page, with a pass to it.
#include <fmt/format.h>
#include <memory>
#include <string>

#include "console/exit_status.h"
#include "console/show.h"
#include "group_commands/group_commands.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

struct LiveArguments {
  std::string address;
  bool pass = false;
};

int run_live(const LiveArguments& a) {
  Client client = reach(a.address);
  std::string url;
  try {
    url = client.live_page();
  } catch (const std::system_error& e) {
    if (e.code() == Errc::refused) throw Failure{kUnavailable, "live: " + words_of(e)};
    fail(e, "live");
  }
  show("{}\n", a.pass ? url.substr(url.find('#') + 1) : url);
  return kHolds;
}

Command describe_live(LiveArguments& a) {
  Command command{"live", "The address of the daemon's live page, with a pass to it", kLockGroup};
  add_address(command, &a.address);
  command.add("--pass", &a.pass, "Only the pass, for scripts");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax live\n"
          "  xdg-open \"$(hapax live)\"\n"
          "  curl -H \"Authorization: Bearer $(hapax live --pass)\" "
          "http://127.0.0.1:8080/v1/status\n"
          "The daemon was started with --page. Whoever has the address sees what you may see, for "
          "twelve\nhours or until the daemon ends: show it to nobody.\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command live_command() { return make_command(describe_live, run_live); }

}  // namespace hapax::cli
