#include "direct_etcd/etcd_lines.h"

#include <algorithm>
#include <etcd.pb.h>  // Generated from etcd.proto.
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/check.h"
#include "direct/last_leader.h"
#include "direct_etcd/contenders.h"
#include "engine/subscription.h"
#include "etcd/exchange.h"
#include "etcd/keys.h"
#include "etcd/watching.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::direct {

using namespace engine::etcd;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kPatience{2'000};  // With a call …
constexpr int kRenewalsOfALease = 5;      // … but a renewal leaves time for another one.

// A revision that no server has yet: so that a majority is asked.
constexpr std::uint64_t kNow = ~std::uint64_t{0};

Trouble trouble_of(const grpc::Status& status) {
  const std::string& said = status.error_message();
  if (said.find("lease not found") != std::string::npos) return {Trouble::Kind::over, said};
  if (wants_a_new_token(status)) return {Trouble::Kind::unknown, said};
  switch (status.error_code()) {
    case grpc::PERMISSION_DENIED:
      return {Trouble::Kind::refused, "etcd: " + said + "; the user needs read and write there"};
    case grpc::INVALID_ARGUMENT:
      return {Trouble::Kind::refused, "etcd: " + said + "; see $HAPAX_ENGINE_USER"};
    default:
      return {Trouble::Kind::unknown, "etcd: " + said};
  }
}

// The latest in a line.
void last_of(RangeRequest& range, const std::string& name, std::int64_t limit) {
  auto [begin, end] = Keys{}.range(name + '/');
  range.set_key(std::move(begin));
  range.set_range_end(std::move(end));
  range.set_sort_order(RangeRequest::DESCEND);
  range.set_sort_target(RangeRequest::CREATE);
  range.set_limit(limit);
  range.set_keys_only(true);
}

// All below a prefix, the first that came first.
void in_order(RangeRequest& range, const std::string& prefix) {
  auto [begin, end] = Keys{}.range(prefix);
  range.set_key(std::move(begin));
  range.set_range_end(std::move(end));
  range.set_sort_order(RangeRequest::ASCEND);
  range.set_sort_target(RangeRequest::CREATE);
}

void is_absent(Compare& compare, const std::string& key) {
  compare.set_target(Compare::CREATED);
  compare.set_key(key);
  compare.set_create_revision(0);
}

// The order in which they came is the order of their fences. The epoch is always the same: a
// revision never goes back, unless the cluster is set up anew.
Fence fence_of(std::int64_t create_revision) {
  return {Epoch{1}, Turn{static_cast<std::uint64_t>(create_revision)}};
}

void is_the_same(Compare& compare, const std::string& key, Fence fence) {
  compare.set_target(Compare::CREATED);
  compare.set_key(key);
  compare.set_create_revision(static_cast<std::int64_t>(number(fence.turn)));
}

// A key by which one that was left stays left, however late its put arrives. Not in the line, and
// gone with the session.
std::string mark_of(const Session& session, const Contender& contender) {
  return contender.name + ".left/" + own_key(session, contender).substr(contender.name.size() + 1);
}

// Takes a place, unless it is taken or was left for good, and looks who came last.
void add_join(TxnRequest& request, const Session& session, const Contender& contender) {
  const std::string key = own_key(session, contender);
  is_absent(*request.add_compare(), key);
  is_absent(*request.add_compare(), mark_of(session, contender));
  PutRequest& put = *request.add_success()->mutable_request_put();
  put.set_key(key);
  put.set_value(contender.value);
  put.set_lease(static_cast<std::int64_t>(session.id));
  last_of(*request.add_success()->mutable_request_range(), contender.name, 2);
}

class WatchOf final : public Watch {
 public:
  WatchOf(std::shared_ptr<engine::Subscriber> subscriber, std::shared_ptr<Watching> watching,
          std::weak_ptr<int> servers)
      : watching_(std::move(watching)),
        subscription_(std::move(subscriber), [w = watching_, alive = std::move(servers)] {
          if (!alive.expired()) w->stop();
        }) {}

 private:
  const std::shared_ptr<Watching> watching_;
  const engine::Subscription subscription_;
};

// From now on, which begins with a commit without writes.
std::unique_ptr<Watch> watch(Servers& servers, const std::string& prefix,
                             engine::WatchHandler handler) {
  auto subscriber = std::make_shared<engine::Subscriber>(std::move(handler));
  auto watching = std::make_shared<Watching>(servers, Keys{}, prefix, std::nullopt, subscriber);
  watching->start();
  return std::make_unique<WatchOf>(std::move(subscriber), std::move(watching), servers.alive());
}

}  // namespace

