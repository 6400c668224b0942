// Lines at ZooKeeper: the contenders for NAME are ephemeral, numbered znodes below that of NAME, in
// the order of their numbers (spelling.h); the fence is the czxid.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "direct/server.h"
#include "direct/units.h"
#include "direct_zookeeper/handle.h"
#include "direct_zookeeper/spelling.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::direct {

class ZooKeeperLines final : public Server {
 public:
  // `root` is "" or "/a/b".
  ZooKeeperLines(Loop& io, std::string servers, std::string login, std::string root,
                 std::chrono::milliseconds ttl, Units units);

  std::string trouble() const override;
  Want meant_by(const std::string& name, Want want) const override;
  void open_session(std::chrono::milliseconds ttl, Then<Session> then) override;
  void renew(const Session& session, Then<Session> then) override;
  void close_session(const Session& session, std::function<void()> then) override;
  void join(const Session& session, const Contender& contender, Then<Standing> then) override;
  void look(const Contender& contender, const Standing& standing, bool afresh,
            Then<Standing> then) override;
  std::unique_ptr<Watch> await_change(const Contender& contender, const Standing& standing,
                                      std::function<void(std::uint64_t)> then) override;
  void leave(const Session& session, const Contender& contender, const Standing& standing,
             bool is_sure, Then<bool> then) override;
  void list(const std::string& pattern, Then<std::vector<LockInfo>> then) override;
  std::unique_ptr<Watch> observe(const std::string& name,
                                 std::function<void(std::optional<Leader>)> then) override;

 private:
  class PathWatch;
  class Observation;
  using Made = std::function<void(ZooCode)>;

  std::string path_of(const std::string& name) const;
  std::string guid_of(const Contender& contender) const;
  std::string folder_of(const Contender& contender) const;  // Of its line.
  Trouble trouble_of(ZooCode code) const;
  template <class T>
  void say_over(Then<T> then);
  // A handle that is not over.
  ZooHandle& handle();
  void when_connected(std::function<void(bool)> then);
  void on_event(const std::string& path);
  std::unique_ptr<Watch> watch(const std::string& path, std::function<void()> then);
  void make_folder(const std::string& path, std::size_t from, Made then);
  void create(const Contender& contender, Then<Standing> then, bool has_folder);
  void find_own(const Contender& contender, Then<Standing> then);
  void describe(const std::string& name, Then<LockInfo> then);
  void describe_next(std::vector<Spelled> line, LockInfo lock, Then<LockInfo> then);
  void describe_all(std::vector<std::string> names, std::vector<LockInfo> locks,
                    Then<std::vector<LockInfo>> then);
  void first_of(const std::string& name,
                std::function<void(bool is_known, std::optional<Leader>)> then);

  // --- semaphores: zookeeper_units.cc ---
  std::string leases_of(const std::string& name) const;
  std::string objection_to(const Contender& contender) const;  // Empty: none.
  void look_for_unit(const Contender& contender, const Standing& standing, bool is_in_line,
                     Then<Standing> then);
  void count_leases(const Contender& contender, const Standing& standing, bool is_in_line,
                    Then<Standing> then);
  void make_lease(const Contender& contender, const Standing& standing, Then<Standing> then);
  void leave_line(const Contender& contender, Standing standing, Then<Standing> then);
  void leave_unit(const Contender& contender, Then<bool> then);
  void remove_own(const Contender& contender, const std::string& folder,
                  const std::function<void(ZooCode)>& then);
  std::unique_ptr<Watch> await_room(const Contender& contender, const std::string& leases,
                                    std::function<void(std::uint64_t)> then);
  void describe_semaphore(const std::string& name, Then<LockInfo> then);

  Loop& io_;
  const std::string servers_, login_, root_;
  const std::chrono::milliseconds ttl_;
  const Units units_;
  const std::string guid_;  // Of all of ours, but for the last digits.
  std::uint64_t generation_ = 0;
  std::unique_ptr<ZooHandle> handle_;
  std::vector<std::function<void(bool)>> connecting_;
  // When it was asked last, and the time from which the session is counted: see renew().
  std::chrono::nanoseconds asked_{}, counted_from_{};
  std::set<std::uint64_t> unsure_;         // Numbers of contenders that may have been created.
  std::set<std::uint64_t> leaving_units_;  // Of those that are giving a unit back, or up.
  std::map<std::string, std::set<PathWatch*>> watches_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace hapax::direct
