// Dijkstra's lock (see dijkstra.h) in single reads and writes. Finite: the state stays bounded
// however often the processes enter.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "memory/catalog.h"

namespace hapax {

class DijkstraModel {
 public:
  static constexpr MemoryInfo kInfo = kDijkstraInfo;

  enum class Line : std::uint8_t {
    idle,
    look,  // try_request only: does anybody claim?
    want,
    read_turn,
    unclaim,
    reread_turn,
    read_wants,
    take_turn,
    claim,
    scan,
    inside,
    leave_claim,
    leave_want,
  };
  friend constexpr bool is_valid(Line line) { return line <= Line::leave_want; }

  // Shared, written by their process only.
  struct Owned {
    bool wants = false;
    bool claims = false;
    HAPAX_RECORD(Owned, wants, claims)
  };
  struct Local {
    Line line = Line::idle;
    bool trying = false;      // Entered by try_request(). Invariant: false while idle or inside.
    std::uint32_t other = 0;  // Whose variable is read next, at look, read_wants and scan; else 0.
    HAPAX_RECORD(Local, line, trying, other)
  };

  // REQUIRES: size > 0.
  explicit DijkstraModel(std::uint32_t size);

  std::uint32_t size() const { return static_cast<std::uint32_t>(locals_.size()); }
  void request(NodeId process);
  void try_request(NodeId process);  // try_lock(): ends inside or idle without ever waiting.
  void release(NodeId process);
  void step(NodeId process);
  bool enabled(NodeId process) const;
  Phase phase(NodeId process) const;
  std::string_view where(NodeId process) const;

  HAPAX_RECORD(DijkstraModel, owned_, turn_, locals_)

 private:
  // Goes on at `line` with the claims of the others from `from` on, or at `if_none` after the last.
  void look_from(std::uint32_t self, std::uint32_t from, Line line, Line if_none);
  void look_at_other(std::uint32_t self);

  std::vector<Owned> owned_;
  std::uint32_t turn_ = 0;  // Shared, written by all.
  std::vector<Local> locals_;
};

}  // namespace hapax
