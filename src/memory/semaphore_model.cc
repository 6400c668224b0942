#include "memory/semaphore_model.h"

#include "base/check.h"
#include "memory/memory_model.h"

namespace hapax {

static_assert(MemoryModel<SemaphoreModel>);

SemaphoreModel::SemaphoreModel(std::uint32_t size, std::uint32_t count)
    : count_(count), locals_(size) {
  HAPAX_CHECK(size > 0u);
}

void SemaphoreModel::request(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::idle);
  locals_[number(process)].line = Line::read;
}

void SemaphoreModel::try_request(NodeId process) {
  request(process);
  locals_[number(process)].trying = true;
}

void SemaphoreModel::release(NodeId process) {
  HAPAX_CHECK(phase(process) == Phase::inside);
  locals_[number(process)].line = Line::leave;
}

bool SemaphoreModel::enabled(NodeId process) const {
  if (phase(process) != Phase::waiting) return false;
  const Local& local = locals_[number(process)];
  // std::atomic::wait: nothing to do while the count is 0.
  return local.line != Line::read || local.trying || count_ > 0;
}

void SemaphoreModel::step(NodeId process) {
  HAPAX_CHECK(enabled(process));
  Local& local = locals_[number(process)];
  switch (local.line) {
    case Line::idle:
    case Line::inside:
      break;  // Not enabled.
    case Line::read:
      see_count(local);
      break;
    case Line::exchange:
      if (count_ == local.seen) {
        --count_;
        local = {.line = Line::inside};
      } else {
        see_count(local);  // A failed exchange is a read.
      }
      break;
    case Line::leave:
      ++count_;
      local = {};
      break;
  }
}

void SemaphoreModel::see_count(Local& local) {
  if (count_ > 0) {
    local.line = Line::exchange;
    local.seen = count_;
  } else if (local.trying) {
    local = {};
  } else {
    local = {.line = Line::read};
  }
}

Phase SemaphoreModel::phase(NodeId process) const {
  const Line line = locals_[number(process)].line;
  if (line == Line::idle) return Phase::idle;
  return line == Line::inside ? Phase::inside : Phase::waiting;
}

std::string_view SemaphoreModel::where(NodeId process) const {
  switch (locals_[number(process)].line) {
    case Line::idle:
      return "idle";
    case Line::read:
      return "P: read count";
    case Line::exchange:
      return "P: exchange count";
    case Line::inside:
      return "inside";
    case Line::leave:
      return "V: add to count";
  }
  return "?";
}

}  // namespace hapax