std::string EtcdLines::trouble() const {
  const engine::Health& health = servers_->health();
  if (health.reachable) return "";
  return health.said;
}

// --- calls ---

template <class Request, class Response, class Send>
void EtcdLines::ask(Request request, milliseconds patience, Then<Response> then, Send send) {
  // Answered once: by etcd, or by the clock.
  auto timer = std::make_shared<Timer>(io_, patience);
  auto open = std::make_shared<Then<Response>>(std::move(then));
  const auto give = [timer, open](Outcome<Response> outcome) {
    timer->cancel();
    if (const auto answer = std::exchange(*open, nullptr)) answer(std::move(outcome));
  };
  timer->async_wait([this, give, open, alive = servers_->alive()](auto cancelled) {
    if (cancelled || alive.expired() || !*open) return;
    if (servers_->health().reachable) servers_->health().ill("etcd: no answer in time");
    servers_->next();
    give(Trouble{Trouble::Kind::unknown, servers_->health().said});
  });
  const Deadline deadline = steady_clock::now() + patience;
  servers_->when_ready(
      [open] { return *open != nullptr; },
      [this, give, request = std::move(request), send, deadline](std::size_t server) mutable {
        send(server, std::move(request), deadline,
             [this, give, server](const grpc::Status& status, Response& response) {
               if (!status.ok()) {
                 const Trouble trouble = trouble_of(status);
                 if (trouble.kind == Trouble::Kind::unknown) servers_->failed(server, status);
                 return give(trouble);
               }
               if (!servers_->answered(response.header().cluster_id())) {
                 return give(Trouble{Trouble::Kind::refused, servers_->health().said});
               }
               give(std::move(response));
             });
      });
}

template <class Request, class Response>
void EtcdLines::call(const char* method, Request request, Then<Response> then) {
  ask<Request, Response>(
      std::move(request), kPatience, std::move(then),
      [this, method](std::size_t server, Request asked, Deadline deadline, auto done) {
        servers_->call<Request, Response>(server, method, std::move(asked), deadline,
                                          std::move(done));
      });
}

void EtcdLines::read(TxnRequest request, std::uint64_t at_least, Then<TxnResponse> then) {
  const auto as = [](TxnRequest asked, bool is_serializable) {
    for (RequestOp& op : *asked.mutable_success()) {
      op.mutable_request_range()->set_serializable(is_serializable);
    }
    return asked;
  };
  if (at_least == kNow) {
    return call<TxnRequest, TxnResponse>(kTxn, as(std::move(request), false), std::move(then));
  }
  call<TxnRequest, TxnResponse>(
      kTxn, as(request, true),
      [this, request, at_least, then = std::move(then)](Outcome<TxnResponse> answered) mutable {
        const bool is_behind =
            answered && static_cast<std::uint64_t>(answered->header().revision()) < at_least;
        if (is_behind) return read(std::move(request), kNow, std::move(then));
        then(std::move(answered));
      });
}

// --- sessions ---

void EtcdLines::open_session(milliseconds ttl, Then<Session> then) {
  LeaseGrantRequest request;
  request.set_ttl(std::chrono::ceil<std::chrono::seconds>(ttl).count());
  call<LeaseGrantRequest, LeaseGrantResponse>(
      "/etcdserverpb.Lease/LeaseGrant", std::move(request),
      [then = std::move(then)](const Outcome<LeaseGrantResponse>& granted) {
        if (!granted) return then(granted.error());
        then(Session{static_cast<std::uint64_t>(granted->id()),
                     std::chrono::seconds{granted->ttl()}});
      });
}

