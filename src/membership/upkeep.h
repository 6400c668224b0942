// What a member sees to every now and then: that it is announced as soon as it is connected, goes
// if it is cut off, and that those go of whom nobody hears. Rules over what the keeper, the
// directory and the links say; whoever asks carries them out. Pure: it is told the time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "membership/registrar.h"
#include "service/lease_times.h"
#include "service/service.h"
#include "view/roll.h"

namespace hapax {

class Upkeep {
 public:
  using IsUp = std::function<bool(Life)>;  // Connected to us.

  // REQUIRES: all that it is given outlives it.
  Upkeep(const Service& service, const Registrar& registrar, const LeaseTimes& times, IsUp is_up);

  void be_born() { down_since_.clear(); }  // A new life of ours.

  // By others that did not hear of us for long, or evicted: be another life.
  bool is_struck_off() const;
  // Connected to all who count, and not announced yet.
  bool may_announce(Instant now) const;
  // Not announced for long: say that we are still there. True once in a while.
  bool is_time_to_show_life(Instant now);

  struct Reach {
    std::uint32_t members = 0;         // Other members of the view that we are connected to.
    std::optional<Life> gives_way_to;  // We have to go, since we do not reach that one.
  };
  // Nothing unless we are in a view, to stay.
  std::optional<Reach> reach(Instant now);

  // Lives that were enlisted and never announced, and whose process is gone; each again only after
  // a while.
  std::vector<Enlisted> stale(Instant now);

 private:
  bool is_outside() const;  // As the life that we are enlisted as.

  const Service& service_;
  const Registrar& registrar_;
  const LeaseTimes& times_;
  IsUp is_up_;
  std::map<Life, Instant> down_since_;  // Members of the view that we do not reach.
  std::map<Life, std::pair<std::uint64_t, Instant>> unannounced_;  // Their beats, seen since.
  Instant shown_{};
};

}  // namespace hapax
