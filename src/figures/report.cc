#include "figures/report.h"

#include <fmt/format.h>
#include <string_view>

namespace hapax {
namespace {

std::optional<std::uint32_t> as_number(std::optional<Seat> member) {
  if (!member) return std::nullopt;
  return number(*member);
}

std::string name_of(const Facts& facts) {
  return facts.name.empty() ? fmt::format("member {}", number(facts.self) + 1) : facts.name;
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
  state.group = facts.group;
  state.name = name_of(facts);
  state.member = number(facts.self);
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
  state.election = name_of(facts.election);
  state.term = number(facts.term);
  state.leader = as_number(facts.leader);
  state.obstacle = facts.obstacle;
  if (facts.certificate) {
    const auto until = facts.certificate->until.time_since_epoch();
    state.certificate = std::optional{session::CertificateState{
        facts.certificate->file, static_cast<std::uint64_t>(until / std::chrono::seconds{1})}};
  }
  return state;
}

session::MemberReport member_report_of(const Facts& facts) {
  session::MemberReport report;
  report.member = number(facts.self);
  report.name = name_of(facts).substr(0, session::kLongestText);
  report.obstacle = facts.obstacle.substr(0, session::kLongestText);
  report.epoch = facts.epoch;
  report.size = static_cast<std::uint32_t>(facts.view_size);
  if (facts.lease) {
    report.lease_ms = static_cast<std::uint64_t>(facts.lease->left / std::chrono::milliseconds{1});
  }
  report.clients = facts.clients;
  report.held = facts.locks.held;
  report.waiting = facts.locks.waiting;
  report.entries = facts.locks.entries;
  report.uptime_ms = milliseconds_of(facts);
  return report;
}

session::Stats stats_of(const Facts& facts) {
  session::Stats stats;
  stats.member = number(facts.self);
  stats.name = name_of(facts);
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
  count("views", facts.views.views);
  count("losses told", facts.views.lost_grants);
  count("stale messages refused", facts.views.old_frames);
  if (facts.lease) {
    count("leases lost", facts.counts.lease_losses);
    count("engine commits", facts.counts.commits.count());
  }
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

}  // namespace hapax