void EtcdLines::renew(const Session& session, Then<Session> then) {
  LeaseKeepAliveRequest request;
  request.set_id(static_cast<std::int64_t>(session.id));
  ask<LeaseKeepAliveRequest, LeaseKeepAliveResponse>(
      std::move(request), std::min(kPatience, session.ttl / kRenewalsOfALease),
      [then = std::move(then), id = session.id](const Outcome<LeaseKeepAliveResponse>& renewed) {
        if (!renewed) return then(renewed.error());
        if (renewed->ttl() <= 0) return then(Trouble{Trouble::Kind::over, "the lease is over"});
        then(Session{id, std::chrono::seconds{renewed->ttl()}});
      },
      [this](std::size_t server, LeaseKeepAliveRequest asked, Deadline deadline, auto done) {
        exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse>(
            *servers_, server, "/etcdserverpb.Lease/LeaseKeepAlive", std::move(asked), deadline,
            std::move(done));
      });
}

void EtcdLines::close_session(const Session& session, std::function<void()> then) {
  LeaseRevokeRequest request;
  request.set_id(static_cast<std::int64_t>(session.id));
  call<LeaseRevokeRequest, LeaseRevokeResponse>(
      "/etcdserverpb.Lease/LeaseRevoke", std::move(request),
      [then = std::move(then)](const Outcome<LeaseRevokeResponse>&) { then(); });
}

// --- lines ---

void EtcdLines::join(const Session& session, const Contender& contender, Then<Standing> then) {
  if (contender.want == Want::shared || contender.want == Want::unit) {
    return io_.post([then = std::move(then)] {
      then(Trouble{Trouble::Kind::refused,
                   "on etcd itself one holds a lock alone: its other clients know no shared locks "
                   "and no semaphores; ask a daemon for these"});
    });
  }
  const std::string key = own_key(session, contender);
  TxnRequest request;
  add_join(request, session, contender);
  request.add_failure()->mutable_request_range()->set_key(key);
  call<TxnRequest, TxnResponse>(
      kTxn, std::move(request),
      [this, then = std::move(then), key,
       name = contender.name](const Outcome<TxnResponse>& answered) mutable {
        if (!answered) return then(answered.error());
        const TxnResponse& response = *answered;
        const auto now = response.header().revision();
        Standing standing{key, {}, false, "", static_cast<std::uint64_t>(now)};
        if (!response.succeeded()) {
          // It was there: its first put had come about, although we never heard of it.
          const auto& own = response.responses(0).response_range().kvs();
          standing.is_gone = own.empty();
          if (own.empty()) return then(std::move(standing));
          standing.fence = fence_of(own.Get(0).create_revision());
          return find_before(name, std::move(standing), own.Get(0).create_revision(), kNow,
                             std::move(then));
        }
        standing.fence = fence_of(now);
        stand(name, std::move(standing), response.responses(1).response_range(), std::move(then));
      });
}

void EtcdLines::stand(const std::string& name, Standing standing, const RangeResponse& latest,
                      Then<Standing> then) {
  const auto& last = latest.kvs();
  if (last.size() < 2) return then(std::move(standing));
  if (!is_contender(name, last.Get(1).key())) {
    const auto own = static_cast<std::int64_t>(standing.seen);
    return find_before(name, std::move(standing), own, kNow, std::move(then));
  }
  standing.before = last.Get(1).key();
  standing.before_fence = fence_of(last.Get(1).create_revision());
  then(std::move(standing));
}

