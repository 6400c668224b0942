// The engine behind the group of a run, and what can happen to it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "faults/network.h"
#include "faults/plan.h"
#include "faults/restartable.h"

namespace hapax::faults {

class EngineUnderTest {
 public:
  virtual ~EngineUnderTest() = default;

  // Empty: there is none, and the members are a fixed list.
  virtual std::string url() const = 0;
  // Servers that can fall; none of an engine that is a file.
  virtual std::vector<std::string> hosts() const { return {}; }
  virtual std::optional<std::size_t> leader() { return std::nullopt; }
  virtual void kill_server(std::size_t) {}
  // Whether it keeps its records on a disk of this machine, which may be full or lose power.
  virtual bool has_disk() const { return false; }
  virtual void fill_disk() {}
  // Only what the disk was told to keep is left of it. `die` ends whoever uses it, before it is
  // there again. REQUIRES: they do nothing any more.
  virtual void cut_power(const std::function<void()>& die) { die(); }
  // Whether that process is in the middle of a commit, and nobody else can make one.
  virtual bool is_committing(pid_t) const { return false; }
  // Nobody can commit any more.
  virtual void stop_all() {}
  // As after a disk that was lost: it is empty.
  virtual void wipe() {}
  // As it was at the last but one call. The first, third, … only take the copy.
  virtual void restore() {}
  virtual void heal() {}
};

std::unique_ptr<EngineUnderTest> start_engine(const Plan& plan, Network& network);

}  // namespace hapax::faults
