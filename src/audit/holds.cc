#include "audit/holds.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>

namespace hapax::audit {
namespace {

constexpr Nanos kOpen = std::numeric_limits<Nanos>::max();

// What one client holds while its events go by.
class Hands {
 public:
  explicit Hands(std::vector<Hold>& done) : done_(done) {}

  void see(const Event& event) {
    last_known_ = std::max(last_known_, event.last_known());
    switch (event.op) {
      case Op::acquire:
        // A client that asks again does not hold it any more, whatever it forgot to note.
        let_go(event.lock, event.call);
        if (event.ret && event.ok) take(event);
        break;
      case Op::release:
      case Op::lost:
        let_go(event.lock, event.call);
        break;
      case Op::read:
      case Op::write:
        renew(event);
        break;
      case Op::end:
        finish(event.call);
        break;
    }
  }
  void finish(Nanos at) {
    while (!open_.empty()) let_go(open_.begin()->first, at);
  }
  void finish() { finish(last_known_); }

 private:
  struct Open {
    Hold hold;
    std::optional<Nanos> valid_until;
  };

  void take(const Event& event) {
    open_.insert_or_assign(
        event.lock, Open{{event.client, event.lock, *event.fence, event.call, *event.ret, kOpen},
                         event.valid_until});
  }
  // A grant that is known to be valid later was valid all along: what is lost stays lost.
  void renew(const Event& event) {
    const auto at = open_.find(event.lock);
    if (at == open_.end() || event.fence != at->second.hold.fence || !event.valid_until) return;
    if (!event.ret || *event.valid_until <= *event.ret) return;
    auto& until = at->second.valid_until;
    if (until) until = std::max(*until, *event.valid_until);
  }
  void let_go(LockId lock, Nanos at) {
    const auto open = open_.find(lock);
    if (open == open_.end()) return;
    Hold hold = open->second.hold;
    hold.end = std::min(at, open->second.valid_until.value_or(kOpen));
    done_.push_back(hold);
    open_.erase(open);
  }

  std::vector<Hold>& done_;
  std::map<LockId, Open> open_;
  Nanos last_known_ = 0;
};

struct HoldJudge {
  const History& history;
  Report& report;

  double seconds(Nanos at) const { return static_cast<double>(at - report.from) / 1e9; }
  std::string text(const Hold& hold) const {
    return fmt::format("{} (fence {})", history.name_of(hold.client), hold.fence);
  }

  // REQUIRES: they are of one lock, sorted by `ret`.
  void overlaps(std::span<const Hold> holds) const {
    const Hold* longest = nullptr;
    for (const Hold& hold : holds) {
      if (!hold.is_certain()) continue;
      if (longest != nullptr && hold.ret < longest->end) {
        const Nanos until = std::min(hold.end, longest->end);
        report.find(Kind::overlap, hold.lock, hold.ret,
                    fmt::format("{} and {} both held it from {:.6f} to {:.6f} s", text(*longest),
                                text(hold), seconds(hold.ret), seconds(until)));
      }
      if (longest == nullptr || hold.end > longest->end) longest = &hold;
    }
  }

  // Of two grants the one that returned later was given later, if it was still valid then: else
  // both would have held the lock at the time of the other grant. One that came too late was
  // certainly later only if it was asked for after the other had returned. REQUIRES: as above.
  void regressions(std::span<const Hold> holds) const {
    std::vector<const Hold*> highest;  // Among the first so many.
    highest.reserve(holds.size());
    for (const Hold& hold : holds) {
      const Nanos bound = hold.is_certain() ? hold.ret : hold.call;
      const auto before =
          std::lower_bound(holds.begin(), holds.end(), bound,
                           [](const Hold& other, Nanos time) { return other.ret < time; });
      if (before != holds.begin()) {
        const Hold& earlier = *highest[static_cast<std::size_t>(before - holds.begin()) - 1];
        if (hold.fence < earlier.fence) {
          report.find(Kind::fence, hold.lock, hold.ret,
                      fmt::format("{} was granted at {:.6f} s, after {} at {:.6f} s", text(hold),
                                  seconds(hold.ret), text(earlier), seconds(earlier.ret)));
        }
      }
      const bool is_highest = highest.empty() || highest.back()->fence < hold.fence;
      highest.push_back(is_highest ? &hold : highest.back());
    }
  }

  void repetitions(std::span<const Hold> holds) const {
    std::vector<const Hold*> by_fence;
    for (const Hold& hold : holds) by_fence.push_back(&hold);
    std::stable_sort(by_fence.begin(), by_fence.end(),
                     [](const Hold* a, const Hold* b) { return a->fence < b->fence; });
    for (std::size_t i = 1; i < by_fence.size(); ++i) {
      if (by_fence[i]->fence != by_fence[i - 1]->fence) continue;
      report.find(
          Kind::fence, by_fence[i]->lock, by_fence[i]->ret,
          fmt::format("{} and {} have the same fence", text(*by_fence[i - 1]), text(*by_fence[i])));
    }
  }
};

}  // namespace

std::vector<Hold> holds_of(const std::vector<Event>& events) {
  std::vector<Hold> holds;
  std::optional<Hands> hands;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i == 0 || events[i].client != events[i - 1].client) {
      if (hands) hands->finish();
      hands.emplace(holds);
    }
    hands->see(events[i]);
  }
  if (hands) hands->finish();
  std::stable_sort(holds.begin(), holds.end(), [](const Hold& a, const Hold& b) {
    return std::tuple{a.lock, a.ret} < std::tuple{b.lock, b.ret};
  });
  return holds;
}

void judge_holds(const History& history, const std::vector<Hold>& holds, Report& report) {
  const HoldJudge judge{history, report};
  for (auto from = holds.begin(); from != holds.end();) {
    const auto to =
        std::find_if(from, holds.end(), [&](const Hold& hold) { return hold.lock != from->lock; });
    const std::span<const Hold> of_one_lock{from, to};
    judge.overlaps(of_one_lock);
    judge.regressions(of_one_lock);
    judge.repetitions(of_one_lock);
    from = to;
  }
}

}  // namespace hapax::audit
