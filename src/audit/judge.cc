#include "audit/judge.h"

#include <algorithm>

#include "audit/accesses.h"
#include "audit/holds.h"

namespace hapax::audit {
namespace {

void count(const Event& event, Report& report) {
  switch (event.op) {
    case Op::acquire:
      if (event.ret) report.longest_wait = std::max(report.longest_wait, *event.ret - event.call);
      if (event.ret) ++(event.ok ? report.entries : report.told);
      break;
    case Op::lost:
      ++report.losses;
      break;
    case Op::read:
      if (event.ret) ++(event.ok ? report.reads : report.refused_reads);
      break;
    case Op::write:
      ++(!event.ret ? report.unknown_writes : event.ok ? report.writes : report.refused_writes);
      break;
    case Op::release:
    case Op::end:
      break;
  }
}

// Whether the client did anything after its i-th event; being told of a loss does not count.
bool goes_on(const std::vector<Event>& events, std::size_t i) {
  for (std::size_t j = i + 1; j < events.size() && events[j].client == events[i].client; ++j) {
    if (events[j].op != Op::lost) return true;
  }
  return false;
}

// A call that nobody saw return. If the client went on, its line was just not written.
void find_unserved(const History& history, const std::vector<Event>& events, Report& report) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.op != Op::acquire || event.ret || goes_on(events, i)) continue;
    report.find(Kind::unserved, event.lock, event.call,
                fmt::format("{} waits from {:.6f} s on and is neither served nor told",
                            history.name_of(event.client),
                            static_cast<double>(event.call - report.from) / 1e9));
  }
}

// One that returned with nothing left of its validity. If the client looked so much later that a
// grant of the least validity could have ended meanwhile, nobody knows.
void find_dead_on_arrival(const History& history, const std::vector<Event>& events,
                          Report& report) {
  constexpr Nanos kLeast = 1'000'000;  // As programs are told: in milliseconds.
  for (const Event& event : events) {
    if (event.op != Op::acquire || !event.ok || !event.ret || !event.valid_until) continue;
    if (*event.valid_until > *event.ret) continue;
    if (event.looked.value_or(*event.ret) - *event.ret >= kLeast) continue;
    report.find(Kind::dead_on_arrival, event.lock, *event.ret,
                fmt::format("{} was told of fence {} at {:.6f} s, when it was over",
                            history.name_of(event.client), *event.fence,
                            static_cast<double>(*event.ret - report.from) / 1e9));
  }
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::string_view kNames[kKinds]{"overlap", "fence",    "stale-access",   "lost-update",
                                            "total",   "unserved", "dead-on-arrival"};
  return kNames[static_cast<std::size_t>(kind)];
}

void Report::find(Kind kind, LockId lock, Nanos at, std::string text) {
  ++counts[static_cast<std::size_t>(kind)];
  if (findings.size() < kMostFindings) findings.push_back({kind, lock, at, std::move(text)});
}

Report judge(const History& history) {
  Report report;
  const std::vector<Event> events = history.in_order();
  report.events = events.size();
  if (events.empty()) return report;
  report.from = events.front().call;
  for (const Event& event : events) {
    report.from = std::min(report.from, event.call);
    report.to = std::max(report.to, event.last_known());
    count(event, report);
  }
  judge_holds(history, holds_of(events), report);
  judge_accesses(history, events, report);
  find_unserved(history, events, report);
  find_dead_on_arrival(history, events, report);
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.at < b.at; });
  return report;
}

}  // namespace hapax::audit
