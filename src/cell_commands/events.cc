// hapax events, and hapax file watch: what happens, a line each.
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <string>

#include "cell_commands/cell_commands.h"
#include "cell_commands/file_words.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/log.h"
#include "console/show.h"
#include "console/terminal.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

constexpr std::chrono::seconds kLookForReader{1};

struct EventsArguments {
  std::string folder;
  std::string address;
  bool json = false;
};

boost::json::object event_json(const Event& event) {
  boost::json::object object{{"time", timestamp()}, {"event", name_of(event.kind)}};
  if (!event.name.empty()) object["name"] = event.name;
  if (event.version != 0) object["version"] = event.version;
  if (event.fence) object["fence"] = to_string(*event.fence);
  if (!event.value.empty()) object["value"] = event.value;
  return object;
}

std::string line_of(const Event& event) {
  std::string line = fmt::format("{} {}", timestamp(), name_of(event.kind));
  if (!event.name.empty()) line += ' ' + event.name;
  if (event.version != 0) line += fmt::format(" version {}", event.version);
  if (event.fence) line += " fence " + to_string(*event.fence);
  if (event.kind == Event::Kind::leader) line += event.fence ? ' ' + event.value : " VACANT";
  return line;
}

// Until ^C, or until nobody reads any more.
int show_events(const EventsArguments& a, Events::About about) {
  // Of locks an engine tells nobody; a daemon asks the others.
  Client client =
      reach(a.address, about == Events::About::files ? Purpose::keeps_files : Purpose::hears);
  try {
    Events events{client, a.folder, about};
    while (is_output_read()) {
      const auto event = events.next_until(Events::Clock::now() + kLookForReader);
      if (!event) continue;
      if (a.json) {
        print_json(event_json(*event));
      } else {
        show("{}\n", line_of(*event));
      }
      if (std::fflush(stdout) != 0) break;  // Nobody reads; main says why.
    }
  } catch (const std::system_error& e) {
    fail_about_file(e, a.folder.empty() ? "events" : a.folder);
  }
  return kHolds;
}

Command describe_events(EventsArguments& a) {
  Command command{"events", "A line for whatever happens to files, locks, a leader and our session",
                  kLockGroup};
  command.add("PREFIX", &a.folder,
              "The folder that files and locks are in, and the name of the election; all files and "
              "locks if not said");
  add_address(command, &a.address, Purpose::hears);
  command.add("--json", &a.json, "A JSON object a line");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax events\n"
          "  hapax events orders --json | jq -c 'select(.event == \"lock-taken\")'\n"
          "Of files nothing is left out, across daemons, too, or `resync` says so: read again. Of "
          "locks the\npresent state comes first; then the daemon asks all members twice a second, "
          "and what is shorter\nmay go unseen. Ours are jeopardy, safe and expired.\n"} +
      kShowStatuses;
  return command;
}

Command describe_file_watch(EventsArguments& a) {
  Command command{"watch", "A line whenever a file, or one in that folder, is changed", kLockGroup};
  command.add("PATH", &a.folder, "Of a file or a folder; all files if not said");
  add_address(command, &a.address, Purpose::keeps_files);
  command.add("--json", &a.json, "A JSON object a line");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax file watch config/db\n"
          "  hapax file watch config --json\n"
          "Nothing is left out, across daemons, too, or `resync` says so: read again.\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command events_command() {
  return make_command(describe_events, [](const EventsArguments& a) {
    return show_events(a, Events::About::everything);
  });
}
Command file_watch_command() {
  return make_command(describe_file_watch, [](const EventsArguments& a) {
    return show_events(a, Events::About::files);
  });
}

}  // namespace hapax::cli
