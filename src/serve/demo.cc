// hapax demo bank: money lost without the lock, none with it, a late writer refused.
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "bank/acts.h"
#include "bank/atm.h"
#include "bank/interrupts.h"
#include "console/json.h"
#include "console/number.h"
#include "console/usage.h"
#include "core/fence.h"
#include "local/private_folder.h"
#include "serve/commands.h"

namespace hapax::cli {
namespace {

namespace fs = std::filesystem;
using bank::text_of;

struct BankArguments {
  int atms = 5;
  int deposits = 40;
  bool json = false;
};

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);  // As it happens, even through a pipe.
}

void say_statement(const bank::Statement& s, const std::string& why) {
  say(fmt::format("   receipts say {:>8}   {} deposits, each confirmed to a customer",
                  text_of(s.expected()), s.deposits));
  say(fmt::format("   balance      {:>8}", text_of(s.balance)));
  say(fmt::format("   lost         {:>8}   {}", text_of(s.lost()), why));
}

void tell(const bank::WithoutLock& act) {
  say_statement(act.statement, act.as_expected()
                                   ? "an ATM wrote over what others had added meanwhile"
                                   : "NOTHING, for once; try again, or with more --deposits");
}

void tell(const bank::WithLock& act) {
  say_statement(act.statement, act.as_expected() ? "each ATM saw what the one before it wrote"
                                                 : "WRONG: this must not happen");
  say(fmt::format("   Every grant came with a fence, {} … {}: {}. {:.1f} s.", act.first, act.last,
                  act.fences_grow ? "each larger than the last" : "NOT GROWING",
                  static_cast<double>(act.took.count()) / 1000));
}

void tell(const bank::LateWriter& act) {
  say(fmt::format("   Receipts say {}, the balance is {}: lost {}.", text_of(act.gated.expected()),
                  text_of(act.gated.balance), text_of(act.gated.lost())));
  if (!act.as_expected()) say("   WRONG: this must not happen");
}

boost::json::object as_json(const bank::Statement& s) {
  return {{"expected", s.expected()},
          {"balance", s.balance},
          {"lost", s.lost()},
          {"deposits", s.deposits}};
}

boost::json::object as_json(const bank::WithoutLock& act) {
  boost::json::object object = as_json(act.statement);
  object["takes"] = act.takes;
  object["think_us"] = act.think.count();
  object["as_expected"] = act.as_expected();
  return object;
}

boost::json::object as_json(const bank::WithLock& act) {
  boost::json::object object = as_json(act.statement);
  object["members"] = act.members;
  object["first_fence"] = fmt::format("{}", act.first);
  object["last_fence"] = fmt::format("{}", act.last);
  object["fences_grow"] = act.fences_grow;
  object["took_ms"] = act.took.count();
  object["as_expected"] = act.as_expected();
  return object;
}

boost::json::object as_json(const bank::LateWriter& act) {
  boost::json::object object = as_json(act.gated);
  object["late_fence"] = fmt::format("{}", act.late);
  object["next_fence"] = fmt::format("{}", act.next);
  object["again_fence"] = fmt::format("{}", act.again);
  object["taken_over_after_ms"] = act.after.count();
  object["removed_from_view"] = act.removed;
  object["refused"] = act.refused;
  object["balance_at_refusal"] = act.at_refusal;
  object["noticed"] = act.noticed;
  object["without_gate"] = as_json(act.ungated);
  object["as_expected"] = act.as_expected();
  return object;
}

int run_as_json(bank::Stage& stage, const BankArguments& a) {
  const auto one = stage.without_lock();
  const auto two = stage.with_lock();
  const auto three = stage.late_writer([](const std::string&) {});
  const bool holds = one.as_expected() && two.as_expected() && three.as_expected();
  print_json({{"atms", a.atms},
              {"deposits_each", a.deposits},
              {"without_lock", as_json(one)},
              {"with_lock", as_json(two)},
              {"late_writer", as_json(three)},
              {"as_expected", holds}});
  return holds ? kHolds : kViolated;
}

int run_for_people(bank::Stage& stage, const bank::Options& options, const fs::path& folder) {
  const auto begin = std::chrono::steady_clock::now();
  say(
      fmt::format("A bank: {} ATMs, each a process, and a SQLite database in\n{}.\n"
                  "Each ATM deposits {} {} times: it reads the balance, thinks for 2 ms, and\n"
                  "writes the sum.\n",
                  options.atms, folder.string(), text_of(options.amount), options.deposits));
  say("1. Without a lock, all at once");
  const auto one = stage.without_lock();
  tell(one);
  say("\n2. The same, each deposit inside a hapax::Mutex of a group of three daemons");
  const auto two = stage.with_lock();
  tell(two);
  say("\n3. A machine stops in the middle of a deposit; a gate stands before the account");
  const auto three = stage.late_writer([](const std::string& line) { say("   " + line); });
  tell(three);
  const bool holds = one.as_expected() && two.as_expected() && three.as_expected();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  say(fmt::format("\n{} {:.1f} s.",
                  holds
                      ? "Money is lost without the lock, none with it; the late write was refused."
                      : "NOT AS IT SHOULD BE.",
                  took.count()));
  return holds ? kHolds : kViolated;
}

int run_bank(const BankArguments& a) {
  bank::Options options;
  options.atms = a.atms;
  options.deposits = a.deposits;
  bank::Interrupts interrupts;
  try {
    const local::PrivateFolder folder{fs::temp_directory_path(), "hapax-bank"};
    bank::Stage stage{folder.path(), options, interrupts};
    return a.json ? run_as_json(stage, a) : run_for_people(stage, options, folder.path());
  } catch (const bank::Interrupted& e) {
    return 128 + e.signal;  // As a shell would report it. All is tidied up.
  }
}

Command describe_bank(BankArguments& a) {
  Command command{"bank", "Money lost without a lock, none with it, and a late writer refused"};
  command.add("--atms", &a.atms, "Processes that deposit, 2 … 20",
              {.check = whole_number(2, 20, " ATMs"), .shows_default = true});
  command.add("--deposits", &a.deposits, "Of each ATM, 1 … 500",
              {.check = whole_number(1, 500, " deposits"), .shows_default = true});
  command.add("--json", &a.json, "One JSON object instead of the story");
  command.footer =
      "Real processes, ATMs and daemons (`hapax node` on the embedded engine), on a real\n"
      "SQLite database in a temporary folder, all gone at the end. Some seconds.\n"
      "Exit status: 0 as it should be, 1 not, 70 it could not be played to the end.\n"
      "Examples:\n"
      "  hapax demo bank\n"
      "  hapax demo bank --atms 10 --deposits 20\n"
      "  hapax demo bank --json";
  return command;
}

struct AtmArguments {
  std::string books;
  int number = 0;
};

// What the demo starts; of no use to anybody else.
Command describe_atm(AtmArguments& a) {
  Command command{"atm", "", kHidden};
  command.add("books", &a.books, "", {.required = true});
  command.add("number", &a.number, "", {.required = true});
  return command;
}

int run_atm(const AtmArguments& a) { return bank::run_atm(a.books, a.number); }

}  // namespace

Command demo_command() {
  Command command{"demo", "A lock at work, in a minute"};
  command.footer = "Example:\n  hapax demo bank";
  command.subcommands = {make_command(describe_bank, run_bank),
                         make_command(describe_atm, run_atm)};
  command.run = [](const Given&) -> int {
    throw UsageError{"there is one demo so far: `hapax demo bank` (--help shows how)"};
  };
  return command;
}

}  // namespace hapax::cli
