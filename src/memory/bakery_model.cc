#include "memory/bakery_model.h"

#include <algorithm>

#include "base/check.h"
#include "memory/memory_model.h"

namespace hapax {

static_assert(MemoryModel<BakeryModel>);

BakeryModel::BakeryModel(std::uint32_t size) : owned_(size), locals_(size) {
  HAPAX_CHECK(size > 0u);
}

void BakeryModel::request(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::idle);
  locals_[number(process)].line = Line::choose;
}

void BakeryModel::try_request(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::idle);
  locals_[number(process)].trying = true;
  look_from(number(process), 0, Line::look, Line::choose);
}

void BakeryModel::release(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::inside);
  locals_[number(process)].line = Line::leave;
}

bool BakeryModel::enabled(NodeId process) const {
  const std::uint32_t self = number(process);
  return phase(process) == Phase::waiting && (locals_[self].trying || !must_wait(self));
}

void BakeryModel::step(NodeId process) {
  HAPAX_CHECK(enabled(process));
  const std::uint32_t self = number(process);
  Owned& own = owned_[self];
  Local& local = locals_[self];
  switch (local.line) {
    case Line::idle:
    case Line::inside:
      break;  // Not enabled.
    case Line::look:
    case Line::read_number:
      read_ticket_of_other(self);
      break;
    case Line::choose:
      own.choosing = true;
      look_from(self, 0, Line::read_number, Line::write_number);
      break;
    case Line::write_number:
      own.number = ++local.ticket;
      local.line = Line::chosen;
      break;
    case Line::chosen:
      own.choosing = false;
      look_from(self, 0, Line::await_choosing, Line::inside);
      break;
    case Line::await_choosing:
    case Line::await_number:
      await_other(self);
      break;
    case Line::leave:
      own.number = 0;
      local = {};
      break;
  }
}

void BakeryModel::read_ticket_of_other(std::uint32_t self) {
  Local& local = locals_[self];
  const std::uint64_t theirs = owned_[local.other].number;
  if (local.line == Line::read_number) {
    local.ticket = std::max(local.ticket, theirs);
    look_from(self, local.other + 1, Line::read_number, Line::write_number);
  } else if (theirs == 0) {
    look_from(self, local.other + 1, Line::look, Line::choose);
  } else {
    local = {};
  }
}

void BakeryModel::await_other(std::uint32_t self) {
  Local& local = locals_[self];
  if (must_wait(self)) {
    // Only a try comes here with somebody before it; it throws its ticket away.
    local.line = Line::leave;
    local.other = 0;
  } else if (local.line == Line::await_choosing) {
    local.line = Line::await_number;
  } else {
    look_from(self, local.other + 1, Line::await_choosing, Line::inside);
  }
}

// Its own ticket comes from the local copy: nobody else writes it.
bool BakeryModel::must_wait(std::uint32_t self) const {
  const Local& local = locals_[self];
  const Owned& theirs = owned_[local.other];
  if (local.line == Line::await_choosing) return theirs.choosing;
  if (local.line != Line::await_number || theirs.number == 0) return false;
  // Equal tickets: the lower number wins, so both sides agree.
  return theirs.number < local.ticket || (theirs.number == local.ticket && local.other < self);
}

void BakeryModel::look_from(std::uint32_t self, std::uint32_t from, Line line, Line if_none) {
  Local& local = locals_[self];
  const std::uint32_t other = other_from(self, from);
  const bool is_more = other < size();
  local.line = is_more ? line : if_none;
  local.other = is_more ? other : 0;
  if (local.line == Line::inside) local.trying = false;
}

Phase BakeryModel::phase(NodeId process) const {
  const Line line = locals_[number(process)].line;
  if (line == Line::idle) return Phase::idle;
  return line == Line::inside ? Phase::inside : Phase::waiting;
}

std::string_view BakeryModel::where(NodeId process) const {
  switch (locals_[number(process)].line) {
    case Line::idle:
      return "idle";
    case Line::look:
      return "try: read number[j]";
    case Line::choose:
      return "doorway: write choosing[i]";
    case Line::read_number:
      return "doorway: read number[j]";
    case Line::write_number:
      return "doorway: write number[i]";
    case Line::chosen:
      return "doorway: clear choosing[i]";
    case Line::await_choosing:
      return "bakery: read choosing[j]";
    case Line::await_number:
      return "bakery: read number[j]";
    case Line::inside:
      return "inside";
    case Line::leave:
      return "leave: clear number[i]";
  }
  return "?";
}

}  // namespace hapax
