// A client that counts up in a record through commits, as members raise an epoch: what is
// acknowledged is never lost, and what is unknown counts once or not at all.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/engine.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::engine::testing {

class Counter {
 public:
  Counter(Loop& io, Engine& engine, std::uint64_t times)
      : timer_(io), engine_(engine), left_(times) {}

  void start() { read(); }
  void stop() { left_ = 0; }
  bool done() const { return left_ == 0 && !busy_; }

  std::uint64_t committed = 0;
  std::uint64_t unknown = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t failed_reads = 0;
  bool went_back = false;  // A read or a commit saw a lower number than one before.

  static std::uint64_t value_in(const Snapshot& snapshot) {
    const Record* record = snapshot.find("counter");
    return record == nullptr ? 0 : std::stoull(record->value);
  }

 private:
  void read() {
    busy_ = left_ > 0;
    if (!busy_) return;
    engine_.read({"counter"}, [this](Result<Snapshot> snapshot) {
      if (!snapshot) {
        ++failed_reads;
        return again_soon();
      }
      raise(*snapshot);
    });
  }
  void raise(const Snapshot& snapshot) {
    const Record* record = snapshot.find("counter");
    const std::uint64_t value = value_in(snapshot);
    if (value < seen_) went_back = true;
    seen_ = value;
    engine_.commit({{"counter", record == nullptr ? kAbsent : record->version}},
                   {{"counter", std::to_string(value + 1)}}, [this](Outcome outcome, Revision) {
                     count(outcome);
                     if (outcome == Outcome::unknown) return again_soon();
                     read();
                   });
  }
  void count(Outcome outcome) {
    if (outcome == Outcome::committed) {
      ++committed;
      ++seen_;
      if (left_ > 0) --left_;
    }
    if (outcome == Outcome::conflict) ++conflicts;
    if (outcome == Outcome::unknown) ++unknown;
  }
  void again_soon() {
    timer_.expires_after(std::chrono::milliseconds{20});
    timer_.async_wait([this](auto failed) {
      if (!failed) read();
    });
  }

  Timer timer_;
  Engine& engine_;
  std::uint64_t left_;
  std::uint64_t seen_ = 0;
  bool busy_ = false;
};

}  // namespace hapax::engine::testing
