#include "memory/dijkstra_model.h"

#include "base/check.h"
#include "memory/memory_model.h"

namespace hapax {

static_assert(MemoryModel<DijkstraModel>);

DijkstraModel::DijkstraModel(std::uint32_t size) : owned_(size), locals_(size) {
  HAPAX_CHECK(size > 0u);
}

void DijkstraModel::request(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::idle);
  locals_[number(process)].line = Line::want;
}

void DijkstraModel::try_request(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::idle);
  locals_[number(process)].trying = true;
  look_from(number(process), 0, Line::look, Line::claim);
}

void DijkstraModel::release(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::inside);
  locals_[number(process)].line = Line::leave_claim;
}

bool DijkstraModel::enabled(NodeId process) const {
  // Dijkstra's waiting loop runs over several lines, so a process on its way always has a step.
  return phase(process) == Phase::waiting;
}

void DijkstraModel::step(NodeId process) {
  HAPAX_CHECK(enabled(process));
  const std::uint32_t self = number(process);
  Owned& own = owned_[self];
  Local& local = locals_[self];
  switch (local.line) {
    case Line::idle:
    case Line::inside:
      break;  // Not enabled.
    case Line::look:
    case Line::scan:
      look_at_other(self);
      break;
    case Line::want:
      own.wants = true;
      local.line = Line::read_turn;
      break;
    case Line::read_turn:
      local.line = turn_ == self ? Line::claim : Line::unclaim;
      break;
    case Line::unclaim:
      own.claims = false;
      local.line = Line::reread_turn;
      break;
    case Line::reread_turn:
      local.other = turn_;
      local.line = Line::read_wants;
      break;
    case Line::read_wants:
      local.line = owned_[local.other].wants ? Line::read_turn : Line::take_turn;
      local.other = 0;
      break;
    case Line::take_turn:
      turn_ = self;
      local.line = Line::read_turn;
      break;
    case Line::claim:
      own.claims = true;
      look_from(self, 0, Line::scan, Line::inside);
      break;
    case Line::leave_claim:
      own.claims = false;
      local.line = Line::leave_want;
      break;
    case Line::leave_want:
      own.wants = false;
      local = {};
      break;
  }
}

void DijkstraModel::look_at_other(std::uint32_t self) {
  Local& local = locals_[self];
  const bool first_pass = local.line == Line::look;
  if (!owned_[local.other].claims) {
    look_from(self, local.other + 1, local.line, first_pass ? Line::claim : Line::inside);
  } else if (first_pass) {
    local = {};
  } else {
    local.line = local.trying ? Line::leave_claim : Line::read_turn;
    local.other = 0;
  }
}

void DijkstraModel::look_from(std::uint32_t self, std::uint32_t from, Line line, Line if_none) {
  Local& local = locals_[self];
  const std::uint32_t other = other_from(self, from);
  const bool is_more = other < size();
  local.line = is_more ? line : if_none;
  local.other = is_more ? other : 0;
  if (local.line == Line::inside) local.trying = false;
}

Phase DijkstraModel::phase(NodeId process) const {
  const Line line = locals_[number(process)].line;
  if (line == Line::idle) return Phase::idle;
  return line == Line::inside ? Phase::inside : Phase::waiting;
}

std::string_view DijkstraModel::where(NodeId process) const {
  switch (locals_[number(process)].line) {
    case Line::idle:
      return "idle";
    case Line::look:
      return "try: read claims[j]";
    case Line::want:
      return "L0: write wants[i]";
    case Line::read_turn:
      return "L1: read turn";
    case Line::unclaim:
      return "L2: clear claims[i]";
    case Line::reread_turn:
      return "L3: read turn";
    case Line::read_wants:
      return "L3: read wants[turn]";
    case Line::take_turn:
      return "L3: write turn";
    case Line::claim:
      return "L4: write claims[i]";
    case Line::scan:
      return "L4: read claims[j]";
    case Line::inside:
      return "inside";
    case Line::leave_claim:
      return "leave: clear claims[i]";
    case Line::leave_want:
      return "leave: clear wants[i]";
  }
  return "?";
}

}  // namespace hapax
