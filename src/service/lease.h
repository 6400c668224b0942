// The lease of a member, as it knows it itself: until when it lasts, and which TTL its beats say.
// The TTL may be changed while it lasts. Pure: it is told the time.
//
// Invariant: the lease ends no later than the others may give up on the beat that the engine has,
// going by the TTL which that beat says. So
//   - a longer TTL counts from the first acknowledged beat on that says it;
//   - after a shorter one was set, beats say the longer one on until all that was promised by it is
//     over no later than what the shorter one promises;
//   - a beat that was not answered may be written late, over later ones, within the longest TTL:
//     for so long nothing is promised beyond what it says.
#pragma once

#include <algorithm>

#include "service/lease_times.h"

namespace hapax {

class Lease {
 public:
  explicit Lease(const LeaseTimes& times)
      : times_(times), said_(times.ttl), started_(times.ttl), longest_(times.ttl) {}

  const LeaseTimes& times() const { return times_; }
  // Of beats that do not say theirs, and of all that there have been.
  LeaseTimes started() const { return {started_}; }
  LeaseTimes longest() const { return {longest_}; }
  // There is one, or would be if all that was sent had been acknowledged.
  bool has_begun() const { return end_ != Instant{}; }
  Instant end() const { return end_; }
  Span margin() const { return margin_; }  // Of clients, to have left by then.

  void announce(Instant sent) {
    if (!has_begun()) end_ = sent + LeaseTimes{std::min(said_, times_.ttl)}.lease();
  }

  void set_ttl(Span ttl, Span started, Span longest) {
    times_.ttl = ttl;
    started_ = started;
    longest_ = std::max({longest_, longest, started, ttl});
  }
  // What a beat says that is sent now.
  Span say(Instant sent) {
    if (end_ <= sent + times_.lease()) said_ = times_.ttl;
    said_ = std::max(said_, times_.ttl);
    return said_;
  }
  void on_acknowledged(Instant sent, Span said) {
    Span promised = std::min(said, times_.ttl);
    if (sent < unsure_until_) promised = std::min(promised, unsure_);
    const Instant end = sent + LeaseTimes{promised}.lease();
    if (end < end_) return;
    end_ = end;
    margin_ = LeaseTimes{promised}.margin();
  }
  void on_unanswered(Instant sent, Span said) {
    unsure_ = sent < unsure_until_ ? std::min(unsure_, said) : said;
    unsure_until_ = sent + longest().patience();
  }
  // Another life begins, without one.
  void drop() {
    end_ = unsure_until_ = {};
    said_ = times_.ttl;
  }

 private:
  LeaseTimes times_;
  Span said_, started_, longest_;
  Span unsure_{};           // Said by beats that were not answered …
  Instant unsure_until_{};  // … and may be written until then.
  Instant end_{};
  Span margin_{};  // The one of the TTL by which it ends.
};

}  // namespace hapax
