// What whoever watches is told of a group, as it changes. While somebody does, all members are
// asked once a second; else nobody is. No sockets: streams are whoever takes the events.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "hapax/client.h"
#include "live/lock_picture.h"
#include "roles/roles.h"
#include "waits/graph.h"

namespace hapax::live {

class EventStream {
 public:
  virtual ~EventStream() = default;
  virtual const Caller& caller() const = 0;
  // Never waits. May end the stream, if it takes nothing.
  virtual void tell(std::string_view event, const std::string& json) = 0;
  // It may look no longer.
  virtual void end() = 0;
};

// As all members that answered see them.
struct SeenLocks {
  std::vector<LockInfo> locks;        // By name.
  std::vector<std::uint32_t> silent;  // From 1.
  std::uint64_t more_locks = 0;
};

class Feed : public std::enable_shared_from_this<Feed> {
 public:
  static constexpr std::chrono::milliseconds kEvery{1'000};
  static constexpr std::size_t kMostLines = 200;
  static constexpr std::size_t kBatch = 250;  // Locks in one event.

  // What it needs of its daemon. False: ask again later.
  struct Host {
    std::function<bool(std::function<void(GroupStatus&&)>)> ask_status;
    std::function<bool(std::function<void(SeenLocks&&)>)> ask_locks;
    std::function<std::string()> figures;  // JSON.
    std::function<bool(const Caller&, const std::string& lock)> may_read;
    std::function<bool(const Caller&)> may_look;  // Whether there is anything that it may read.
    std::function<bool(const Caller&)> may_read_all;
    std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
    std::function<Time()> now;
    Lineage lineage;
  };

  explicit Feed(Host host) : host_(std::move(host)) {}

  void join(const std::shared_ptr<EventStream>& stream);
  void leave(const EventStream& stream);
  // All that it was told has been taken: what it has not seen yet comes next.
  void go_on(const EventStream& stream);
  std::size_t streams() const { return streams_.size(); }

  // A line of the daemon's log. It may name any lock: only those hear it who may read of all.
  void note(const std::string& line, LogLevel level);
  const LockPicture& picture() const { return picture_; }

 private:
  struct Watcher {
    std::shared_ptr<EventStream> stream;
    std::optional<std::string> seen_up_to;  // Of the locks, by name; nothing: all.
    std::string waits{};                    // As it was told last.
  };
  struct Line {
    Time time{};
    std::string text;  // JSON.
  };
  struct Row {
    const std::string* name;
    std::string json;
  };

  void look();
  void look_at_locks();
  void look_later();
  void on_status(GroupStatus&& status);
  void on_locks(SeenLocks&& seen);
  void tell_locks(Watcher& watcher, const std::vector<Row>& rows,
                  const std::vector<std::string>& gone);
  void tell_waits(Watcher& watcher);

  Host host_;
  std::map<const EventStream*, Watcher> streams_;
  std::deque<Line> lines_;
  LockPicture picture_;
  std::vector<std::uint32_t> silent_;
  std::uint64_t more_locks_ = 0;
  std::optional<WaitsFor> waits_;
  bool is_looking_ = false;
};

}  // namespace hapax::live
