#include "jobs/reach.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string_view>

#include "cells/cells.h"
#include "console/exit_status.h"
#include "core/lock_name.h"
#include "handles/gateway_makers.h"
#include "hapax/error.h"
#include "net/address.h"

namespace hapax::cli {
namespace {

constexpr std::string_view kCells = "cells:";

bool is_insecure = false;  // Of the one command that this process is.

// Of --address "$WHERE" with nothing in it: to lock elsewhere than was meant is to lock nothing.
std::string said_address(const std::string& address) {
  return address.empty() ? "is empty; leave it out for the usual daemon" : "";
}

}  // namespace

void add_address(Command& command, std::string* address, Purpose purpose) {
  const bool may_be_engine = purpose != Purpose::asks && purpose != Purpose::hears;
  command.add(
      "--address", address,
      std::string{"Where the daemon is: unix:/path or host:port, or several, separated by "
                  "commas; "} +
          (may_be_engine ? "or an engine, as etcd://host:port,…; " : "") +
          (purpose == Purpose::asks ? "" : "or cells:FILE, which says who serves a name; ") +
          "else $HAPAX_ADDRESS or the usual Unix socket",
      {.check = said_address});
  // Into the environment, where the library looks, and so does what `hapax run` starts.
  const auto add = [&](const char* flag, const char* variable, const char* what) {
    command.add(
        flag, [variable](const std::string& path) { setenv(variable, path.c_str(), 1); }, what);
  };
  add("--ca", "HAPAX_CA", "Certificate of the group's authority, to reach other machines");
  add("--cert", "HAPAX_CERT", "Our own certificate, as `hapax certs --clients` makes it …");
  add("--key", "HAPAX_KEY", "… and its private key");
  add("--server-user", "HAPAX_SERVER_USER",
      "Believe a Unix socket that this user serves, too; else only our own and root's");
  if (may_be_engine) {
    add("--engine-user", "HAPAX_ENGINE_USER", "Log in to the engine as");
    add("--engine-password-file", "HAPAX_ENGINE_PASSWORD_FILE",
        "Its password: the first line of this file");
  }
  if (purpose == Purpose::takes_locks || purpose == Purpose::looks) {
    add("--engine-units", "HAPAX_ENGINE_UNITS",
        "Of ZooKeeper: how many may hold at a time, 'pool/*=4,license=2'; one if not said");
  }
  if (purpose == Purpose::keeps_files) {
    add("--engine-group", "HAPAX_ENGINE_GROUP",
        "Of an engine: the group whose files they are; hapax if not said");
  }
  if (purpose == Purpose::takes_locks) {
    add("--engine-ttl", "HAPAX_ENGINE_TTL",
        "How long the engine keeps what is held by one that is killed or cut off; 10s if not said");
  }
  command.add("--insecure", &is_insecure,
              "Plain TCP on this machine, where any of its users may listen in the daemon's place");
}

bool goes_to_engine(char** argv) {
  static const std::set<std::string_view> kThose{"run",   "lock",  "try",  "who",
                                                 "watch", "elect", "file", "fence"};
  if (argv[0] == nullptr || argv[1] == nullptr || !kThose.contains(argv[1])) return false;
  constexpr std::string_view kFlag = "--address";
  std::string address = Client::own_address();
  for (char** word = argv + 2; *word != nullptr && std::string_view{*word} != "--"; ++word) {
    const std::string_view said{*word};
    if (said == kFlag && word[1] != nullptr) address = word[1];
    if (said.starts_with(kFlag) && said.substr(kFlag.size()).starts_with('=')) {
      address = said.substr(kFlag.size() + 1);
    }
  }
  if (!address.starts_with(kCells)) return !detail::scheme_of(address).empty();
  const auto cells = Cells::read(address.substr(kCells.size()));
  return cells && std::any_of(cells->all().begin(), cells->all().end(), [](const CellEntry& entry) {
           return !detail::scheme_of(entry.address).empty();
         });
}

void find_cell(std::string& address, std::string& name) {
  const std::string given = address.empty() ? Client::default_address() : address;
  if (!given.starts_with(kCells)) return;
  try {
    const ClientOptions there = Client::options_for(given, name);
    require_lock_name(name);
    address = fmt::format("{}", fmt::join(there.addresses, ","));
    // Where reach() looks, and what `hapax run` starts.
    const auto set = [](const char* variable, const std::string& value) {
      if (!value.empty()) setenv(variable, value.c_str(), 1);
    };
    set("HAPAX_CA", there.authority);
    set("HAPAX_CERT", there.certificate);
    set("HAPAX_KEY", there.key);
    set("HAPAX_SERVER_USER", there.server_user);
  } catch (const std::system_error& e) {
    throw Failure{kBadUsage, words_of(e)};
  }
}

Client reach(const std::string& given, Purpose purpose) {
  if (is_insecure) setenv("HAPAX_INSECURE", "true", 1);
  const std::string address = given.empty() ? Client::default_address() : given;
  if ((purpose == Purpose::asks || purpose == Purpose::hears) &&
      !detail::scheme_of(address).empty()) {
    throw Failure{kBadUsage, fmt::format("{} is an engine, which has no group and no settings of "
                                         "ours: ask a daemon",
                                         address)};
  }
  // Files and events find their cell by themselves, and what they show has its name before it.
  const bool finds_its_cell = purpose == Purpose::keeps_files || purpose == Purpose::hears;
  if (address.starts_with(kCells) && !finds_its_cell) {
    throw Failure{kBadUsage,
                  fmt::format("{} names several groups: say the --address of one", address)};
  }
  try {
    ClientOptions options = Client::options_for(address);
    options.asks_only = purpose != Purpose::takes_locks;
    const std::string_view caveat = detail::not_promised_at(address);
    if (!options.asks_only && !caveat.empty()) fmt::print(stderr, "hapax: {}.\n", caveat);
    return Client{options};
  } catch (const std::system_error& e) {
    const std::string said = words_of(e);
    const bool names_its_option = said.starts_with("--");
    const bool is_from_environment = given.empty() && std::getenv("HAPAX_ADDRESS") != nullptr;
    const std::string where = names_its_option      ? ""
                              : is_from_environment ? "$HAPAX_ADDRESS: "
                                                    : "--address: ";
    if (e.code() == Errc::bad_address) throw Failure{kBadUsage, where + said};
    throw Failure{e.code() == Errc::forbidden ? kForbidden : kUnavailable, said};
  }
}

void fail(std::error_code error, const std::string& what) {
  if (error == Errc::bad_name || error == Errc::bad_address || error == Errc::bad_value)
    throw Failure{kBadUsage, what};
  if (error == Errc::unavailable) throw Failure{kNoLease, what};
  throw Failure{kUnavailable, fmt::format("{}: {}", what, error.message())};
}

void fail(const std::system_error& error, const std::string& what) {
  if (error.code() == Errc::forbidden) throw Failure{kForbidden, words_of(error)};
  // A library that says only what was asked leaves the rest to us.
  const std::string said = words_of(error);
  if (error.code() == Errc::refused && said != what) throw Failure{kBadUsage, said};
  fail(error.code(), what);
}

GroupStatus status_of(Client& client, const std::string& what) {
  try {
    return client.status();
  } catch (const std::system_error& e) {
    fail(e, what);
  }
}

std::string words_of(const std::system_error& error) {
  std::string text = error.what();
  const std::string usual = error.code().message();
  if (text.ends_with(": " + usual)) text.resize(text.size() - usual.size() - 2);
  return text;
}

void require_value(const char* flag, const std::string& value) {
  if (check_lock_name(value)) return;
  throw Failure{kBadUsage, fmt::format("{}: {}", flag, make_error_code(Errc::bad_value).message())};
}

void require_lock_name(const std::string& name) {
  const auto good = check_lock_name(name);
  if (!good) throw Failure{kBadUsage, good.error().message};
}

}  // namespace hapax::cli
