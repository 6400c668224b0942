// A session with ZooKeeper, for one thread that waits for its answers, each until a deadline at
// most. An expired session is replaced by a new one; nothing of ours depends on it. So is one whose
// server keeps silent: ZooKeeper's own client gives a server two thirds of a session, and by then a
// lease may be over.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/blocking.h"

struct _zhandle;
struct ACL_vector;

namespace hapax::engine::zookeeper {

// One of ZooKeeper's codes; 0 is ZOK.
using Code = int;

struct Node {
  Code code = 0;
  std::string data;
  std::int32_t version = 0;
};

struct Children {
  Code code = 0;
  std::vector<std::string> names;
};

// A step of a multi.
struct Step {
  enum class Kind { create, set, remove, check } kind;
  std::string path;
  std::string data;
  std::int32_t version = -1;  // Of set and check. -1: whatever it is.
};

class Session {
 public:
  // `login` is "user:password" or empty.
  Session(std::vector<std::string> servers, std::string login);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // True as soon as there is a connection.
  bool connect(Deadline deadline);
  bool connected() const;

  std::vector<Node> get(const std::vector<std::string>& paths, Deadline deadline);
  Node get(const std::string& path, Deadline deadline) {
    return get(std::vector{path}, deadline).front();
  }
  // Also counts up changes() when the node changes or the connection does.
  Node get_and_watch(const std::string& path, Deadline deadline);
  Children children(const std::string& path, Deadline deadline);
  Code multi(const std::vector<Step>& steps, Deadline deadline);
  // Open to everybody, or to us alone.
  Code create(const std::string& path, const std::string& data, bool open, Deadline deadline);
  // What follows sees at least what the leader has seen by now.
  Code sync(const std::string& path, Deadline deadline);

  std::uint64_t changes() const { return changes_; }
  void interrupt();  // From any thread.

 private:
  struct Slot;
  struct Mail;

  void reopen();
  void move_on();
  template <class F>
  std::shared_ptr<Slot> ask(F&& submit);
  Slot& wait(Slot& slot, Deadline deadline);
  // How long a server may take over something that another could answer as well.
  Deadline share_of(Deadline deadline) const;
  const ACL_vector* acl(bool open) const;

  std::vector<std::string> servers_;  // In the order in which they are tried.
  const std::string login_;
  std::shared_ptr<Mail> mail_;  // Where answers arrive, on ZooKeeper's threads.
  std::atomic<std::uint64_t> changes_ = 0;
  std::chrono::steady_clock::time_point opened_;  // The last attempt.
  bool is_silent_ = false;  // The server does not answer, though the connection is up.
  // Since when there is no connection, and after how long we move on.
  std::optional<std::chrono::steady_clock::time_point> away_since_;
  std::chrono::milliseconds patience_;
  _zhandle* handle_ = nullptr;  // Nothing: not even the servers' names are known.
  std::jthread closer_;         // Of former handles, which may still call back.
};

}  // namespace hapax::engine::zookeeper
