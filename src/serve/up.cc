#include "serve/up.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/counted.h"
#include "base/machine_daemon.h"
#include "console/exit_status.h"
#include "console/log.h"
#include "console/number.h"
#include "console/signals.h"
#include "hapax/hapax.h"
#include "local/private_folder.h"
#include "serve/commands.h"
#include "serve/node_plan.h"

namespace hapax::cli {
namespace {

constexpr std::uint32_t kMostMembers = 64;

Policy policy_from(const UpArguments& a) {
  Policy policy;
  const auto check = [](const char* flag, const Result<void>& done) {
    if (!done) throw Failure{kBadUsage, fmt::format("{}: {}", flag, done.error().message)};
  };
  if (!a.default_algorithm.empty()) {
    check("--default-algorithm", policy.set_default(a.default_algorithm));
  }
  for (const std::string& rule : a.algorithm) check("--algorithm", policy.add(rule));
  return policy;
}

// For the sockets, gone at the end.
local::PrivateFolder fresh_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  try {
    return {runtime != nullptr && *runtime != '\0' ? runtime : "/tmp", "hapax-up"};
  } catch (const std::system_error& e) {
    throw Failure{kSystem, e.what()};
  }
}

int run_up(const UpArguments& a) {
  const Policy policy = policy_from(a);
  const auto election = election_from(a.election);
  if (!election) throw Failure{kBadUsage, election.error().message};
  Signals signals{SIGINT, SIGTERM, SIGHUP};  // Before there are threads.
  const local::PrivateFolder folder = fresh_folder();
  std::optional<local::PrivateFolder> clients;
  try {
    if (!a.clients_dir.empty()) clients.emplace(a.clients_dir);
  } catch (const std::system_error& e) {
    throw Failure{kBadUsage, e.what()};
  }
  if (has_machine_daemon() && std::getenv("HAPAX_ADDRESS") == nullptr) {
    throw Failure{kBadUsage,
                  fmt::format("this machine has a daemon of its own ({}), and whoever speaks to it "
                              "would speak to these instead: give them another address, as in "
                              "HAPAX_ADDRESS=unix:/tmp/other.sock hapax up {}",
                              kMachineSocket, a.size)};
  }
  const UpPlan plan{a,
                    policy,
                    *election,
                    Client::own_address(),
                    folder.path(),
                    clients ? clients->path() : folder.path()};
  a.fixed ? up_fixed(plan, signals) : up_on_engine(plan, signals);
  return kHolds;
}

Command describe_up(UpArguments& a) {
  Command command{"up", "A local group of real daemons, until ^C", kLockGroup};

  command.add(
      "N", &a.size, "Members",
      {.check = whole_number(1, kMostMembers, " members, e.g. hapax up 3"), .shows_default = true});
  command.add("--algorithm", &a.algorithm,
              "PATTERN=ALGORITHM, as in 'orders/*=maekawa' or 'pool/*=semaphore-ra:4' "
              "(repeatable)",
              {.takes_one_each = true});
  command.add("--default-algorithm", &a.default_algorithm, "For the other locks");
  command.add("--election", &a.election,
              "How the members find who leads them: bully, "
              "ring-election or chang-roberts",
              {.shows_default = true});
  command.add("--clients-dir", &a.clients_dir,
              "Put the members' client sockets, member-1.sock …, into this folder");
  command.add("--ttl", &a.ttl,
              "How long a lease lasts, 500ms or more: so long after a member's end its locks "
              "are free",
              {.shows_default = true});
  command.add("--page", &a.page,
              "A live page of the group at this address, 127.0.0.1:PORT; served by member 1");
  command.add("--fixed", &a.fixed,
              "A fixed list of members, all in one process, with no engine and no leases",
              {.excludes = {"--page"}});
  command.footer =
      "Examples:\n"
      "  hapax up 3\n"
      "  hapax up 3 --ttl 1s                               then kill -9 one of the daemons\n"
      "  hapax up 3 --page 127.0.0.1:8080                  and watch it in a browser\n"
      "  hapax up 5 --default-algorithm ricart-agrawala --algorithm 'orders/*=maekawa'\n"
      "  HAPAX_ADDRESS=unix:/tmp/other.sock hapax up 3     a second group beside the first\n"
      "Member 1 serves the address that all commands use by themselves ($HAPAX_ADDRESS), every "
      "member\nits own as well. Members are processes that find one another through a file (the "
      "embedded\nengine): whoever is killed is missed by its own clients only. Nothing survives "
      "the "
      "end of the\ncommand.\n"
      "Exit status: 0 stopped by a signal, 64 usage, 69 another daemon serves the address, or all\n"
      "members are gone.";
  return command;
}

}  // namespace

void say_hello(const UpPlan& plan) {
  for (const std::string& warning : plan.policy.warnings()) log_line(warning, LogLevel::warning);
  fmt::print("{}, until ^C. Programs of this machine reach them at {}\n",
             counted(plan.arguments.size, "member"), plan.usual);
  if (!plan.arguments.page.empty()) {
    fmt::print("Live page, for you alone: {}\n", Client{plan.usual}.live_page());
  }
  fmt::print("In another terminal:  hapax run NAME -- CMD…   hapax who   hapax status\n");
}

std::string counts_of(const GroupStatus& s) {
  return fmt::format("{} held, {} waiting, {}", s.held, s.waiting,
                     counted(s.entries, "entry", "entries"));
}

Command up_command() { return make_command(describe_up, run_up); }

}  // namespace hapax::cli
