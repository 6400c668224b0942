#include "mutex/semaphore_ra.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {
namespace {

template <class Items>
auto place_of(Items& items, NodeId node) {
  return std::lower_bound(items.begin(), items.end(), node,
                          [](const auto& item, NodeId id) { return item.node < id; });
}

}  // namespace

SemaphoreRa::SemaphoreRa(const View& view, const Options& options, const Holding& own)
    : self_{view.self},
      size_{view.size},
      units_{options.units},
      per_member_{options.most_units_of_a_member()},
      used_(own.units) {
  HAPAX_CHECK(options.units > 0);
  HAPAX_CHECK(used_ <= per_member_);
}

void SemaphoreRa::request(Mode mode, Effects<Message>& fx) {
  HAPAX_CHECK(mode == Mode::shared);
  HAPAX_CHECK(may_request());
  clock_ = next(clock_);
  wait_.fill({.asked = clock_, .silent = NodeSet::all_below(size_), .told = {}});
  wait_->silent.erase(self_);
  if (!wait_->silent.empty()) {
    fx.because("{} asks everybody with {}", self_.value, own());
    fx.send_to_others(Request{clock_});
  }
  enter_if_there_is_room(fx);
}

void SemaphoreRa::release(Effects<Message>& fx) {
  HAPAX_CHECK(used_ > 0);
  --used_;
  if (listeners_) tell_listeners(fx);
  enter_if_there_is_room(fx);
}

void SemaphoreRa::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request& m) { on_request(from, m.clock, fx); },
      [&](const Reply& m) { on_reply(from, m, fx); });
}

// Units are alike, and the one drawn last is given back first: so a unit that was drawn by a
// request later than `theirs`, which let it pass, may or may not be counted, as it happens.
// Counting it keeps the other waiting only until it is given back.
std::uint32_t SemaphoreRa::units_before(Stamp theirs) const {
  return used_ + (wait_ && own() < theirs ? 1 : 0);
}

void SemaphoreRa::on_request(NodeId from, Clock clock, Effects<Message>& fx) {
  if (!is_plausible(clock, size_)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, clock);
  const std::uint32_t units = units_before({clock, from});
  listen(from, clock, units);
  if (units == per_member_) {
    fx.because("{} defers {}: it uses, or asked earlier for, all {} it may", self_.value, from,
               units);
    fx.defer(from);
    return;
  }
  fx.because("{} replies to {}: it uses, or asked earlier for, {}", self_.value, from, units);
  fx.send(from, Reply{clock, units});
}

// Notes what `node` knows as of its latest request.
void SemaphoreRa::listen(NodeId node, Clock asked, std::uint32_t units) {
  if (!listeners_) {
    if (units > 0) listeners_.fill({{node, asked, units}});
    return;
  }
  const auto at = place_of(*listeners_, node);
  const bool known = at != listeners_->end() && at->node == node;
  if (known && asked < at->asked) return;  // A late copy.
  if (units > 0) {
    if (known) {
      *at = {node, asked, units};
    } else {
      listeners_->insert(at, {node, asked, units});
    }
  } else if (known) {
    listeners_->erase(at);
    if (listeners_->empty()) listeners_.reset();
  }
}

void SemaphoreRa::tell_listeners(Effects<Message>& fx) {
  NodeSet alike;
  for (Listener& listener : *listeners_) {
    const std::uint32_t units = units_before({listener.asked, listener.node});
    if (units >= listener.units) continue;
    listener.units = units;
    if (wait_) {
      // For a later request of the listener, not seen yet, this would be wrong: our own may lie
      // between the two.
      fx.send(listener.node, Reply{listener.asked, units});
    } else {
      alike.insert(listener.node);
    }
  }
  if (!alike.empty()) fx.multicast(alike, Reply{clock_, used_});
  if (!fx.sends().empty()) {
    fx.because("{} gives a unit back and tells those who know of more than {}", self_.value, used_);
  }
  std::erase_if(*listeners_, [](const Listener& listener) { return listener.units == 0; });
  if (listeners_->empty()) listeners_.reset();
}

void SemaphoreRa::on_reply(NodeId from, const Reply& reply, Effects<Message>& fx) {
  if (!is_plausible(reply.clock, size_)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, reply.clock);
  if (!wait_ || reply.clock < wait_->asked) {
    fx.because("{} ignores a reply of {}: it is late", self_.value, from);
    return;
  }
  // A number larger than a member may use says no more than silence does.
  const std::uint32_t units = std::min(reply.units, per_member_.value);
  const auto at = place_of(wait_->told, from);
  const bool known = at != wait_->told.end() && at->node == from;
  if (wait_->silent.erase(from)) {
    if (units > 0) wait_->told.insert(at, {from, units});
    wait_->told_units += units;
  } else if (known && units < at->units) {
    wait_->told_units -= at->units - units;
    at->units = units;
    if (units == 0) wait_->told.erase(at);
  } else {
    fx.because("{} ignores a reply of {}: it says nothing new", self_.value, from);
    return;
  }
  enter_if_there_is_room(fx);
}

void SemaphoreRa::enter_if_there_is_room(Effects<Message>& fx) {
  if (!wait_) return;
  const std::uint64_t others =
      std::uint64_t{wait_->silent.size()} * per_member_ + wait_->told_units;
  if (used_ + others >= units_) return;
  const Stamp mine = own();
  fx.because("{} enters with {}: it uses {}, the others {} at most, of {}", self_.value, mine,
             used_, others, units_.value);
  wait_.reset();
  ++used_;
  fx.enter(turn_of(mine, size_));
}

// --- what it costs ---

Theory SemaphoreRa::theory(const TheoryInput& in) {
  return by_asking_all(2.0 * (in.n - 1), "2(N-1)");
}

}  // namespace hapax
