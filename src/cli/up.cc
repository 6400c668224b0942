#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/exit_status.h"
#include "cli/local_group.h"
#include "cli/log.h"
#include "cli/node_settings.h"
#include "cli/number.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "hapax/hapax.h"
#include "local/private_folder.h"

namespace hapax::cli {
namespace {

constexpr std::uint32_t kMostMembers = 64;
constexpr std::chrono::seconds kToMeet{5};

struct UpArguments {
  std::uint32_t size = 3;
  std::vector<std::string> algorithm;
  std::string default_algorithm;
  std::string election{name_of(ElectionId{})};
  std::string clients_dir;
};

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

bool are_all_up(const GroupStatus& status) {
  for (const bool up : status.up) {
    if (!up) return false;
  }
  return true;
}

// What each member says of itself, a line each.
class Board {
 public:
  explicit Board(const std::vector<std::string>& addresses) : addresses_(addresses) {
    for (const std::string& address : addresses) {
      clients_.push_back(std::make_unique<Client>(address));
    }
  }

  bool is_complete() {
    for (const auto& client : clients_) {
      if (!are_all_up(client->status())) return false;
    }
    return true;
  }
  std::string text() {
    std::string text;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      const GroupStatus s = clients_[i]->status();
      text +=
          fmt::format("member {}  {}  {} held, {} waiting, {} entries  {}\n", i + 1,
                      are_all_up(s) ? "up" : "alone", s.held, s.waiting, s.entries, addresses_[i]);
    }
    return text;
  }

 private:
  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<Client>> clients_;
};

// How many lines of a terminal the text takes.
std::size_t rows_of(const std::string& text, std::size_t columns) {
  std::size_t rows = 0;
  for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != std::string::npos;
       from = end + 1) {
    rows += std::max<std::size_t>(1, (end - from + columns - 1) / columns);
  }
  return rows;
}

// On a terminal the lines stay where they are and change; elsewhere they are printed once.
void show_until_signal(Board& board, Signals& signals) {
  const std::optional<std::size_t> columns = columns_of(1);
  std::string last = board.text();
  fmt::print("{}", last);
  std::fflush(stdout);
  while (!signals.take()) {
    wait_for(signals, nullptr, columns ? 1000 : -1);
    if (!columns) continue;
    const std::string now = board.text();
    if (now == last) continue;
    fmt::print("\033[{}A\033[J{}", rows_of(last, *columns), now);
    std::fflush(stdout);
    last = now;
  }
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
  const std::string usual = Client::default_address();
  Signals signals{SIGINT, SIGTERM, SIGHUP};  // Before there are threads.
  const local::PrivateFolder folder = fresh_folder();
  std::optional<local::PrivateFolder> clients;
  try {
    if (!a.clients_dir.empty()) clients.emplace(a.clients_dir);
  } catch (const std::system_error& e) {
    throw Failure{kBadUsage, e.what()};
  }
  LocalGroup group{{a.size,
                    policy,
                    *election,
                    folder.path(),
                    clients ? clients->path() : folder.path(),
                    {usual}}};
  for (const std::string& warning : policy.warnings()) log_line("warning: " + warning);
  Board board{group.addresses()};
  const auto give_up = std::chrono::steady_clock::now() + kToMeet;
  while (!board.is_complete() && std::chrono::steady_clock::now() < give_up) {
    wait_for(signals, nullptr, 10);
  }
  group.settle();
  fmt::print("{} members, until ^C. Programs of this machine reach them at {}\n", a.size, usual);
  fmt::print("In another terminal:  hapax run NAME -- CMD…   hapax who   hapax status\n");
  show_until_signal(board, signals);
  return kHolds;
}

}  // namespace

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
  command->footer(
      "Examples:\n"
      "  hapax up 3\n"
      "  hapax up 5 --default-algorithm ricart-agrawala --algorithm 'orders/*=maekawa'\n"
      "  HAPAX_ADDRESS=unix:/tmp/other.sock hapax up 3     a second group beside the first\n"
      "Member 1 serves the address that all commands use by themselves ($HAPAX_ADDRESS), every "
      "member\nits own as well. Nothing survives the end of the command.\n"
      "Exit status: 0 stopped by a signal, 64 usage, 69 another daemon serves the address.");
  command->callback([a, &outcome] { outcome.status = run_up(*a); });
}

}  // namespace hapax::cli
