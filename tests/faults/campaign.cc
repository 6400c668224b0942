// Faults at a real group: daemons on hosts of their own, an engine, many clients, and a strike
// every few seconds; then everything is healed, everybody must be served, and the histories are
// judged.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "audit/judge.h"
#include "audit/read.h"
#include "faults/group.h"
#include "faults/holders.h"
#include "faults/plan.h"
#include "faults/sandbox.h"
#include "faults/strikes.h"
#include "faults/takeovers.h"
#include "service/lease_times.h"

namespace hapax::faults {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::map<std::string, EngineKind> kEngines{{"embedded", EngineKind::embedded},
                                                 {"etcd", EngineKind::etcd},
                                                 {"zookeeper", EngineKind::zookeeper},
                                                 {"none", EngineKind::none}};
constexpr int kFine = 0, kFindings = 1, kSkipped = 77;

fs::path new_folder() {
  std::string name = (fs::temp_directory_path() / "hapax-faults-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"cannot make " + name};
  return name;
}

double seconds(Nanos nanos) { return static_cast<double>(nanos) / 1e9; }

void print_takeovers(const char* which, const std::vector<Takeover>& all) {
  if (all.empty()) return;
  fmt::print(
      "takeovers after kill -9 of a holder's daemon, {}: {}, median {:.3f} s, worst {:.3f} s\n",
      which, all.size(), seconds(all[all.size() / 2].took), seconds(all.back().took));
}

void print_takeovers(const Plan& plan, const std::vector<Takeover>& all) {
  if (all.empty() || plan.engine == EngineKind::none) return;  // A list waits for its members.
  std::vector<Takeover> alone, others;
  for (const Takeover& takeover : all) (takeover.is_alone ? alone : others).push_back(takeover);
  print_takeovers("nothing else struck", alone);
  print_takeovers("into another fault", others);
  const LeaseTimes lease{plan.ttl};
  const auto formula = [&](Span commit) {
    return seconds(lease.worst_takeover(plan.members, commit).count());
  };
  fmt::print("the formula: {:.3f} s and three times what a commit takes, at most {:.3f} s in all\n",
             formula(Span{0}), formula(lease.engine_limit()));
}

audit::History read_histories(const std::vector<std::string>& files) {
  audit::History history;
  for (const std::string& file : files) {
    std::ifstream stream{file};
    const auto read = audit::read_history(stream, file, history);
    if (!read) throw std::runtime_error{read.error().message};
  }
  return history;
}

std::size_t times_found(const audit::Report& report, audit::Kind kind) {
  return report.counts[static_cast<std::size_t>(kind)];
}

// Without a gate the point is that updates are lost; with one, that nothing is found.
int verdict(const Plan& plan, const audit::Report& report, const Holders::Outcome& paused,
            std::size_t waiting) {
  if (!plan.has_gate) {
    const std::size_t lost = times_found(report, audit::Kind::lost_update);
    fmt::print("without a gate {} updates were lost\n", lost);
    return lost > 0 ? kFine : kFindings;
  }
  return report.is_fine() && paused.accepted == 0 && waiting == 0 ? kFine : kFindings;
}

std::string engine_text(const Plan& plan) {
  for (const auto& [name, kind] : kEngines) {
    if (kind == plan.engine && kind == EngineKind::embedded) return name;
    if (kind == plan.engine && kind == EngineKind::none) return "none, a fixed list";
    if (kind == plan.engine) return fmt::format("{} of {} servers", name, plan.servers);
  }
  return {};
}

int conduct(const Plan& plan) {
  fmt::print("{} members and {} workers on {} locks, TTL {} ms, engine {}, seed {}; in {}\n",
             plan.members, plan.workers, plan.locks, plan.ttl.count(), engine_text(plan), plan.seed,
             plan.folder.string());
  std::fflush(stdout);
  Group group{plan};
  if (!group.wait_until_all_entered(60s)) {
    throw std::runtime_error{"not every worker gets the lock even once; see m1.log"};
  }
  Strikes strikes{plan, group};
  Holders holders{plan, group};
  Holders::Outcome outcome;
  if (plan.paused_holders > 0) {
    outcome = holders.pause_each();
  } else if (plan.takeovers > 0) {
    outcome = holders.kill_each();
  } else {
    strikes.run();
    outcome.kills = strikes.kills();
  }
  group.heal();
  const std::size_t waiting = group.end_workers(plan.ttl + 5s);
  if (waiting > 0) group.note_status();
  group.note_totals();
  group.end_members();

  const auto files = group.histories();
  const audit::History history = read_histories(files);
  const audit::Report report = audit::judge(history);
  const audit::FileFindings file_findings = audit::judge_files(history.files());
  for (const auto& [kind, times] : strikes.by_kind()) fmt::print("{:4} {}\n", times, kind);
  if (plan.paused_holders > 0) {
    fmt::print("{} holders paused past their lease wrote on waking: {} refused, {} accepted\n",
               outcome.rounds, outcome.refused, outcome.accepted);
  }
  print_takeovers(plan, takeovers(history, outcome.kills, group.member_of_client()));
  fmt::print("{} workers were neither served nor told within TTL + 5 s of healing\n\n", waiting);
  std::fflush(stdout);
  std::string command = "'" + plan.hapax.string() + "' audit";
  for (const std::string& file : files) command += " '" + file + "'";
  // NOLINTNEXTLINE(cert-env33-c): words of our own
  const int audited = std::system(command.c_str());
  const bool is_fine = report.is_fine() && file_findings.empty();
  if ((audited == 0) != is_fine) throw std::runtime_error{"hapax audit judges otherwise"};
  if (!file_findings.empty()) return kFindings;
  return verdict(plan, report, outcome, waiting);
}

int run(int argc, char** argv) {
  Plan plan;
  double minutes = 0.5;
  std::string engine = "embedded";
  unsigned ttl_ms = 0;
  bool keep = false;
  CLI::App app{"Faults at a real group of daemons, and a judgement of what its clients saw"};
  app.add_option("--hapax", plan.hapax, "The program")->required()->check(CLI::ExistingFile);
  app.add_option("--worker", plan.worker, "Its client")->required()->check(CLI::ExistingFile);
  app.add_option("--minutes", minutes, "How long faults strike")->check(CLI::Range(0.01, 1'440.0));
  app.add_option("--engine", engine, "embedded, etcd, zookeeper, or none: a fixed list of members")
      ->check(CLI::IsMember(kEngines));
  app.add_option("--servers", plan.servers, "Of etcd or ZooKeeper")
      ->check(CLI::IsMember({1, 3, 5}));
  app.add_option("--members", plan.members, "Daemons")->check(CLI::Range(2, 50));
  app.add_option("--workers", plan.workers, "Clients")->check(CLI::Range(1, 1'000));
  app.add_option("--locks", plan.locks, "Names they want")->check(CLI::Range(1, 100));
  app.add_option("--files", plan.files, "That the workers read and write as well")
      ->check(CLI::Range(0, 100));
  app.add_option("--ttl", ttl_ms,
                 "Of leases, in milliseconds; 1000, in a fixed list what clients promise")
      ->check(CLI::Range(500, 60'000));
  app.add_option("--only", plan.only, "This kind of strike alone, e.g. 'lose packets'");
  app.add_option("--seed", plan.seed, "Of the faults");
  auto* paused = app.add_option("--paused-holder", plan.paused_holders,
                                "Only: pause whoever is inside, so many times");
  app.add_option("--takeover", plan.takeovers,
                 "Only: kill the daemon of whoever is inside, so many times")
      ->excludes(paused);
  app.add_flag("!--no-gate", plan.has_gate, "Without a fence gate: shows what is lost");
  app.add_flag("!--no-clock-jumps", plan.clocks_jump, "Leave wall clocks alone");
  app.add_flag("--keep", keep, "Leave histories and logs where they are, also if all is fine");
  CLI11_PARSE(app, argc, argv);
  if (!can_make_sandbox()) {
    fmt::print("skipped: needs root, and the packages iproute2 and iptables\n");
    return kSkipped;
  }
  plan.hapax = fs::absolute(plan.hapax);
  plan.worker = fs::absolute(plan.worker);
  plan.engine = kEngines.at(engine);
  if (plan.files > 0 && plan.engine == EngineKind::none) {
    throw std::runtime_error{"a fixed list has no files: leave out --files, or name an --engine"};
  }
  // Under libfaketime gRPC does not reconnect as soon as the clock is off at all.
  plan.clocks_jump = plan.clocks_jump && plan.engine == EngineKind::embedded;
  if (ttl_ms == 0) ttl_ms = plan.engine == EngineKind::none ? 4'000 : 1'000;
  plan.ttl = std::chrono::milliseconds{ttl_ms};
  plan.length = std::chrono::milliseconds{static_cast<long>(minutes * 60'000)};
  if (plan.paused_holders > 0 || plan.takeovers > 0) plan.locks = 1, plan.workers = plan.members;
  plan.folder = new_folder();
  const int status = in_sandbox([&] { return conduct(plan); });
  if (status == kFine && !keep) {
    fs::remove_all(plan.folder);
  } else {
    fmt::print("histories and logs are in {}\n", plan.folder.string());
  }
  return status;
}

}  // namespace
}  // namespace hapax::faults

int main(int argc, char** argv) {
  try {
    return hapax::faults::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "campaign: %s\n", e.what());
    return 2;
  }
}
