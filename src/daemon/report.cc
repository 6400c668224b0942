#include "daemon/report.h"

#include <fmt/format.h>
#include <string_view>

namespace hapax {
namespace {

std::optional<std::uint32_t> as_number(std::optional<Seat> member) {
  if (!member) return std::nullopt;
  return number(*member);
}

std::uint64_t milliseconds_of(const Facts& facts) {
  return static_cast<std::uint64_t>(facts.uptime.count());
}

std::uint64_t longest_turn_us(const Facts& facts) {
  return static_cast<std::uint64_t>(facts.longest_turn / std::chrono::microseconds{1});
}

}  // namespace

session::State state_of(const Facts& facts) {
  session::State state;
  state.group = facts.config.group;
  state.name = facts.name;
  state.member = number(facts.config.self);
  state.epoch = facts.epoch;
  state.locks = facts.locks.instances;
  state.held = facts.locks.held;
  state.waiting = facts.locks.waiting;
  state.entries = facts.locks.entries;
  for (const auto& algorithm : facts.locks.algorithms) {
    state.messages_sent += algorithm.sent;
    state.messages_received += algorithm.received;
  }
  state.uptime_ms = milliseconds_of(facts);
  state.election = name_of(facts.config.election);
  state.term = number(facts.term);
  state.leader = as_number(facts.leader);
  return state;
}

session::Stats stats_of(const Facts& facts) {
  session::Stats stats;
  stats.member = number(facts.config.self);
  stats.name = facts.name;
  stats.uptime_ms = milliseconds_of(facts);
  for (std::uint8_t i = 0; i < kMostAlgorithmIds; ++i) {
    const auto& counts = facts.locks.algorithms[i];
    if (counts.sent == 0 && counts.received == 0) continue;
    stats.traffic.push_back({std::string{name_of(AlgorithmId{i})}, counts.sent, counts.received});
  }
  const auto count = [&](std::string_view name, std::uint64_t value) {
    stats.counters.push_back({std::string{name}, value});
  };
  count("locks in memory", facts.locks.instances);
  count("locks held", facts.locks.held);
  count("waiting", facts.locks.waiting);
  count("entries", facts.locks.entries);
  count("locks forgotten", facts.locks.dropped);
  count("clients", facts.clients);
  count("longest turn, us", longest_turn_us(facts));
  count("complaints", facts.complaints);
  const net::Stats& links = facts.links;
  count("link messages out", links.messages_out);
  count("link messages in", links.messages_in);
  count("link bytes out", links.bytes_out);
  count("link bytes in", links.bytes_in);
  count("link writes", links.writes);
  count("link connects", links.connects);
  count("link reconnects", links.reconnects);
  count("link resent", links.resent);
  count("link forgotten", links.forgotten);
  count("link overflows", links.overflows);
  for (std::size_t i = 0; i < net::kDrops; ++i) {
    if (links.drops[i] == 0) continue;
    count(fmt::format("dropped: {}", net::name_of(static_cast<net::Drop>(i))), links.drops[i]);
  }
  return stats;
}

std::string metrics_of(const Facts& facts) {
  std::string text;
  const auto metric = [&](std::string_view name, std::string_view help, std::uint64_t value,
                          std::string_view type) {
    text += fmt::format("# HELP hapax_{0} {1}\n# TYPE hapax_{0} {2}\nhapax_{0} {3}\n", name, help,
                        type, value);
  };
  metric("lock_instances", "Locks in memory.", facts.locks.instances, "gauge");
  metric("locks_held", "Locks held by clients of this member.", facts.locks.held, "gauge");
  metric("lock_waiters", "Clients of this member that wait.", facts.locks.waiting, "gauge");
  metric("entries_total", "Grants to clients of this member.", facts.locks.entries, "counter");
  metric("clients", "Clients connected.", facts.clients, "gauge");
  metric("longest_turn_microseconds", "Longest time that the loop was busy at one go.",
         longest_turn_us(facts), "gauge");
  metric("complaints_total", "Messages of peers that were refused.", facts.complaints, "counter");
  return text;
}

}  // namespace hapax
