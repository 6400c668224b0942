// Since when a member sees that the engine has no record of a view that has members, and whether it
// has looked all the time. While it did not look for a TTL, or the engine was out of reach, a group
// may have come and gone, beats may have moved, and the engine may have been restored to what was
// seen before. Pure: it is told the time.
#pragma once

#include <optional>

#include "service/lease.h"
#include "view/roll.h"

namespace hapax {

class RecordSight {
 public:
  // `is_new_group`: there has been none whose records an engine could have lost.
  // REQUIRES: `lease`, which is ours, outlives it.
  RecordSight(const Lease& lease, bool is_new_group) : lease_(lease), is_new_group_(is_new_group) {}

  // False if what was seen before counts no more.
  bool look_at(Instant now, const Register& reg) {
    const bool looked_on = last_read_ && now - *last_read_ <= lease_.times().ttl;
    last_read_ = now;
    if (!reg.roll.members.empty()) {
      empty_since_.reset();
      is_new_group_ = false;  // From now on there has been one.
    } else if (!empty_since_ || !looked_on) {
      empty_since_ = now;
    }
    return looked_on;
  }
  void look_anew() { last_read_.reset(); }

  bool is_new_group() const { return is_new_group_; }
  // When every lease that the engine may have forgotten is over; nothing: there are members, who
  // are waited for or report.
  std::optional<Instant> may_found_at() const {
    if (!empty_since_) return std::nullopt;
    return is_new_group_ ? *empty_since_ : *empty_since_ + lease_.longest().patience();
  }

 private:
  const Lease& lease_;
  bool is_new_group_;
  std::optional<Instant> empty_since_;
  std::optional<Instant> last_read_;  // Answered.
};

}  // namespace hapax
