// Watches a run from outside, knowing nothing of the algorithm: checks that at most one is inside
// and that fences grow, and measures what the lectures define.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/id_set.h"
#include "base/ids.h"
#include "core/fence.h"
#include "core/shared_algorithm.h"
#include "sim/report.h"

namespace hapax {

class Monitor {
 public:
  // `t` is the T of the formulas, the mean time of a message.
  explicit Monitor(Nanos t) : t_(t) {}

  // Shared holders, and how many of them may be inside at a time. Before anything else.
  void lets_in(std::uint32_t capacity) { capacity_ = capacity; }
  void starts_inside(NodeId node);
  void asked(NodeId node, Nanos at);
  void entered(NodeId node, Fence fence, Nanos at, Mode mode = Mode::exclusive);
  void left(NodeId node, Nanos at);
  // A dead process is not inside, whatever it was about to do.
  void crashed(NodeId node);
  void violated(Violation::Kind kind, Nanos at, std::string text);

  bool quiet() const { return waiting_.empty() && inside_.empty(); }
  std::size_t waiting() const { return waiting_.size(); }
  Nanos last_progress() const { return last_progress_; }
  std::uint64_t entries() const { return report_.entries; }
  std::uint64_t violation_count() const { return report_.violation_count; }

  // The measures so far, with Jain's index over that many requesters.
  SimReport report(std::uint64_t requesters) const;

 private:
  static constexpr std::uint64_t kInWords = 3;  // Violations of each kind.

  struct Open {
    NodeId node;
    std::uint64_t request;
    Nanos asked;
  };
  struct Waiting {
    std::uint64_t request;  // The number of the request, over all processes.
    Nanos asked;
  };

  void check_entry(NodeId node, Fence fence, Nanos at, Mode mode);
  void note_order(NodeId node, const Waiting& own);

  Nanos t_;
  SimReport report_;
  boost::unordered_flat_map<std::uint32_t, Waiting> waiting_;
  struct Inside {
    std::optional<Nanos> asked;  // Nothing if it was inside from the start and never did.
    Mode mode = Mode::exclusive;
  };
  boost::unordered_flat_map<std::uint32_t, Inside> inside_;
  boost::unordered_flat_map<std::uint32_t, std::uint64_t> entries_of_;
  std::deque<Open>
      open_;  // Requests in the order of asking; granted ones leave when they are first.
  std::uint64_t requests_ = 0;
  std::optional<NodeId> alone_;  // The one who asked when all was quiet, until somebody else does.
  std::optional<Nanos> last_exit_;
  std::uint32_t capacity_ = 1;
  std::optional<Fence> last_fence_;  // The highest of all entries …
  std::optional<Fence> last_alone_;  // … and of those that exclude all others.
  Nanos first_entry_ = 0;
  Nanos last_entry_ = 0;
  Nanos last_progress_ = 0;
};

}  // namespace hapax
