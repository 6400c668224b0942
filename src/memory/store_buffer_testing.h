// For the tests of this room: a model on a machine with store buffers, to show which stores must be
// seq_cst and which need not.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "memory/explorer_testing.h"

namespace hapax::testing {

// A weaker memory: what a process writes at `kLines` goes through its store buffer, first in, first
// out, and reaches the others whenever the memory likes; a write at any other line empties the
// buffer first. This is what a store may do before a later load unless both are seq_cst.
template <class Model, typename Model::Line... kLines>
class Buffered {
 public:
  explicit Buffered(std::uint32_t size) : model_(size), buffers_(size) {}

  std::uint32_t size() const { return model_.size(); }
  void request(NodeId process) { model_.request(process); }
  void release(NodeId process) { model_.release(process); }
  bool enabled(NodeId process) const { return model_.enabled(process); }
  Phase phase(NodeId process) const { return model_.phase(process); }

  void step(NodeId process) {
    const std::uint32_t p = number(process);
    const auto line = locals_of(model_)[p].line;
    const bool is_buffered = ((line == kLines) || ...);
    std::vector<Owned>& buffer = buffers_[p];
    Owned& own = owned(model_)[p];
    const Owned in_memory = own;
    if (!buffer.empty()) own = buffer.back();  // A process sees its own writes at once.
    const Owned before = own;
    model_.step(process);
    if (own == before) {
      own = in_memory;
    } else if (is_buffered) {
      buffer.push_back(std::exchange(own, in_memory));
    } else {
      buffer.clear();
    }
  }

  std::vector<Buffered> memory_moves() const {
    std::vector<Buffered> moves;
    for (std::uint32_t p = 0; p < size(); ++p) {
      if (buffers_[p].empty()) continue;
      Buffered& next = moves.emplace_back(*this);
      owned(next.model_)[p] = next.buffers_[p].front();
      next.buffers_[p].erase(next.buffers_[p].begin());
    }
    return moves;
  }

  HAPAX_RECORD(Buffered, model_, buffers_)

 private:
  using Owned = typename Model::Owned;
  static std::vector<Owned>& owned(Model& model) { return std::get<0>(fields(model)); }

  Model model_;
  std::vector<std::vector<Owned>>
      buffers_;  // What memory will hold for each process, oldest first.
};

}  // namespace hapax::testing
