// The semaphore (see semaphore_lock.h) in single accesses to its counter: P reads it and then tries
// to exchange it, V adds to it. An exchange and an addition are one step each, as in hardware.
// Finite.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "memory/catalog.h"

namespace hapax {

class SemaphoreModel {
 public:
  static constexpr MemoryInfo kInfo = kSemaphoreInfo;

  enum class Line : std::uint8_t { idle, read, exchange, inside, leave };
  friend constexpr bool is_valid(Line line) { return line <= Line::leave; }

  struct Local {
    Line line = Line::idle;
    bool trying = false;     // Entered by try_request(). Invariant: false while idle or inside.
    std::uint32_t seen = 0;  // The count to exchange. Invariant: > 0 at exchange, 0 elsewhere.
    HAPAX_RECORD(Local, line, trying, seen)
  };

  // REQUIRES: size > 0.
  explicit SemaphoreModel(std::uint32_t size, std::uint32_t count = 1);

  std::uint32_t size() const { return static_cast<std::uint32_t>(locals_.size()); }
  void request(NodeId process);
  void try_request(NodeId process);  // try_lock(): ends inside or idle without ever waiting.
  void release(NodeId process);
  void step(NodeId process);
  bool enabled(NodeId process) const;
  Phase phase(NodeId process) const;
  std::string_view where(NodeId process) const;

  HAPAX_RECORD(SemaphoreModel, count_, locals_)

 private:
  void see_count(Local& local);

  std::uint32_t count_;  // Shared. Invariant: plus those at inside and leave, the initial count.
  std::vector<Local> locals_;
};

}  // namespace hapax
