// Lamport's bakery (see bakery_lock.h) in single reads and writes. The tickets are unbounded: with
// two processes that keep entering in turn they grow for ever, and so does the state space. A
// checker bounds the number of entries instead.
//
// A read and a write are atomic here; the paper asks for less.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "memory/catalog.h"

namespace hapax {

class BakeryModel {
 public:
  static constexpr MemoryInfo kInfo = kBakeryLockInfo;

  enum class Line : std::uint8_t {
    idle,
    look,  // try_request only: does anybody have a ticket?
    choose,
    read_number,
    write_number,
    chosen,
    await_choosing,
    await_number,
    inside,
    leave,
  };
  friend constexpr bool is_valid(Line line) { return line <= Line::leave; }

  // Shared, written by their process only.
  struct Owned {
    bool choosing = false;
    std::uint64_t number = 0;  // The ticket; 0 is none.
    HAPAX_RECORD(Owned, choosing, number)
  };
  struct Local {
    Line line = Line::idle;
    bool trying = false;       // Entered by try_request(). Invariant: false while idle or inside.
    std::uint32_t other = 0;   // Whose variable is read next, at the lines that read; else 0.
    std::uint64_t ticket = 0;  // At read_number the highest seen; then its own, until idle.
    HAPAX_RECORD(Local, line, trying, other, ticket)
  };

  // REQUIRES: size > 0.
  explicit BakeryModel(std::uint32_t size);

  std::uint32_t size() const { return static_cast<std::uint32_t>(locals_.size()); }
  void request(NodeId process);
  void try_request(NodeId process);  // try_lock(): ends inside or idle without ever waiting.
  void release(NodeId process);
  void step(NodeId process);
  bool enabled(NodeId process) const;
  Phase phase(NodeId process) const;
  std::string_view where(NodeId process) const;

  HAPAX_RECORD(BakeryModel, owned_, locals_)

 private:
  // Goes on at `line` with the others from `from` on, or at `if_none` after the last.
  void look_from(std::uint32_t self, std::uint32_t from, Line line, Line if_none);
  void read_ticket_of_other(std::uint32_t self);
  void await_other(std::uint32_t self);
  bool must_wait(std::uint32_t self) const;

  std::vector<Owned> owned_;
  std::vector<Local> locals_;
};

}  // namespace hapax
