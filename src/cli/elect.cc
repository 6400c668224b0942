#include "cli/elect.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/printable.h"
#include "cli/commands.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/number.h"
#include "console/show.h"
#include "console/signals.h"
#include "hapax/hapax.h"
#include "jobs/attend.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::hours kForever{24 * 365 * 10};
constexpr double kLongestWait_s = 1e8;  // Three years.

struct CampaignArguments : ElectArguments {
  bool observe = false;
  std::string value;
  std::optional<double> wait_s;
  std::optional<double> kill_after_s;  // A second, or what the lease has room for.
  bool input = false;                  // Its end resigns, also if that is no terminal.
  std::vector<std::string> command;

  bool listens() const { return input || isatty(STDIN_FILENO) == 1; }
};

// A name, for handing over, that nobody else has.
std::string own_value() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}/{}", host.data(), getpid());
}

// Until it leads; false if that took too long.
bool campaign(Client& client, Election& election, const CampaignArguments& a) {
  auto patience = std::chrono::duration_cast<std::chrono::nanoseconds>(kForever);
  if (a.wait_s) {
    patience = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>{*a.wait_s});
  }
  const std::string value = a.value.empty() ? own_value() : a.value;
  const auto error = election.campaign_until(value, Election::Clock::now() + patience, {});
  if (error == Errc::unavailable) fail_as_unavailable(client, a.name, "");
  if (error && error != Errc::timed_out) fail(error, a.name);
  return !error;
}

void say_that_it_leads(const Election& election, const CampaignArguments& a) {
  const std::string fence = text_of(election.fence());
  if (a.json) {
    print_json({{"election", a.name}, {"fence", fence}});
  } else if (a.command.empty()) {
    show("leads {}, fence {}; {} resigns\n", a.name, fence,
         a.listens() ? "^C or the end of standard input" : "SIGTERM or ^C");
  }
  std::fflush(stdout);
}

[[noreturn]] void fail_as_lost(const CampaignArguments& a, Client& client, const char* what) {
  throw Failure{kLost, fmt::format("the lead of {} is lost{}: {}", a.name, what, why_lost(client))};
}

// In favour of the candidate it was asked to step down for, if that one is there.
void step_down(Election& election, const CampaignArguments& a) {
  const std::string successor = election.wanted_successor();
  if (!successor.empty()) {
    const auto error = election.hand_over(successor);
    if (!error) return;
    fmt::print(stderr, "hapax: {} is not handed over to {}: {}\n", a.name, printable(successor),
               error.message());
  }
  election.resign();
}

int lead(Client& client, Election& election, Signals& signals, const CampaignArguments& a) {
  std::signal(SIGTTIN, SIG_IGN);
  hold_until(signals, {election.lost(), election.asked_to_resign()},
             a.listens() ? STDIN_FILENO : -1);
  if (election.lost().stop_requested()) fail_as_lost(a, client, "");
  if (election.asked_to_resign().stop_requested()) {
    fmt::print(stderr, "hapax: {} was asked to step down\n", a.name);
    step_down(election, a);
  }
  return kHolds;
}

int lead_with_command(Client& client, Election& election, Signals& signals,
                      const CampaignArguments& a) {
  const GroupStatus group = status_of(client, a.name);
  set_environment(group, a.name, election.fence(), election.valid_for());
  const milliseconds grace = grace_within_lease(group, a.kill_after_s);
  const detail::JobTie tie{client};
  Reliance reliance{{election.lost(), election.asked_to_resign()},
                    [&] { return election.valid_for(); },
                    grace,
                    tie};
  if (reliance.has_ended()) fail_as_lost(a, client, "");
  Job job{a.command, signals.former(), tie, reliance.good_for()};
  if (const auto status = attend(job, reliance, signals)) {
    end_all(job, a.name, grace, kToBeGone);  // It leads until no process of the job is left.
    return *status;
  }
  const bool was_asked = election.asked_to_resign().stop_requested() &&
                         !election.lost().stop_requested() && election.valid_for() > grace;
  end_all(job, a.name, was_asked ? grace : reliance.grace_left(), grace);
  if (!was_asked) fail_as_lost(a, client, ", and the command was ended");
  step_down(election, a);
  throw Failure{
      kLost, fmt::format("the leader of {} was asked to step down; the command was ended", a.name)};
}

