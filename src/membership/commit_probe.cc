#include "membership/commit_probe.h"

#include <algorithm>
#include <utility>

namespace hapax {
namespace {

using std::chrono::milliseconds;

constexpr const char* kKey = "probe";  // Nobody reads it.

Span median(std::vector<Span> spans) {
  const auto middle = spans.begin() + static_cast<std::ptrdiff_t>(spans.size() / 2);
  std::nth_element(spans.begin(), middle, spans.end());
  return *middle;
}

}  // namespace

CommitProbe::CommitProbe(engine::Engine& engine, Timing timing, Span quick_enough)
    : engine_(engine), timing_(std::move(timing)), quick_enough_(quick_enough) {}

void CommitProbe::start() { commit(); }

void CommitProbe::commit() {
  const std::weak_ptr alive = alive_;
  engine_.commit({}, {{kKey, std::to_string(rounds_ * kCommits + round_.size())}},
                 [this, alive, sent = timing_.now()](engine::Outcome outcome, engine::Revision) {
                   if (alive.expired()) return;
                   if (outcome != engine::Outcome::committed) {
                     return timing_.later([this, alive] {
                       if (!alive.expired()) commit();
                     });
                   }
                   took(timing_.now() - sent);
                   if (!is_done_) commit();
                 });
}

void CommitProbe::took(Span time) {
  round_.push_back(time);
  if (round_.size() < kCommits) return;
  const Span typical = median(std::exchange(round_, {}));
  best_ = best_ ? std::min(*best_, typical) : typical;
  is_done_ = *best_ <= quick_enough_ || ++rounds_ == kRounds;
}

Result<void> check_beats(const LeaseTimes& times, Span commit) {
  if (commit <= times.slowest_commit()) return {};
  return error(
      "a commit takes {} ms on this engine, and with a TTL of {} ms beats keep up only if it takes "
      "no more than {} ms; use --ttl {}ms or more, the same at all members",
      std::chrono::ceil<milliseconds>(commit).count(), times.ttl / milliseconds{1},
      times.slowest_commit() / milliseconds{1}, LeaseTimes::shortest_for(commit) / milliseconds{1});
}

}  // namespace hapax
