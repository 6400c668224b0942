// What clients of locks saw, as one list of events: who asked for what, when, and what came of it.
// Times are nanoseconds of one monotonic clock; events of several clients merge by them.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/file_history.h"
#include "base/result.h"
#include "core/fence.h"

namespace hapax::audit {

using Nanos = std::int64_t;
enum class ClientId : std::uint32_t {};
enum class LockId : std::uint32_t {};

enum class Op : std::uint8_t {
  acquire,
  release,
  lost,   // The client was told that its lock is lost.
  read,   // Of what the lock guards: a counter.
  write,  // Of the counter; refused if not ok.
  end     // The client is gone: whatever it still waited for does not count.
};

struct Event {
  ClientId client{};
  LockId lock{};  // Of no meaning for `end`.
  Op op{};
  bool ok = true;
  Nanos call = 0;
  std::optional<Nanos> ret;  // None: it was begun, and nobody knows how it ended.
  // Invariant: there if op is acquire, ok and ret; a read or write without one asked no gate.
  std::optional<Fence> fence;
  std::optional<Nanos> valid_until;  // As the client knew at `ret` …
  std::optional<Nanos> looked;       // … or, at the latest, then.
  std::optional<std::int64_t> value;

  Nanos last_known() const { return ret.value_or(call); }
};

class History {
 public:
  static constexpr std::size_t kMostEvents = 10'000'000;
  static constexpr std::size_t kLongestName = 512;

  // One event as a JSON object. What it may hold is in docs/operations.md; unknown keys are
  // skipped, so that programs may note more than we judge.
  Result<void> add_line(std::string_view json);
  // REQUIRES: fewer than kMostEvents so far.
  void add(const Event& event);
  ClientId client(std::string_view name);
  LockId lock(std::string_view name);

  // Each client's in the order of its calls. Of an event that was noted twice, when it began and
  // when it ended, only the latter.
  std::vector<Event> in_order() const;
  const std::vector<Event>& events() const { return events_; }
  const std::vector<FileEvent>& files() const { return files_; }  // Lines that say a file.
  const std::string& name_of(ClientId client) const;
  const std::string& name_of(LockId lock) const;
  std::size_t clients() const { return client_names_.size(); }
  std::size_t locks() const { return lock_names_.size(); }

 private:
  using Index = boost::unordered_flat_map<std::string, std::uint32_t>;

  std::vector<Event> events_;
  std::vector<FileEvent> files_;
  std::vector<std::string> client_names_, lock_names_;
  Index client_index_, lock_index_;
};

}  // namespace hapax::audit
