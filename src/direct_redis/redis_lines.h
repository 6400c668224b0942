// Locks at Redis servers, as a Server with sessions: there are none there, so a session is what
// this program has set, all of it renewed together. Nor are there lines: whoever is not let in
// tries again, a little later, and nobody is first come, first served.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/prng.h"
#include "direct/server.h"
#include "direct_redis/redlock_client.h"
#include "engine/worker.h"
#include "loop/loop.h"

namespace hapax::direct {

class RedisLines final : public Server {
 public:
  RedisLines(Loop& io, RedlockClient redlock);
  ~RedisLines() override;

  std::string trouble() const override;

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
  class Timer;
  class Observation;

  // On the worker's thread; what comes of it is told on the loop's.
  template <class T>
  void work(std::function<Outcome<T>()> job, Then<T> then);
  Outcome<Standing> try_to_take(const std::string& name, const std::string& token);
  Trouble no_answer();
  RedlockClient::Ownership renew_all();
  void give_all_back();

  Loop& io_;
  Prng random_;
  // The worker's:
  RedlockClient redlock_;
  std::map<std::string, std::string> taken_;  // Keys of what is ours, by token.
  std::chrono::nanoseconds good_until_{};     // On the boot clock.
  mutable std::mutex mutex_;                  // Guards
  std::string trouble_;
  engine::Worker worker_;  // The last: it uses all the others.
};

}  // namespace hapax::direct
