#include "faults/group.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <thread>

#include "faults/counter.h"

namespace hapax::faults {
namespace {

using std::chrono::milliseconds;

// Debian's libfaketime; empty if it is not there, and clocks do not jump.
std::string faketime_library() {
  for (const auto& entry : std::filesystem::directory_iterator(
           "/usr/lib", std::filesystem::directory_options::skip_permission_denied)) {
    const auto library = entry.path() / "faketime/libfaketimeMT.so.1";
    if (std::filesystem::exists(library)) return library.string();
  }
  return {};
}

std::string socket_of(const Plan& plan, std::size_t member) {
  return fmt::format("unix:{}/m{}.sock", plan.folder.string(), member + 1);
}

}  // namespace

Group::Group(const Plan& plan)
    : plan_(plan), own_history_((plan.folder / "campaign.jsonl").string()) {
  for (unsigned i = 0; i < plan.locks; ++i) locks_.push_back(fmt::format("lock-{}", i + 1));
  for (unsigned i = 0; i < plan.members; ++i) {
    const std::string host = network_.add_host(fmt::format("m{}", i + 1));
    addresses_ += fmt::format("{}{}:7400", i == 0 ? "" : ",", host);
  }
  run_command(fmt::format("{} certs --dir {}/certs --members {} >/dev/null", plan.hapax.string(),
                          plan.folder.string(), addresses_));
  engine_ = start_engine(plan, network_);
  for (unsigned i = 0; i < plan.members; ++i) add_member(plan);
  for (unsigned i = 0; i < plan.workers; ++i) {
    workers_.push_back({.stem = fmt::format("w{}", i + 1), .member = i % plan.members});
    start_worker(workers_.back());
  }
}

Group::~Group() = default;

void Group::add_member(const Plan& plan) {
  const std::size_t i = members_.size();
  const std::string host = fmt::format("m{}", i + 1);
  const std::string certs = (plan.folder / "certs").string();
  const std::string clock = (plan.folder / (host + ".clock")).string();
  Words words{"env", "FAKETIME_TIMESTAMP_FILE=" + clock, "FAKETIME_DONT_FAKE_MONOTONIC=1",
              "FAKETIME_NO_CACHE=1"};
  if (const std::string library = faketime_library(); plan.clocks_jump && !library.empty()) {
    words.push_back("LD_PRELOAD=" + library);
  }
  const std::string state = (plan.folder / (host + ".state")).string();
  words.insert(words.end(), {plan.hapax.string(), "node", "--group", "faults"});
  if (engine_->url().empty()) {
    words.insert(words.end(), {"--self", fmt::format("{}", i + 1), "--members", addresses_});
  } else {
    words.insert(words.end(), {"--engine", engine_->url(), "--name", host, "--listen",
                               network_.address_of(host) + ":7400", "--ttl",
                               fmt::format("{}ms", plan.ttl.count())});
  }
  words.insert(words.end(),
               {"--state", state, "--clients", socket_of(plan, i), "--ca", certs + "/ca.pem",
                "--cert", fmt::format("{}/member-{}.pem", certs, i + 1), "--key",
                fmt::format("{}/member-{}.key", certs, i + 1)});
  std::ofstream{clock} << "+0s\n";
  members_.push_back({host,
                      Restartable{host, host, words, (plan.folder / (host + ".log")).string()},
                      clock, state});
}

void Group::start_worker(Worker& worker) {
  worker.client =
      worker.restarts == 0 ? worker.stem : fmt::format("{}.{}", worker.stem, worker.restarts);
  member_of_client_[worker.client] = worker.member;
  const std::string history = (plan_.folder / (worker.client + ".jsonl")).string();
  worker.tail = Tail{history};
  const bool is_special = plan_.paused_holders > 0 || plan_.takeovers > 0;
  std::string locks;
  for (const std::string& lock : locks_) locks += (locks.empty() ? "" : ",") + lock;
  Words words{plan_.worker.string(),
              "--address",
              socket_of(plan_, worker.member),
              "--name",
              worker.client,
              "--member",
              fmt::format("{}", worker.member + 1),
              "--locks",
              locks,
              "--dir",
              plan_.fast_folder.string(),
              "--history",
              history,
              "--seed",
              fmt::format("{}", plan_.seed * 1'000'000 + member_of_client_.size())};
  // Long enough inside to be struck there. Among drawn faults only some are, since having many
  // entries is worth something, too.
  const bool is_slow = is_special || member_of_client_.size() % 3 == 0;
  if (is_slow) words.insert(words.end(), {"--work", "150", "--careless"});
  if (is_special) words.insert(words.end(), {"--rest", "1"});
  if (!plan_.has_gate) words.push_back("--no-gate");
  if (plan_.files > 0) {
    std::string all;  // Its own daemon first.
    for (std::size_t i = 0; i < plan_.members; ++i) {
      all += (i == 0 ? "" : ",") + socket_of(plan_, (worker.member + i) % plan_.members);
    }
    words.insert(words.end(), {"--files", fmt::format("{}", plan_.files), "--file-addresses", all});
  }
  worker.process = std::make_unique<Restartable>(worker.client, "", words,
                                                 (plan_.folder / "workers.log").string());
}

bool Group::wait_until_all_entered(milliseconds patience) {
  const auto give_up = Clock::now() + patience;
  for (Worker& worker : workers_) {
    for (bool entered = false; !entered;) {
      if (Clock::now() > give_up) return false;
      for (const auto& line : worker.tail.news()) {
        entered = entered || (line.at("op") == "acquire" && line.contains("fence"));
      }
      if (!entered) std::this_thread::sleep_for(milliseconds{10});
    }
  }
  return true;
}

void Group::jump_clock(std::size_t member, long seconds) {
  std::ofstream{members_[member].clock_file} << fmt::format("{:+}s\n", seconds);
}

void Group::replace_worker(std::size_t which) {
  Worker& worker = workers_[which];
  // It ends here: it does nothing any more, and is not dead yet. Once it is, its daemon may see
  // that and grant sooner than we do.
  worker.process->pause();
  const Nanos end = now();
  worker.process->kill_now();
  // In a file of its own: the last line of the other one may be cut off.
  Notes{own_history_, worker.client, 0}.note({.op = "end", .call = end, .ret = end});
  ++worker.restarts;
  start_worker(worker);
}

void Group::heal() {
  network_.heal_all();
  engine_->heal();
  for (Member& member : members_) {
    member.daemon.resume();
    if (!member.daemon.is_running()) member.daemon.start();
  }
  for (Worker& worker : workers_) worker.process->resume();
}

std::size_t Group::end_workers(milliseconds patience) {
  const auto give_up = Clock::now() + patience;
  for (Worker& worker : workers_) worker.process->ask_to_end();
  std::size_t waiting = 0;
  for (Worker& worker : workers_) {
    const auto left = std::chrono::duration_cast<milliseconds>(give_up - Clock::now());
    if (worker.process->wait_for_end(std::max(left, milliseconds{0}))) continue;
    ++waiting;
    worker.process->kill_now();
  }
  return waiting;
}

void Group::note_status() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Restartable asking{"status",
                       "",
                       {plan_.hapax.string(), "status", "--address", socket_of(plan_, i)},
                       (plan_.folder / (members_[i].host + ".status")).string()};
    asking.wait_for_end(milliseconds{3'000});
  }
}

void Group::note_totals() {
  const Notes notes{own_history_, "campaign", 0};
  for (const std::string& lock : locks_) {
    const Nanos call = now();
    const std::int64_t value = Counter{plan_.fast_folder, lock, false}.value_now();
    notes.note({.op = "read", .lock = lock, .call = call, .ret = now(), .value = value});
  }
}

void Group::end_members() {
  for (Member& member : members_) member.daemon.ask_to_end();
  for (Member& member : members_) member.daemon.wait_for_end(milliseconds{5'000});
}

std::vector<std::string> Group::histories() const {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(plan_.folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace hapax::faults
