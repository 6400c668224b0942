#include "check/memory_model.h"

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "check/step.h"
#include "memory/memory_model.h"
#include "memory/models.h"
#include "search/parts.h"
#include "wire/codec.h"

namespace hapax {
namespace {

template <MemoryModel M>
class MemoryCheck final : public SearchModel {
 public:
  explicit MemoryCheck(const CheckOptions& options) : options_(options), n_(options.n) {}

  std::uint32_t width() const override { return 1; }

  void initial(std::uint64_t* row) override {
    *row = number_of({M{n_},
                      std::vector<std::uint8_t>(n_, static_cast<std::uint8_t>(options_.entries)), 0,
                      static_cast<std::uint8_t>(options_.crashes)});
  }

  void expand(const std::uint64_t* row, Steps& steps) override {
    for (std::uint32_t i = 0; i < n_; ++i) {
      const NodeId process{i};
      Situation next = at(row);
      if ((next.crashed >> i & 1) != 0) continue;
      if (next.crashes > 0) crash(steps, next, i);
      CheckStep kind = CheckStep::act;
      if (next.model.phase(process) == Phase::idle && next.left[i] > 0) {
        kind = CheckStep::request;
        if (!options_.forever) --next.left[i];
        next.model.request(process);
      } else if (next.model.phase(process) == Phase::inside) {
        kind = CheckStep::release;
        next.model.release(process);
      } else if (next.model.enabled(process)) {
        next.model.step(process);
      } else {
        continue;
      }
      const SearchStep step = step_of(kind, i);
      if (next.model.phase(process) == Phase::inside && !alone(steps, step, next, i)) continue;
      const std::uint64_t number = number_of(next);
      steps.add(step, &number);
    }
  }

  // Those on their way in or out, where progress is promised. The dead do not wait.
  std::uint64_t waits(const std::uint64_t* row) const override {
    if (!options_.promises_progress()) return 0;
    std::uint64_t waiting = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((at(row).crashed >> i & 1) != 0) continue;
      if (at(row).model.phase(NodeId{i}) == Phase::waiting) waiting |= std::uint64_t{1} << i;
    }
    return waiting;
  }
  std::string dead_end(const std::uint64_t* row) const override {
    std::string who;
    for (std::uint32_t i = 0; i < n_; ++i) {
      who += fmt::format("{}P{} at {}", i == 0 ? "" : ", ", i + 1, at(row).model.where(NodeId{i}));
    }
    return fmt::format("deadlock: {}", who);
  }

  // Every process eventually takes its next step, and eventually leaves.
  std::optional<std::uint32_t> fair_class(const SearchStep& step) const override {
    if (kind_of(step) == CheckStep::request || kind_of(step) == CheckStep::crash) {
      return std::nullopt;
    }
    return step.from;
  }

  std::vector<std::string> tell(const std::vector<SearchStep>& way) override {
    std::vector<std::string> lines;
    M model{n_};
    for (const SearchStep& step : way) {
      const NodeId process{step.from};
      if (kind_of(step) == CheckStep::request) {
        lines.push_back(fmt::format("P{} asks", step.from + 1));
        model.request(process);
      } else if (kind_of(step) == CheckStep::release) {
        lines.push_back(fmt::format("P{} leaves", step.from + 1));
        model.release(process);
      } else if (kind_of(step) == CheckStep::crash) {
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

  void crash(Steps& steps, Situation next, std::uint32_t i) {
    --next.crashes;
    next.crashed = static_cast<std::uint8_t>(next.crashed | 1u << i);
    const std::uint64_t number = number_of(next);
    steps.add(step_of(CheckStep::crash, i), &number);
  }

  bool alone(Steps& steps, const SearchStep& step, const Situation& now, std::uint32_t i) {
    steps.enter(i);
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j == i || (now.crashed >> j & 1) != 0) continue;
      if (now.model.phase(NodeId{j}) != Phase::inside) continue;
      steps.fail(step, "exclusion", fmt::format("P{} enters while P{} is inside", i + 1, j + 1));
      return false;
    }
    return true;
  }

  CheckOptions options_;
  std::uint32_t n_;
  Parts<Situation> states_;
  Bytes key_;
};

}  // namespace

std::unique_ptr<SearchModel> make_memory_model(std::string_view algorithm,
                                               const CheckOptions& options) {
  std::unique_ptr<SearchModel> model;
  with_memory_model(algorithm,
                    [&]<class M>() { model = std::make_unique<MemoryCheck<M>>(options); });
  return model;
}

}  // namespace hapax
