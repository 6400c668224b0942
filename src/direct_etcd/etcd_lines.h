// Lines at etcd: the contenders for NAME are the keys NAME/…, each with the lease of its session;
// their order is that of their create_revisions, which are the fences as well.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "direct/server.h"
#include "etcd/servers.h"
#include "loop/loop.h"

namespace hapax::engine::etcd {
class RangeResponse;
class TxnRequest;
class TxnResponse;
}  // namespace hapax::engine::etcd

namespace hapax::direct {

class EtcdLines final : public Server {
 public:
  EtcdLines(Loop& io, std::unique_ptr<engine::etcd::Servers> servers)
      : io_(io), servers_(std::move(servers)) {}

  std::string trouble() const override;
  // etcd goes through every key that was ever in a range, until it is compacted.
  bool reuses_numbers() const override { return true; }
  void open_session(std::chrono::milliseconds ttl, Then<Session> then) override;
  void renew(const Session& session, Then<Session> then) override;
  void close_session(const Session& session, std::function<void()> then) override;
  void join(const Session& session, const Contender& contender, Then<Standing> then) override;
  bool rejoins() const override { return true; }
  void rejoin(const Session& session, const Contender& leaving, const Standing& left,
              const Contender& joining, Then<Standing> then) override;
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
  class Observation;

  // Asks the first server that is there; an answer comes in time, whatever happens.
  template <class Request, class Response, class Send>
  void ask(Request request, std::chrono::milliseconds patience, Then<Response> then, Send send);
  template <class Request, class Response>
  void call(const char* method, Request request, Then<Response> then);
  // Of one that has just come, by the latest in its line.
  void stand(const std::string& name, Standing standing, const engine::etcd::RangeResponse& latest,
             Then<Standing> then);
  // What the next server knows, which is cheap; unless it has not seen `at_least` yet: then what a
  // majority knows. REQUIRES: the request only reads.
  void read(engine::etcd::TxnRequest request, std::uint64_t at_least,
            Then<engine::etcd::TxnResponse> then);
  // Of a place that is known to be taken, as of `at_least` or later. Where keys of other lines hide
  // the one before it, the next are looked at: those before `below`.
  void find_before(const std::string& name, Standing standing, std::int64_t below,
                   std::uint64_t at_least, Then<Standing> then);

  Loop& io_;
  std::unique_ptr<engine::etcd::Servers> servers_;
};

}  // namespace hapax::direct
