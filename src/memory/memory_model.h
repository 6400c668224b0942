// A shared-memory algorithm as a plain value, for the model checker: N processes, their shared
// variables, and steps of one shared read or write each. The real locks (dijkstra.h, bakery_lock.h,
// semaphore_lock.h) take the same steps in the same order.
//
//   copyable, comparable, encodable  through its HAPAX_RECORD
//   deterministic                    step(p) has one outcome; what is open is who steps next
//   sequentially consistent          a write is seen by all at once; what a weaker memory does is
//                                    shown by store_buffer_testing.h
//   no shared step between           request() and release() only move the process to its next line
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "memory/catalog.h"

namespace hapax {

template <class M>
concept MemoryModel = std::copyable<M> && std::equality_comparable<M> && Record<M> &&
    std::constructible_from<M, std::uint32_t> && requires(M m, const M cm, NodeId process) {
  { M::kInfo } -> std::convertible_to<MemoryInfo>;
  { cm.size() } -> std::same_as<std::uint32_t>;
  m.request(process);  // REQUIRES: phase(process) == idle.
  m.release(process);  // REQUIRES: phase(process) == inside.
  m.step(process);     // REQUIRES: enabled(process).
  // Whether a step would change anything. False when idle, when inside, and where a process would
  // only read the same variable again: so a deadlock is a state where nobody is enabled.
  { cm.enabled(process) } -> std::same_as<bool>;
  // On its way out a process is `waiting` as well: it is not inside any more and not idle yet.
  { cm.phase(process) } -> std::same_as<Phase>;
  { cm.where(process) } -> std::same_as<std::string_view>;  // The line it will execute next.
};

// The first process from `from` on that is not `self`; the number of processes when there is none.
// With other_from(self, 0) and other_from(self, other + 1) a process goes through all the others.
constexpr std::uint32_t other_from(std::uint32_t self, std::uint32_t from) {
  return from == self ? from + 1 : from;
}

}  // namespace hapax
