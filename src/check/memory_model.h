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
#include "check/parts.h"
#include "check/step.h"
#include "memory/memory_model.h"
#include "wire/codec.h"

namespace hapax {

template <MemoryModel M>
class MemoryCheck {
 public:
  using Word = std::uint32_t;
  using Action = CheckStep;

  explicit MemoryCheck(const CheckOptions& options)
      : options_(options), n_(options.n), states_(~std::uint32_t{0} - 1) {}

  std::uint32_t width() const { return 1; }

  void initial(Word* row) {
    // Who asks again and again always has one more entry left.
    const std::uint32_t entries = options_.again_and_again() ? 1 : options_.entries;
    *row = number_of({M{n_}, std::vector<std::uint8_t>(n_, static_cast<std::uint8_t>(entries)), 0,
                      static_cast<std::uint8_t>(options_.crashes)});
  }

  template <class Sink>
  void expand(const Word* row, Sink& sink) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      const NodeId process{i};
      Situation next = states_[*row];
      if ((next.crashed >> i & 1) != 0) continue;
      if (next.crashes > 0) crash(sink, next, i);
      CheckStep action{CheckStep::Kind::act, static_cast<std::uint8_t>(i)};
      if (next.model.phase(process) == Phase::idle && next.left[i] > 0) {
        action.kind = CheckStep::Kind::request;
        if (!options_.again_and_again()) --next.left[i];
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
      const Word number = number_of(next);
      sink.step(action, &number);
    }
  }

  // Who is on its way in or out, where progress is promised. The dead do not wait.
  std::uint64_t waits(const Word* row) const {
    if (!options_.promises_progress()) return 0;
    std::uint64_t waiting = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((states_[*row].crashed >> i & 1) != 0) continue;
      if (states_[*row].model.phase(NodeId{i}) == Phase::waiting) waiting |= std::uint64_t{1} << i;
    }
    return waiting;
  }
  std::string dead_end(const Word* row) const {
    std::string who;
    for (std::uint32_t i = 0; i < n_; ++i) {
      who += fmt::format("{}P{} at {}", i == 0 ? "" : ", ", i + 1,
                         states_[*row].model.where(NodeId{i}));
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

  std::uint64_t entered() const { return entered_; }

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

  Word number_of(const Situation& situation) {
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
    const Word number = number_of(next);
    sink.step({CheckStep::Kind::crash, static_cast<std::uint8_t>(i)}, &number);
  }

  template <class Sink>
  bool alone(Sink& sink, const CheckStep& action, const Situation& now, std::uint32_t i) {
    entered_ |= std::uint64_t{1} << i;
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
  std::uint64_t entered_ = 0;
};

}  // namespace hapax
