// A shared-memory algorithm for the search: each step is one shared read or write of one process. A
// state is one number, since there are no links to tell apart.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "check/options.h"
#include "check/step.h"
#include "memory/memory_model.h"
#include "search/parts.h"
#include "wire/codec.h"

namespace hapax {

template <MemoryModel M>
class MemoryCheck {
 public:
  using Action = CheckStep;

  explicit MemoryCheck(const CheckOptions& options) : options_(options), n_(options.n) {}

  std::uint32_t width() const { return 1; }

  void initial(std::uint64_t* row) {
    *row = number_of({M{n_},
                      std::vector<std::uint8_t>(n_, static_cast<std::uint8_t>(options_.entries)), 0,
                      static_cast<std::uint8_t>(options_.crashes)});
  }

  template <class Sink>
  void expand(const std::uint64_t* row, Sink& sink) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      const NodeId process{i};
      Situation next = at(row);
      if ((next.crashed >> i & 1) != 0) continue;
      if (next.crashes > 0) crash(sink, next, i);
      CheckStep action{CheckStep::Kind::act, static_cast<std::uint8_t>(i)};
      if (next.model.phase(process) == Phase::idle && next.left[i] > 0) {
        action.kind = CheckStep::Kind::request;
        if (!options_.forever) --next.left[i];
        next.model.request(process);
      } else if (next.model.phase(process) == Phase::inside) {
        action.kind = CheckStep::Kind::release;
        next.model.release(process);
      } else if (next.model.enabled(process)) {
        next.model.step(process);
      } else {
        continue;
      }
      if (next.model.phase(process) == Phase::inside && !alone(sink, action, next, i)) continue;
      const std::uint64_t number = number_of(next);
      sink.step(action, &number);
    }
  }

  // Who is on its way in or out, where progress is promised. The dead do not wait.
  std::uint64_t waits(const std::uint64_t* row) const {
    if (!options_.promises_progress()) return 0;
    std::uint64_t waiting = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((at(row).crashed >> i & 1) != 0) continue;
      if (at(row).model.phase(NodeId{i}) == Phase::waiting) waiting |= std::uint64_t{1} << i;
    }
    return waiting;
  }
  std::string dead_end(const std::uint64_t* row) const {
    std::string who;
    for (std::uint32_t i = 0; i < n_; ++i) {
      who += fmt::format("{}P{} at {}", i == 0 ? "" : ", ", i + 1, at(row).model.where(NodeId{i}));
    }
    return fmt::format("deadlock: {}", who);
  }

  // Every process takes its next step at last, and leaves at last.
  std::optional<std::uint32_t> fair_class(const CheckStep& step) const {
    if (step.kind == CheckStep::Kind::request || step.kind == CheckStep::Kind::crash) {
      return std::nullopt;
    }
    return step.from;
  }

  std::vector<std::string> tell(const std::vector<CheckStep>& way) {
    std::vector<std::string> lines;
    M model{n_};
    for (const CheckStep& step : way) {
      const NodeId process{step.from};
      if (step.kind == CheckStep::Kind::request) {
        lines.push_back(fmt::format("P{} asks", step.from + 1));
        model.request(process);
      } else if (step.kind == CheckStep::Kind::release) {
        lines.push_back(fmt::format("P{} leaves", step.from + 1));
        model.release(process);
      } else if (step.kind == CheckStep::Kind::crash) {
        lines.push_back(fmt::format("P{} stops for ever", step.from + 1));
      } else {
        lines.push_back(fmt::format("P{}: {}", step.from + 1, model.where(process)));
        model.step(process);
        if (model.phase(process) == Phase::inside) lines.back() += ", and is inside";
      }
    }
    return lines;
  }

 private:
  struct Situation {
    M model;
    std::vector<std::uint8_t> left;  // How often each may still ask.
    std::uint8_t crashed;            // A bit for each process.
    std::uint8_t crashes;            // How many more may stop.
  };

  const Situation& at(const std::uint64_t* row) const {
    return states_[static_cast<std::uint32_t>(*row)];
  }
  std::uint32_t number_of(const Situation& situation) {
    key_.clear();
    encode_to(key_, situation.model);
    key_.insert(key_.end(), situation.left.begin(), situation.left.end());
    key_.push_back(situation.crashed);
    key_.push_back(situation.crashes);
    return states_.number_of({reinterpret_cast<const char*>(key_.data()), key_.size()},
                             [&] { return situation; });
  }

  template <class Sink>
  void crash(Sink& sink, Situation next, std::uint32_t i) {
    --next.crashes;
    next.crashed = static_cast<std::uint8_t>(next.crashed | 1u << i);
    const std::uint64_t number = number_of(next);
    sink.step({CheckStep::Kind::crash, static_cast<std::uint8_t>(i)}, &number);
  }

  template <class Sink>
  bool alone(Sink& sink, const CheckStep& action, const Situation& now, std::uint32_t i) {
    sink.enter(i);
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j == i || (now.crashed >> j & 1) != 0) continue;
      if (now.model.phase(NodeId{j}) != Phase::inside) continue;
      sink.fail(action, "exclusion", fmt::format("P{} enters while P{} is inside", i + 1, j + 1));
      return false;
    }
    return true;
  }

  CheckOptions options_;
  std::uint32_t n_;
  Parts<Situation> states_;
  Bytes key_;
};

}  // namespace hapax
