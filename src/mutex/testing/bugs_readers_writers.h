// Planted bugs of readers and writers.
#pragma once

#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/shared_algorithm.h"
#include "mutex/readers_writers.h"
#include "mutex/testing/mutant.h"

namespace hapax::bugs {

using testing::field;
using testing::NoBug;

inline const ReadersWriters::Request* request_of(const ReadersWriters::Message& message,
                                                 Mode mode) {
  const auto* request = std::get_if<ReadersWriters::Request>(&message);
  return request != nullptr && request->mode == mode ? request : nullptr;
}

// Replies at once, as if it were idle.
template <class Self, class Fx>
void reply_at_once(Self self, NodeId to, Clock clock, Fx& fx) {
  self.real.raise_clock(clock);
  fx.send(to, ReadersWriters::Reply{clock});
}

// Inside, a reader lets everybody in, writers included.
struct ReaderDefersNobody : NoBug<ReadersWriters> {
  HAPAX_RECORD(ReaderDefersNobody)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* write = request_of(message, Mode::exclusive);
    const Holding own = self.real.holding();
    if (write == nullptr || own.units == 0 || own.mode != Mode::shared) {
      return self.real.receive(from, message, fx);
    }
    reply_at_once(self, from, write->clock, fx);
  }
};

// A writer that waits lets readers pass that asked later.
struct WriterLetsLaterReadersPass : NoBug<ReadersWriters> {
  HAPAX_RECORD(WriterLetsLaterReadersPass)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* read = request_of(message, Mode::shared);
    const bool waits =
        self.real.phase() == Phase::waiting && field<Mode>(self.real, "mode") == Mode::exclusive;
    if (read == nullptr || !waits) return self.real.receive(from, message, fx);
    reply_at_once(self, from, read->clock, fx);
  }
};

// Leaves as a reader without a word, as if nobody could wait for one.
struct ReaderLeavesSilently : NoBug<ReadersWriters> {
  HAPAX_RECORD(ReaderLeavesSilently)

  void release(Self self, Fx& fx) {
    Fx real;
    const bool reads = self.real.holding().mode == Mode::shared;
    self.real.release(reads ? real : fx);
  }
};

}  // namespace hapax::bugs