int run_campaign(const CampaignArguments& a) {
  std::string address = a.address, name = a.name;
  find_cell(address, name);
  Signals signals{kForAJob};  // Before any thread.
  std::unique_ptr<Client> client;
  std::optional<Election> election;
  bool leads = false;
  listen_while(signals, [&] {
    client.reset(
        new Client{reach(address, Purpose::takes_locks)});  // Made in place: it cannot be moved.
    election.emplace(*client, name);
    leads = campaign(*client, *election, a);
  });
  if (!leads) throw Failure{kConflict, fmt::format("somebody else leads {}", a.name)};
  say_that_it_leads(*election, a);
  if (a.command.empty()) return lead(*client, *election, signals, a);
  return lead_with_command(*client, *election, signals, a);
}

void check(const CampaignArguments& a) {
  const bool campaigns = !a.value.empty() || a.wait_s || !a.command.empty();
  if (a.name.empty() && campaigns) {
    throw Failure{kBadUsage, "what to campaign for? Write hapax elect NAME"};
  }
  if (a.observe && campaigns) {
    throw Failure{kBadUsage, "--observe only watches; leave --value, --wait and CMD out"};
  }
  if (!a.name.empty()) require_lock_name(a.name);
  if (!a.value.empty()) require_value("--value", a.value);
}

int run_elect(CampaignArguments a, const Given& given) {
  const auto& behind = given.behind;  // With its `--`.
  if (!behind.empty()) a.command.assign(behind.begin() + 1, behind.end());
  if (!behind.empty() && (a.command.empty() || a.command.front().empty())) {
    throw Failure{kBadUsage, "there is no command behind --; leave -- out, or write one"};
  }
  check(a);
  if (a.observe) return a.name.empty() ? observe_group(a) : observe_election(a);
  return a.name.empty() ? show_group_leader(a) : run_campaign(a);
}

Command describe_elect(CampaignArguments& a) {
  Command command{"elect", "Lead, or see who leads: programs by a name, or the group", kLockGroup};

  command.usage =
      "Usage: hapax elect [--observe]\n"
      "       hapax elect NAME --observe\n"
      "       hapax elect [OPTIONS] NAME [-- CMD [ARGUMENT …]]\n";
  command.takes_command = true;
  command.add("NAME", &a.name, "What to lead, e.g. scheduler; else the group is shown");
  add_address(command, &a.address, Purpose::takes_locks);
  command.add("--observe", &a.observe, "A line whenever the leader changes, until ^C");
  command.add("--value", &a.value,
              "What to proclaim while leading, at most 512 bytes; HOST/PID if not said");
  command.add("-w,--wait", &a.wait_s, "Campaign so many seconds at most, e.g. 0.5",
              {.check = seconds(0, kLongestWait_s)});
  command.add("--kill-after", &a.kill_after_s,
              "Seconds from SIGTERM to SIGKILL when CMD may not go on; 1 if not said",
              {.check = seconds(0, std::chrono::duration<double>(kLongestGrace).count())});
  command.add("--stdin", &a.input,
              "Without CMD: resign at the end of standard input, also if that is no terminal");
  command.add("--json", &a.json, "JSON objects, one a line");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax elect                                   who leads the group\n"
          "  hapax elect scheduler                         campaign, and lead until ^C\n"
          "  hapax elect scheduler --value $HOSTNAME -- ./scheduler\n"
          "  hapax elect scheduler --observe --json        leaders and VACANT as they come\n"
          "  hapax resign scheduler --to other-host        hand over\n"
          "Whoever leads NAME holds the lock of that name; its fence numbers the terms, and CMD "
          "has "
          "it as\nHAPAX_FENCE. CMD runs only while leading, and is ended, as by `hapax run`, when "
          "the lead is lost\nor the leader is asked to step down. Observers are told by the "
          "members; a vacancy shorter than\nthe news of it may go unseen. The leader of the group "
          "is for people: in a partition each side\nhas one. It is looked for five times a "
          "second.\n"} +
      kElectStatuses;
  return command;
}

}  // namespace

Command elect_command() { return make_command(describe_elect, run_elect); }

}  // namespace hapax::cli
