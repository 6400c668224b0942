// Planted bugs of the semaphore.
#pragma once

#include <cstdint>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/shared_algorithm.h"
#include "mutex/semaphore_ra.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

// Enters with one reply too few: as if there were a unit more.
struct EntersOneReplyEarly : NoBug<SemaphoreRa> {
  HAPAX_RECORD(EntersOneReplyEarly)

  void request_in(Self self, Mode mode, Fx& fx) {
    with_one_more(self, [&] { self.real.request(mode, fx); });
  }
  void request(Self self, Fx& fx) { request_in(self, Mode::shared, fx); }
  void release(Self self, Fx& fx) {
    with_one_more(self, [&] { self.real.release(fx); });
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    with_one_more(self, [&] { self.real.receive(from, message, fx); });
  }

 private:
  template <class Step>
  static void with_one_more(Self self, Step&& step) {
    ++first_fixed(self, "units");
    step();
    --first_fixed(self, "units");
  }
  static std::uint32_t& first_fixed(Self self, std::string_view name) {
    return field<Fixed<std::uint32_t>>(self.real, name).value;
  }
};

// Gives a unit back and tells nobody.
struct ForgetsToTellOfAUnit : NoBug<SemaphoreRa> {
  HAPAX_RECORD(ForgetsToTellOfAUnit)

  void release(Self self, Fx& fx) {
    Fx real;
    self.real.release(real);
    if (real.entered()) fx.enter(*real.entered());
  }
};

// Counts the units that it uses, and not the one that it asked for earlier.
struct DoesNotCountItsOwnRequest : NoBug<SemaphoreRa> {
  HAPAX_RECORD(DoesNotCountItsOwnRequest)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* request = std::get_if<SemaphoreRa::Request>(&message);
    if (request == nullptr || self.real.phase() != Phase::waiting) {
      return self.real.receive(from, message, fx);
    }
    self.real.raise_clock(request->clock);
    fx.send(from, SemaphoreRa::Reply{request->clock, self.real.holding().units});
  }
};

// Giving a unit back while it waits, says that this holds for requests that it has not seen.
struct SpeaksOfRequestsUnseen : NoBug<SemaphoreRa> {
  HAPAX_RECORD(SpeaksOfRequestsUnseen)

  void release(Self self, Fx& fx) {
    self.real.release(fx);
    for (auto& send : fx.sends()) {
      if (auto* reply = std::get_if<SemaphoreRa::Reply>(&send.message)) {
        reply->clock = field<Clock>(self.real, "clock");
      }
    }
  }
};

}  // namespace hapax::bugs