void EtcdLines::rejoin(const Session& session, const Contender& leaving, const Standing& left,
                       const Contender& joining, Then<Standing> then) {
  const std::string key = own_key(session, joining);
  TxnRequest request;
  is_the_same(*request.add_compare(), own_key(session, leaving), left.fence);
  request.add_success()->mutable_request_delete_range()->set_key(own_key(session, leaving));
  add_join(request, session, joining);
  call<TxnRequest, TxnResponse>(
      kTxn, std::move(request),
      [this, then = std::move(then), key,
       name = joining.name](const Outcome<TxnResponse>& answered) mutable {
        if (!answered) return then(answered.error());
        const auto now = answered->header().revision();
        Standing standing{key, fence_of(now), !answered->succeeded(), "",
                          static_cast<std::uint64_t>(now)};
        if (standing.is_gone) return then(std::move(standing));
        stand(name, std::move(standing), answered->responses(2).response_range(), std::move(then));
      });
}

// A server that is behind may show one before us that has gone, but never hide one: nobody comes
// before us any more. So what the last watch has seen is new enough to be let in by.
void EtcdLines::look(const Contender& contender, const Standing& standing, bool afresh,
                     Then<Standing> then) {
  find_before(contender.name, standing, static_cast<std::int64_t>(number(standing.fence.turn)),
              afresh ? kNow : standing.seen, std::move(then));
}

void EtcdLines::find_before(const std::string& name, Standing standing, std::int64_t below,
                            std::uint64_t at_least, Then<Standing> then) {
  constexpr int kAtOnce = 16;
  TxnRequest request;
  request.add_success()->mutable_request_range()->set_key(standing.place);
  RangeRequest& range = *request.add_success()->mutable_request_range();
  last_of(range, name, kAtOnce);
  range.set_max_create_revision(below - 1);
  read(std::move(request), at_least,
       [this, name, standing = std::move(standing), then = std::move(then), below,
        at_least](const Outcome<TxnResponse>& answered) mutable {
         if (!answered) return then(answered.error());
         const auto& own = answered->responses(0).response_range().kvs();
         standing.seen = static_cast<std::uint64_t>(answered->header().revision());
         standing.before.clear();
         standing.is_gone = own.empty() || fence_of(own.Get(0).create_revision()) != standing.fence;
         const auto& lower = answered->responses(1).response_range().kvs();
         std::int64_t lowest = below;
         for (const KeyValue& kv : lower) {
           lowest = std::min(lowest, kv.create_revision());
           if (!standing.before.empty() || !is_contender(name, kv.key())) continue;
           standing.before = kv.key();
           standing.before_fence = fence_of(kv.create_revision());
         }
         const bool is_all = lower.size() < kAtOnce || lowest <= 1;
         if (standing.is_gone || !standing.before.empty() || is_all) {
           return then(std::move(standing));
         }
         find_before(name, std::move(standing), lowest, at_least, std::move(then));
       });
}

std::unique_ptr<Watch> EtcdLines::await_change(const Contender&, const Standing& standing,
                                               std::function<void(std::uint64_t)> then) {
  // It may have gone before the watch began, and come back: behind us.
  const auto look_for_it = [this, key = standing.before, before = standing.before_fence,
                            then](std::uint64_t since) {
    TxnRequest request;
    request.add_success()->mutable_request_range()->set_key(key);
    read(std::move(request), since, [before, since, then](const Outcome<TxnResponse>& answered) {
      if (!answered) return then(since);
      const auto& there = answered->responses(0).response_range().kvs();
      const bool is_there = !there.empty() && fence_of(there.Get(0).create_revision()) == before;
      if (!is_there) then(static_cast<std::uint64_t>(answered->header().revision()));
    });
  };
  engine::WatchHandler handler;
  handler.on_commit = [key = standing.before, look_for_it, then](const engine::Commit& commit) {
    if (commit.writes.empty()) return look_for_it(commit.revision);
    for (const engine::Write& write : commit.writes) {
      if (write.key == key && !write.value) return then(commit.revision);
    }
  };
  handler.on_resync = [then] { then(kNow); };
  return watch(*servers_, standing.before, std::move(handler));
}

