// A session with ZooKeeper whose answers come to a loop. ZooKeeper's own client connects, pings and
// moves from server to server; here is only what it is asked, and what it says.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"

struct _zhandle;
struct ACL_vector;
struct zoo_op;

namespace hapax::direct {

// One of ZooKeeper's codes; 0 is ZOK.
using ZooCode = int;

struct ZooReply {
  ZooCode code = 0;
  std::string data{};                // Of get().
  std::int64_t czxid = 0;            // Of get() and exists().
  std::vector<std::string> names{};  // Of children(), and the paths that create() has made.
};
using ZooThen = std::function<void(const ZooReply&)>;

// On the loop's thread.
class ZooHandle {
 public:
  // Told of every event of the session, with an empty path, and of every watch, with its path; on
  // the loop, not after it is gone.
  using OnEvent = std::function<void(const std::string& path)>;

  // `login` is "user:password" or empty.
  ZooHandle(Loop& io, const std::string& servers, const std::string& login,
            std::chrono::milliseconds ttl, OnEvent on_event);
  // Ends the session, elsewhere: that may take a second or two; then calls `ended`, on any thread.
  ~ZooHandle();
  void when_ended(std::function<void()> ended) { ended_ = std::move(ended); }

  bool is_connected() const;
  bool is_over() const;
  std::chrono::milliseconds ttl() const;  // As the servers granted it. REQUIRES: was connected.

  // Ephemeral and numbered, all or none.
  void create_in_line(const std::vector<std::string>& paths, const std::string& data, ZooThen then);
  // For ever, or until it has had children and has none any more.
  void create(const std::string& path, bool as_container, ZooThen then);
  void remove(const std::vector<std::string>& paths, ZooThen then);  // All or none.
  void exists(const std::string& path, bool watches, ZooThen then);
  void get(const std::string& path, ZooThen then);
  void children(const std::string& path, bool watches, ZooThen then);
  void sync(ZooThen then);  // Through the leader.

 private:
  struct Shared;
  struct Call;

  std::unique_ptr<Call> call(ZooThen then);
  void submit(std::unique_ptr<Call> call, ZooCode code);
  void submit_all(std::unique_ptr<Call> call, const std::vector<zoo_op>& ops);
  const ACL_vector* acl() const;

  std::shared_ptr<Shared> shared_;
  bool has_login_ = false;
  std::function<void()> ended_;
  _zhandle* handle_ = nullptr;
};

}  // namespace hapax::direct
