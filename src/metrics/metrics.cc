// The one file that knows prometheus-cpp: it is seconds to compile. The daemon counts in plain
// integers; a registry is filled from them whenever somebody asks.
#include "metrics/metrics.h"

#include <chrono>
#include <map>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <string_view>
#include <utility>
#include <vector>

#include "locks/algorithm_id.h"
#include "view/keeper.h"

namespace hapax {
namespace {

using Labels = std::map<std::string, std::string>;

double seconds(std::chrono::nanoseconds span) {
  return std::chrono::duration<double>(span).count();
}

// A registry of what there is to show now. Values come in any number type.
class Page {
 public:
  template <class T>
  void gauge(const char* name, const char* help, T value, const Labels& labels = {}) {
    prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels).Set(
        static_cast<double>(value));
  }
  void counter(const char* name, const char* help, std::uint64_t value, const Labels& labels = {}) {
    prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels).Increment(
        static_cast<double>(value));
  }
  void histogram(const char* name, const char* help, const Histogram& counted,
                 const Labels& labels = {}) {
    std::vector<double> limits, counts;
    for (const Histogram::Span bound : counted.bounds()) limits.push_back(seconds(bound));
    for (const std::uint64_t count : counted.counts()) counts.push_back(static_cast<double>(count));
    prometheus::BuildHistogram()
        .Name(name)
        .Help(help)
        .Register(registry_)
        .Add(labels, limits)
        .ObserveMultiple(counts, seconds(counted.sum()));
  }
  std::string text() const { return prometheus::TextSerializer{}.Serialize(registry_.Collect()); }

 private:
  prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Merge};
};

void show_member(Page& page, const Facts& facts) {
  page.gauge("hapax_member_info", "Which member of which group this is, counted from 1.", 1,
             {{"group", facts.group},
              {"member", facts.name},
              {"seat", std::to_string(number(facts.self) + 1)}});
  const auto started = std::chrono::system_clock::now() - facts.uptime;
  page.gauge("process_start_time_seconds", "When the daemon started, since the epoch of Unix.",
             seconds(started.time_since_epoch()));
  page.gauge("hapax_clients", "Clients connected to this member.", facts.clients);
}

void show_views(Page& page, const Facts& facts) {
  page.gauge("hapax_view_epoch", "Number of the last view here.", number(facts.epoch));
  page.gauge("hapax_view_members", "Members of the view that runs; 0 if none does.",
             facts.view_size);
  page.histogram("hapax_view_change_duration_seconds",
                 "How long this member was without a view before one began.",
                 facts.counts.view_changes);
  page.gauge("hapax_peers", "Other members, of the view or about to be.", facts.peers);
  page.gauge("hapax_peers_up", "Other members that are connected to this one.", facts.peers_up);
  page.counter("hapax_losses_told_total", "Grants that were lost, and their holders told.",
               facts.views.lost_grants);
  page.counter("hapax_stale_messages_refused_total",
               "Messages of views that were over: not acted upon.", facts.views.old_frames);
  page.counter("hapax_complaints_total", "Messages of peers that were refused.", facts.complaints);
}

void show_lease(Page& page, const Facts& facts) {
  const LeaseFacts& lease = *facts.lease;
  page.gauge("hapax_lease_ttl_seconds", "How long a lease lasts.", seconds(lease.ttl));
  page.gauge("hapax_lease_remaining_seconds", "How long the lease lasts from now on; 0: none.",
             seconds(lease.left));
  page.gauge("hapax_lease_jeopardy", "1 if half of the lease is over and no beat has renewed it.",
             lease.in_jeopardy);
  page.counter("hapax_lease_losses_total", "Leases that ran out.", facts.counts.lease_losses);
  page.gauge("hapax_engine_up", "1 if the engine answered last.", lease.engine_answers);
  page.histogram("hapax_engine_commit_duration_seconds",
                 "How long the engine took to answer a commit.", facts.counts.commits);
  constexpr std::pair<Outcome, const char*> kOutcomes[]{{Outcome::committed, "committed"},
                                                        {Outcome::conflict, "conflict"},
                                                        {Outcome::unknown, "unknown"}};
  for (const auto& [outcome, text] : kOutcomes) {
    page.counter("hapax_engine_commits_total", "Commits that the engine answered, or did not.",
                 facts.counts.outcomes[static_cast<std::size_t>(outcome)], {{"outcome", text}});
  }
}

// Nobody has asked for most of many rules: they are left out.
void show_locks(Page& page, const Facts& facts) {
  page.gauge("hapax_lock_instances", "Locks in memory.", facts.locks.instances);
  page.counter("hapax_entries_total", "Grants to clients of this member.", facts.locks.entries);
  for (const RuleCounts& rule : facts.requests) {
    if (!rule.is_used() && facts.requests.size() > 1) continue;
    const Labels labels{{"policy", rule.pattern}, {"algorithm", rule.algorithm}};
    page.gauge("hapax_requests_waiting", "Requests of this member's clients that wait.",
               rule.waiting, labels);
    page.gauge("hapax_requests_holding", "Requests of this member's clients that hold a lock.",
               rule.holding, labels);
    page.histogram("hapax_lock_wait_duration_seconds", "How long those waited who were let in.",
                   rule.waits, labels);
    page.histogram("hapax_lock_hold_duration_seconds", "How long those held who have left.",
                   rule.holds, labels);
  }
  for (std::uint8_t i = 0; i < kMostAlgorithmIds; ++i) {
    const auto& counts = facts.locks.algorithms[i];
    if (counts.sent == 0 && counts.received == 0) continue;
    const Labels labels{{"algorithm", std::string{name_of(AlgorithmId{i})}}};
    page.counter("hapax_messages_sent_total", "Messages of algorithms to other members.",
                 counts.sent, labels);
    page.counter("hapax_messages_received_total", "Messages of algorithms from other members.",
                 counts.received, labels);
  }
}

void show_links(Page& page, const Facts& facts) {
  const net::Stats& links = facts.links;
  page.counter("hapax_link_connects_total", "How often another member was connected.",
               links.connects);
  page.counter("hapax_link_sent_bytes_total", "Sent to other members.", links.bytes_out);
  page.counter("hapax_link_received_bytes_total", "Received from other members.", links.bytes_in);
  for (std::size_t i = 0; i < net::kDrops; ++i) {
    page.counter("hapax_link_drops_total", "Connections and messages of members that were refused.",
                 links.drops[i], {{"reason", std::string{net::name_of(net::Drop(i))}}});
  }
}

}  // namespace

std::string metrics_text(const std::optional<Facts>& facts, const Histogram& lag) {
  Page page;
  page.gauge("hapax_build_info", "The version that runs.", 1, {{"version", HAPAX_VERSION}});
  page.gauge("hapax_ready", "1 if locks are granted here.", facts && facts->obstacle.empty());
  page.histogram("hapax_loop_lag_seconds", "How late the loop got round to what was due.", lag);
  if (!facts) return page.text();
  show_member(page, *facts);
  show_views(page, *facts);
  if (facts->lease) show_lease(page, *facts);
  show_locks(page, *facts);
  show_links(page, *facts);
  if (facts->certificate) {
    page.gauge("hapax_certificate_expires_timestamp_seconds",
               "When the certificate of this member, or its authority's, is good no more.",
               seconds(facts->certificate->until.time_since_epoch()));
  }
  page.gauge("hapax_loop_longest_turn_seconds", "Longest time that the loop was busy at one go.",
             seconds(facts->longest_turn));
  return page.text();
}

}  // namespace hapax