void EtcdLines::leave(const Session& session, const Contender& contender, const Standing& standing,
                      bool is_sure, Then<bool> then) {
  const std::string key = own_key(session, contender);
  TxnRequest request;
  if (standing.fence != Fence{}) {
    is_the_same(*request.add_compare(), key, standing.fence);
  }
  request.add_success()->mutable_request_delete_range()->set_key(key);
  if (!is_sure) {
    PutRequest& put = *request.add_success()->mutable_request_put();
    put.set_key(mark_of(session, contender));
    put.set_lease(static_cast<std::int64_t>(session.id));
  }
  call<TxnRequest, TxnResponse>(kTxn, std::move(request),
                                [then = std::move(then)](const Outcome<TxnResponse>& answered) {
                                  if (!answered) return then(answered.error());
                                  then(answered->succeeded());
                                });
}

// --- questions ---

void EtcdLines::list(const std::string& pattern, Then<std::vector<LockInfo>> then) {
  const std::size_t wild = pattern.find_first_of("*?");
  const std::string prefix = wild == std::string::npos ? pattern + '/' : pattern.substr(0, wild);
  if (prefix.empty()) {
    return io_.post([then = std::move(then)] {
      then(Trouble{Trouble::Kind::refused,
                   "etcd has keys of many kinds: begin the pattern with a name, as 'orders/*'"});
    });
  }
  TxnRequest request;
  in_order(*request.add_success()->mutable_request_range(), prefix);
  call<TxnRequest, TxnResponse>(
      kTxn, std::move(request),
      [then = std::move(then), pattern](const Outcome<TxnResponse>& answered) {
        if (!answered) return then(answered.error());
        then(locks_of(answered->responses(0).response_range(), pattern));
      });
}

// Whoever is first in a line, told again whenever that may have changed.
class EtcdLines::Observation final : public Watch,
                                     public std::enable_shared_from_this<Observation> {
 public:
  Observation(EtcdLines& lines, std::string name, std::function<void(std::optional<Leader>)> then)
      : lines_(lines), name_(std::move(name)), then_(std::move(then)) {}

  void start() {
    engine::WatchHandler handler;
    handler.on_commit = [this](const engine::Commit& commit) {
      commit.writes.empty() ? look() : look_soon();
    };
    handler.on_resync = [this] { start(); };
    watch_ = watch(*lines_.servers_, name_ + '/', std::move(handler));
  }

 private:
  void look() {
    is_due_ = false;
    TxnRequest request;
    in_order(*request.add_success()->mutable_request_range(), name_ + '/');
    lines_.call<TxnRequest, TxnResponse>(
        kTxn, std::move(request), [self = weak_from_this()](const Outcome<TxnResponse>& answered) {
          const auto here = self.lock();
          if (!here) return;
          if (!answered) return here->look_soon();
          here->told_.tell(leader_of(answered->responses(0).response_range(), here->name_),
                           here->then_);
        });
  }
  // A moment later: many may come and go at once.
  void look_soon() {
    constexpr milliseconds kSoon{20};
    if (std::exchange(is_due_, true)) return;
    auto timer = std::make_shared<Timer>(lines_.io_, kSoon);
    timer->async_wait([self = weak_from_this(), timer](auto cancelled) {
      const auto here = self.lock();
      if (!cancelled && here) here->look();
    });
  }

  EtcdLines& lines_;
  const std::string name_;
  const std::function<void(std::optional<Leader>)> then_;
  std::unique_ptr<Watch> watch_;
  bool is_due_ = false;
  LastLeader told_;
};

std::unique_ptr<Watch> EtcdLines::observe(const std::string& name,
                                          std::function<void(std::optional<Leader>)> then) {
  struct Kept final : Watch {
    explicit Kept(std::shared_ptr<Observation> o) : observation(std::move(o)) {}
    const std::shared_ptr<Observation> observation;
  };
  auto observation = std::make_shared<Observation>(*this, name, std::move(then));
  observation->start();
  return std::make_unique<Kept>(std::move(observation));
}

}  // namespace hapax::direct
