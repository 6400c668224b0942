// Does everybody who waits enter? In a graph of states without dead ends, a process can wait for
// ever only by going round in a cycle. A cycle counts only if it is fair: a delivery or an exit
// that stays possible all along it must also happen on it (weak fairness). For each process: the
// strongly connected parts of the states in which it waits; if one of them has a fair cycle, the
// process may starve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/model.h"
#include "search/states.h"

namespace hapax {

class FairCycles {
 public:
  struct Starvation {
    std::uint32_t process;
    std::uint32_t state;  // The first one reached from which a fair cycle leads back to it.
  };

  FairCycles(SearchModel& model, const States& states);

  std::optional<Starvation> find(std::uint32_t processes);

 private:
  struct Edge {
    std::uint32_t to;
    std::uint64_t fair;  // The bit of its class; 0 if it need not happen.
  };

  bool waits(std::uint32_t process, std::uint32_t state) const {
    return (waits_[state] >> process & 1) != 0;
  }
  bool find_for(std::uint32_t process);
  bool close_part(std::uint32_t state, std::uint32_t part);

  const States& states_;
  std::vector<std::size_t> first_edge_;
  std::vector<Edge> edges_;
  std::vector<std::uint64_t> possible_;  // By state: the fair classes that have a step there.
  std::vector<std::uint64_t> waits_;
  std::vector<std::uint32_t> order_, low_, part_of_, path_;
  std::uint32_t first_ = 0;  // Of the part found.
};

}  // namespace hapax
