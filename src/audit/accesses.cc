#include "audit/accesses.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace hapax::audit {
namespace {

using Events = std::vector<const Event*>;

const char* verb(const Event& event) { return event.op == Op::read ? "read" : "wrote"; }

// Calls see(event, the highest by `less` of those that returned before its call, or null).
template <class Less, class See>
void against_earlier(Events events, Events earlier, const Less& less, const See& see) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Event* a, const Event* b) { return a->call < b->call; });
  std::stable_sort(earlier.begin(), earlier.end(),
                   [](const Event* a, const Event* b) { return *a->ret < *b->ret; });
  const Event* highest = nullptr;
  auto next = earlier.begin();
  for (const Event* event : events) {
    for (; next != earlier.end() && *(*next)->ret < event->call; ++next) {
      if (highest == nullptr || less(*highest, **next)) highest = *next;
    }
    if (highest != nullptr) see(*event, *highest);
  }
}

// The accesses to what one lock guards that went through.
struct Accesses {
  Events reads, writes;  // Accepted.
  std::size_t unknown_writes = 0;
};

struct AccessJudge {
  const History& history;
  Report& report;

  double seconds(Nanos at) const { return static_cast<double>(at - report.from) / 1e9; }
  std::string who(const Event& event) const {
    const std::string& name = history.name_of(event.client);
    return event.fence ? fmt::format("{} (fence {})", name, *event.fence) : name;
  }

  void stale(const Accesses& all) const {
    Events fenced;
    for (const Events* list : {&all.reads, &all.writes}) {
      for (const Event* event : *list) {
        if (event->fence) fenced.push_back(event);
      }
    }
    const auto less = [](const Event& a, const Event& b) { return *a.fence < *b.fence; };
    against_earlier(fenced, fenced, less, [&](const Event& event, const Event& highest) {
      if (*event.fence >= *highest.fence) return;
      report.find(
          Kind::stale_access, event.lock, event.call,
          fmt::format("{} {} at {:.6f} s, after {} had been there at {:.6f} s", who(event),
                      verb(event), seconds(event.call), who(highest), seconds(*highest.ret)));
    });
  }

  // Nobody may read less than what was accepted before, nor write it again or less.
  void overwritten(const Accesses& all) const {
    const auto less = [](const Event& a, const Event& b) { return *a.value < *b.value; };
    Events valued = all.reads;
    valued.insert(valued.end(), all.writes.begin(), all.writes.end());
    against_earlier(valued, all.writes, less, [&](const Event& event, const Event& highest) {
      if (*event.value >= *highest.value) return;
      report.find(
          Kind::lost_update, event.lock, event.call,
          fmt::format("{} {} {} at {:.6f} s, after {} had written {}", who(event), verb(event),
                      *event.value, seconds(event.call), who(highest), *highest.value));
    });
    Events by_value = all.writes;
    std::stable_sort(by_value.begin(), by_value.end(),
                     [&](const Event* a, const Event* b) { return less(*a, *b); });
    for (std::size_t i = 1; i < by_value.size(); ++i) {
      const Event& one = *by_value[i - 1];
      const Event& other = *by_value[i];
      if (*one.value != *other.value) continue;
      report.find(Kind::lost_update, other.lock, other.call,
                  fmt::format("{} and {} both wrote {}: one of them counts for nothing", who(one),
                              who(other), *other.value));
    }
  }

  // A read after the last write sees them all. Writes by clients that died may or may not have
  // succeeded.
  void total(const Accesses& all) const {
    if (all.reads.empty()) return;
    std::int64_t initial = std::numeric_limits<std::int64_t>::max();
    Nanos last = 0;
    for (const Event* read : all.reads) initial = std::min(initial, *read->value);
    for (const Event* write : all.writes) {
      initial = std::min(initial, *write->value - 1);
      last = std::max(last, *write->ret);
    }
    const Event& final_read =
        **std::max_element(all.reads.begin(), all.reads.end(),
                           [](const Event* a, const Event* b) { return a->call < b->call; });
    if (final_read.call <= last) return;
    const std::int64_t added = *final_read.value - initial;
    const auto accepted = static_cast<std::int64_t>(all.writes.size());
    const auto unknown = static_cast<std::int64_t>(all.unknown_writes);
    if (added >= accepted && added <= accepted + unknown) return;
    report.find(Kind::total, final_read.lock, final_read.call,
                fmt::format("{} writes were accepted and {} may have been; the counter went from "
                            "{} to {}",
                            accepted, unknown, initial, *final_read.value));
  }
};

// A holder writes one more than it read.
void judge_steps(const AccessJudge& judge, const std::vector<Event>& events) {
  std::map<LockId, const Event*> read;  // The last by this client.
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (i > 0 && events[i - 1].client != event.client) read.clear();
    if (!event.ret || !event.ok || !event.value) continue;
    if (event.op == Op::read) read[event.lock] = &event;
    if (event.op != Op::write) continue;
    const auto basis = read.find(event.lock);
    if (basis == read.end() || basis->second->fence != event.fence) continue;
    if (*event.value - 1 == *basis->second->value) continue;
    judge.report.find(Kind::lost_update, event.lock, event.call,
                      fmt::format("{} read {} and wrote {}, which is not one more",
                                  judge.who(event), *basis->second->value, *event.value));
  }
}

}  // namespace

void judge_accesses(const History& history, const std::vector<Event>& events, Report& report) {
  std::map<LockId, Accesses> fenced, valued;
  for (const Event& event : events) {
    if (event.op != Op::read && event.op != Op::write) continue;
    if (!event.ret) {
      valued[event.lock].unknown_writes += event.op == Op::write;
    } else if (event.ok) {
      const auto list = event.op == Op::read ? &Accesses::reads : &Accesses::writes;
      (fenced[event.lock].*list).push_back(&event);
      if (event.value) (valued[event.lock].*list).push_back(&event);
    }
  }
  const AccessJudge judge{history, report};
  for (const auto& [lock, all] : fenced) judge.stale(all);
  for (const auto& [lock, all] : valued) {
    judge.overwritten(all);
    judge.total(all);
  }
  judge_steps(judge, events);
}

}  // namespace hapax::audit
