// hapax backup: what a group keeps in its engine, as one file.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "base/release.h"
#include "certs/new_file.h"
#include "console/exit_status.h"
#include "console/show.h"
#include "group_commands/group_commands.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

struct BackupArguments {
  std::string address;
  std::string file;
};

int run_backup(const BackupArguments& a) {
  Client client = reach(a.address);
  std::string text;
  try {
    text = client.backup();
  } catch (const std::system_error& e) {
    if (e.code() == Errc::refused) throw Failure{kUnavailable, "backup: " + words_of(e)};
    fail(e, "backup");
  }
  boost::system::error_code failed;
  boost::json::value document = boost::json::parse(text, failed);
  if (failed || !document.is_object()) {
    throw Failure{kUnavailable, "backup: the daemon's answer is not understood"};
  }
  document.as_object()["release"] = release();
  text = boost::json::serialize(document) + "\n";
  if (a.file.empty() || a.file == "-") {
    show("{}", text);
    return kHolds;
  }
  if (const auto wrong = net::replace({a.file, text, 0600})) {
    throw Failure{kSystem, "backup: " + wrong->message};
  }
  return kHolds;
}

Command describe_backup(BackupArguments& a) {
  Command command{"backup", "Copy what the group keeps in its engine to a file", kLockGroup};
  add_address(command, &a.address);
  command.add("FILE", &a.file, "Where to, readable by its owner only; standard output if not said");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax backup /var/backups/hapax.json\n"
          "  hapax backup | jq .epoch\n"
          "  hapax node --restore /var/backups/hapax.json …   on an engine that has "
          "lost its records\n"
          "For administrators. It has settings, bans, and the epoch above which a "
          "restored group begins;\nwhat is held is in no backup.\n"} +
      kShowStatuses;
  return command;
}

}  // namespace

Command backup_command() { return make_command(describe_backup, run_backup); }

}  // namespace hapax::cli
