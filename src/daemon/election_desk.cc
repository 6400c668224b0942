#include "daemon/election_desk.h"

#include <utility>

#include "core/lock_name.h"

namespace hapax {

Result<void> ElectionDesk::check(const std::string& name, const std::string& value) {
  if (const auto good = check_lock_name(name); !good) return good.error();
  if (value.empty() || check_lock_name(value)) return {};
  return error("a leader's value is UTF-8, at most {} bytes, without control characters",
               kLongestLockName);
}

void ElectionDesk::on(Visitor& visitor, session::Campaign&& c) {
  if (const auto good = check(c.name, c.value); !good) {
    return host_.refuse(visitor, c.request, good.error().message);
  }
  const auto waiter = host_.admit(visitor, c.request, c.name);
  if (waiter) campaigns_.enter(*waiter, c.name, c.value);
}

void ElectionDesk::on(Visitor& visitor, session::HandOver&& h) {
  const auto at = visitor.requests.find(h.campaign);
  if (at == visitor.requests.end() || !campaigns_.leads(at->second.waiter)) {
    return host_.refuse(visitor, h.request, "it does not lead");
  }
  if (const auto good = check(at->second.name, h.to); !good) {
    return host_.refuse(visitor, h.request, good.error().message);
  }
  campaigns_.hand_over(at->second.waiter, h.to, tell_outcome(visitor, h.request, h.campaign));
}

void ElectionDesk::on(Visitor& visitor, session::AskResign&& a) {
  if (const auto good = check(a.name, a.to); !good) {
    return host_.refuse(visitor, a.request, good.error().message);
  }
  campaigns_.request_resignation(a.name, a.to, tell_outcome(visitor, a.request, std::nullopt));
}

// Whoever has left meanwhile has lost its lead, too.
Campaigns::Done ElectionDesk::tell_outcome(Visitor& visitor, session::RequestId request,
                                           std::optional<session::RequestId> campaign) {
  return [this, who = visitor.weak_from_this(), request, campaign](const std::string& error) {
    const auto there = who.lock();
    if (!there || !host_.is_here(there)) return;
    if (!error.empty()) return host_.refuse(*there, request, error);
    if (campaign) host_.give_back(*there, *campaign);
    there->tell(session::Ended{request});
  };
}

void ElectionDesk::on(Visitor& visitor, session::Observe&& o) {
  if (const auto good = check_lock_name(o.name); !good) {
    return host_.refuse(visitor, o.request, good.error().message);
  }
  if (visitor.observations.contains(o.request)) {
    return host_.refuse(visitor, o.request, "that request is in use");
  }
  if (visitor.observations.size() >= Visitor::kMostObservations) {
    return host_.refuse(visitor, o.request, "too many observations of one client");
  }
  // It is told only while it is a visitor: forget() ends the observation.
  visitor.observations[o.request] =
      campaigns_.observe(o.name, [&visitor, request = o.request](const auto& leader) {
        visitor.tell(session::Observed{request, leader});
      });
}

void ElectionDesk::end_observation(Visitor& visitor, session::RequestId request) {
  const auto at = visitor.observations.find(request);
  if (at == visitor.observations.end()) return;
  campaigns_.podium().unobserve(at->second);
  visitor.observations.erase(at);
}

void ElectionDesk::forget(Visitor& visitor) {
  while (!visitor.observations.empty()) {
    end_observation(visitor, visitor.observations.begin()->first);
  }
}

}  // namespace hapax
