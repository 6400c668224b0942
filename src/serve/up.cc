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

#include "console/command.h"
#include "console/exit_status.h"
#include "console/log.h"
#include "serve/node_settings.h"
#include "console/number.h"
#include "console/signals.h"
#include "hapax/hapax.h"
#include "local/private_folder.h"

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
  const UpPlan plan{a,
                    policy,
                    *election,
                    Client::default_address(),
                    folder.path(),
                    clients ? clients->path() : folder.path()};
  a.fixed ? up_fixed(plan, signals) : up_on_engine(plan, signals);
  return kHolds;
}

}  // namespace

void say_hello(const UpPlan& plan) {
  for (const std::string& warning : plan.policy.warnings()) log_line("warning: " + warning);
  fmt::print("{} members, until ^C. Programs of this machine reach them at {}\n",
             plan.arguments.size, plan.usual);
  fmt::print("In another terminal:  hapax run NAME -- CMD…   hapax who   hapax status\n");
}

std::string counts_of(const GroupStatus& s) {
  return fmt::format("{} held, {} waiting, {} entries", s.held, s.waiting, s.entries);
}

void add_up(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("up", "A local group of real daemons, until ^C");
  command->group(kLockGroup);
  auto a = std::make_shared<UpArguments>();
  command->add_option("N", a->size, "Members")
      ->transform(whole_number(1, kMostMembers, " members, e.g. hapax up 3"))
      ->capture_default_str();
  command
      ->add_option("--algorithm", a->algorithm,
                   "PATTERN=ALGORITHM, as in 'orders/*=maekawa' or 'pool/*=semaphore-ra:4' "
                   "(repeatable)")
      ->allow_extra_args(false);
  command->add_option("--default-algorithm", a->default_algorithm, "For the other locks");
  command
      ->add_option("--election", a->election,
                   "How the coordinator of `central` and the leader are found: bully, "
                   "ring-election or chang-roberts")
      ->capture_default_str();
  command->add_option("--clients-dir", a->clients_dir,
                      "Put the members' client sockets, member-1.sock …, into this folder");
  command
      ->add_option("--ttl", a->ttl,
                   "How long a lease lasts, 500ms or more: so long after a member's end its locks "
                   "are free")
      ->capture_default_str();
  command->add_flag("--fixed", a->fixed,
                    "A fixed list of members, all in one process, with no engine and no leases");
  command->footer(
      "Examples:\n"
      "  hapax up 3\n"
      "  hapax up 3 --ttl 1s                               then kill -9 one of the daemons\n"
      "  hapax up 5 --default-algorithm ricart-agrawala --algorithm 'orders/*=maekawa'\n"
      "  HAPAX_ADDRESS=unix:/tmp/other.sock hapax up 3     a second group beside the first\n"
      "Member 1 serves the address that all commands use by themselves ($HAPAX_ADDRESS), every "
      "member\nits own as well. Members are processes that find one another through a file (the "
      "embedded\nengine): whoever is killed is missed by its own clients only. Nothing survives "
      "the "
      "end of the\ncommand.\n"
      "Exit status: 0 stopped by a signal, 64 usage, 69 another daemon serves the address, or all\n"
      "members are gone.");
  command->callback([a, &outcome] { outcome.status = run_up(*a); });
}

}  // namespace hapax::cli
