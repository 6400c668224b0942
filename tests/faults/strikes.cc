#include "faults/strikes.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "faults/sandbox.h"

namespace hapax::faults {

using namespace std::chrono_literals;

Strikes::Strikes(const Plan& plan, Group& group) : plan_(plan), group_(group), random_(plan.seed) {
  std::string possible;
  for (const Fault& fault : all()) {
    if (is_possible(fault)) return;
    possible += fmt::format("\n  {}", fault.name);
  }
  throw std::runtime_error{"no such strike here; there are, with the right engine:" + possible};
}

const std::vector<Strikes::Fault>& Strikes::all() {
  static const std::vector<Fault> faults{
      {"kill a daemon", &Strikes::kill_member, Fault::nothing},
      {"pause a daemon past its lease", &Strikes::pause_member, Fault::nothing},
      {"pause a host past its lease", &Strikes::pause_host, Fault::nothing},
      {"cut a member off", &Strikes::cut_off, Fault::nothing},
      {"cut one way", &Strikes::one_way, Fault::nothing},
      {"cut two members from each other", &Strikes::partial, Fault::nothing},
      {"slow link", &Strikes::slow_link, Fault::nothing},
      {"lose packets", &Strikes::lose_packets, Fault::nothing},
      {"wall clock jumps", &Strikes::jump_clock, Fault::clocks},
      {"kill a worker", &Strikes::kill_worker, Fault::nothing},
      {"kill all daemons", &Strikes::restart_all, Fault::list},
      {"kill a daemon, and lose its state file", &Strikes::lose_state, Fault::list},
      {"engine down", &Strikes::stop_engine, Fault::engine},
      {"engine wiped", &Strikes::wipe_engine, Fault::memory},
      {"engine restored from an older copy", &Strikes::restore_engine, Fault::memory},
      {"pause a daemon within a commit", &Strikes::pause_in_commit, Fault::disk},
      {"engine's disk full", &Strikes::fill_disk, Fault::disk},
      {"power cut of daemons and engine", &Strikes::cut_power, Fault::disk},
      {"cut a member from the engine", &Strikes::deaf_to_engine, Fault::servers},
      {"kill an engine's server", &Strikes::kill_server, Fault::servers},
      {"kill the engine's leader", &Strikes::kill_leader, Fault::servers},
  };
  return faults;
}

void Strikes::run() {
  const auto start = Clock::now();
  const auto end = start + plan_.length;
  auto said = start;
  bool was_for_all = false;  // What struck last.
  while (Clock::now() < end && !is_interrupted()) {
    if (Clock::now() - said >= std::chrono::minutes{1}) {
      said = Clock::now();
      std::size_t faults = 0;
      for (const auto& [kind, times] : by_kind_) faults += times;
      fmt::print(stderr, "{} of {:.1f} minutes, {} faults\n",
                 std::chrono::floor<std::chrono::minutes>(said - start).count(),
                 std::chrono::duration<double, std::ratio<60>>(plan_.length).count(), faults);
    }
    const std::size_t kills_before = kills_.size();
    bool is_for_all = strike();
    const bool has_second = random_.below(4) == 0;
    if (has_second && strike()) is_for_all = true;
    // Some faults are over before the lease is, some outlast it; a round takes five seconds at most
    // with the usual TTL of one.
    pass(between(plan_.ttl / 4, plan_.ttl * 3));
    group_.heal();
    pass(between(plan_.ttl / 4, plan_.ttl * 3 / 2));
    const bool is_alone = !has_second && !was_for_all && kills_.size() > kills_before;
    if (is_alone) kills_.back().alone_until = now();
    was_for_all = is_for_all;
  }
}

bool Strikes::is_possible(const Fault& fault) const {
  if (!plan_.only.empty() && plan_.only != fault.name) return false;
  if (fault.needs == Fault::clocks) return plan_.clocks_jump;
  if (fault.needs == Fault::list) return plan_.engine == EngineKind::none;
  if (fault.needs == Fault::engine) return plan_.engine != EngineKind::none;
  if (fault.needs == Fault::memory) {
    // For clocks see docs/fences.md. Files are lost with what keeps them.
    return plan_.engine != EngineKind::none && !plan_.clocks_jump && plan_.files == 0;
  }
  if (fault.needs == Fault::servers) return !group_.engine().hosts().empty();
  return fault.needs != Fault::disk || group_.engine().has_disk();
}

bool Strikes::strike() {
  const std::vector<Fault>& faults = all();
  for (;;) {
    const Fault& fault = faults[random_.below(faults.size())];
    if (!is_possible(fault)) continue;
    ++by_kind_[fault.name];
    (this->*fault.strike)();
    return fault.needs != Fault::nothing && fault.needs != Fault::clocks;
  }
}

void Strikes::pass(Milliseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end && !is_interrupted()) std::this_thread::sleep_for(10ms);
}

Strikes::Milliseconds Strikes::between(Milliseconds least, Milliseconds most) {
  return least + Milliseconds{random_.below(static_cast<std::uint64_t>((most - least).count()))};
}

std::size_t Strikes::some_member() { return random_.below(group_.members().size()); }

std::size_t Strikes::another_than(std::size_t member) {
  const std::size_t size = group_.members().size();
  return (member + 1 + random_.below(size - 1)) % size;
}

void Strikes::kill_member() {
  const std::size_t member = some_member();
  kills_.push_back({member, now()});
  group_.members()[member].daemon.kill_now();
}

void Strikes::pause_member() {
  group_.members()[some_member()].daemon.pause();
  pass(plan_.ttl * 3 / 2);
}

// If it makes one within a second; otherwise anywhere.
void Strikes::pause_in_commit() {
  Restartable& daemon = group_.members()[some_member()].daemon;
  const auto give_up = Clock::now() + 1s;
  const auto is_within = [&] { return group_.engine().is_committing(daemon.pid()); };
  while (daemon.is_running() && Clock::now() < give_up) {
    if (!is_within()) continue;
    daemon.pause();
    if (is_within()) break;
    daemon.resume();
  }
  daemon.pause();
  pass(plan_.ttl * 3 / 2);
}

void Strikes::pause_host() {
  const std::size_t member = some_member();
  group_.members()[member].daemon.pause();
  for (Group::Worker& worker : group_.workers()) {
    if (worker.member == member) worker.process->pause();
  }
  pass(plan_.ttl * 3 / 2);
}

void Strikes::cut_off() { group_.network().cut(group_.members()[some_member()].host); }

void Strikes::one_way() {
  const std::size_t member = some_member();
  const bool hears = random_.below(2) == 0;
  for (std::size_t other = 0; other < group_.members().size(); ++other) {
    if (other == member) continue;
    const std::string& one = group_.members()[member].host;
    const std::string& two = group_.members()[other].host;
    hears ? group_.network().block(one, two) : group_.network().block(two, one);
  }
}

void Strikes::partial() {
  const std::size_t member = some_member();
  const std::string& one = group_.members()[member].host;
  const std::string& two = group_.members()[another_than(member)].host;
  group_.network().block(one, two);
  group_.network().block(two, one);
}

void Strikes::deaf_to_engine() {
  const std::string& member = group_.members()[some_member()].host;
  for (const std::string& server : group_.engine().hosts()) group_.network().block(server, member);
}

void Strikes::slow_link() { group_.network().slow_down(group_.members()[some_member()].host, 32); }

// Of all that comes to a member: enough that some answers are late, and some are not.
void Strikes::lose_packets() {
  const auto percent = static_cast<unsigned>(5 + random_.below(36));
  group_.network().lose(group_.members()[some_member()].host, percent);
}

void Strikes::jump_clock() {
  const long hours = random_.below(2) == 0 ? 1 : -1;
  group_.jump_clock(some_member(), hours * 3600);
}

void Strikes::kill_worker() { group_.replace_worker(random_.below(group_.workers().size())); }

void Strikes::stop_engine() { group_.engine().stop_all(); }

// Members that had a file open must be restarted, and say so. The first is, at once: what it grants
// must not be what the others still have.
void Strikes::wipe_engine() {
  group_.engine().wipe();
  if (!group_.engine().has_disk()) return;
  const std::size_t first = some_member();
  group_.members()[first].daemon.kill_now();
  group_.members()[first].daemon.start();
  pass(plan_.ttl * 3);
  for (std::size_t other = 0; other < group_.members().size(); ++other) {
    if (other != first) group_.members()[other].daemon.kill_now();
  }
}

void Strikes::restore_engine() { group_.engine().restore(); }

void Strikes::restart_all() {
  for (Group::Member& member : group_.members()) member.daemon.kill_now();
}

// Of one at a time: the others remember for it.
void Strikes::lose_state() {
  Group::Member& member = group_.members()[some_member()];
  member.daemon.kill_now();
  std::filesystem::remove(member.state_file);
}

void Strikes::fill_disk() { group_.engine().fill_disk(); }

// Everything stops at once; what is in the image then is what the disk has.
void Strikes::cut_power() {
  group_.heal();  // One that sits on the file would keep the disk busy.
  for (Group::Member& member : group_.members()) member.daemon.pause();
  group_.engine().cut_power([&] {
    for (Group::Member& member : group_.members()) member.daemon.kill_now();
  });
}

void Strikes::kill_server() {
  group_.engine().kill_server(random_.below(group_.engine().hosts().size()));
}

void Strikes::kill_leader() {
  if (const auto leader = group_.engine().leader()) group_.engine().kill_server(*leader);
}

}  // namespace hapax::faults
