#include "etcd/etcd.h"

#include <algorithm>
#include <chrono>
#include <etcd.pb.h>  // Generated from etcd.proto.
#include <map>
#include <utility>

#include "base/check.h"
#include "engine/calls.h"
#include "etcd/keys.h"
#include "etcd/servers.h"
#include "etcd/watching.h"

namespace hapax::engine {
namespace {

using namespace etcd;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TxnRequest commit_request(const Keys& keys, const std::vector<Condition>& conditions,
                          std::vector<Write>& writes) {
  TxnRequest request;
  for (const Condition& condition : conditions) {
    Compare& compare = *request.add_compare();
    compare.set_key(keys.outside(condition.key));
    compare.set_target(Compare::MOD);
    const bool any = condition.version == kExists;  // What is not there has mod_revision 0.
    compare.set_result(any ? Compare::GREATER : Compare::EQUAL);
    compare.set_mod_revision(any ? 0 : static_cast<std::int64_t>(condition.version));
  }
  for (Write& write : writes) {
    RequestOp& op = *request.add_success();
    if (write.value) {
      op.mutable_request_put()->set_key(keys.outside(write.key));
      op.mutable_request_put()->set_value(std::move(*write.value));
    } else {
      op.mutable_request_delete_range()->set_key(keys.outside(write.key));
    }
  }
  return request;
}

TxnRequest read_request(const Keys& keys, const std::vector<std::string>& prefixes) {
  TxnRequest request;
  for (const std::string& prefix : prefixes) {
    auto [begin, end] = keys.range(prefix);
    RangeRequest& range = *request.add_success()->mutable_request_range();
    range.set_key(std::move(begin));
    range.set_range_end(std::move(end));
  }
  return request;
}

Snapshot snapshot_of(const Keys& keys, TxnResponse& response) {
  std::map<std::string, Record> records;  // Prefixes may overlap.
  for (ResponseOp& op : *response.mutable_responses()) {
    for (KeyValue& kv : *op.mutable_response_range()->mutable_kvs()) {
      std::string key = keys.inside(kv.key());
      Record& record = records[key];
      if (record.version != kAbsent) continue;
      record = {std::move(key), std::move(*kv.mutable_value()),
                static_cast<Version>(kv.mod_revision())};
    }
  }
  Snapshot snapshot{static_cast<Revision>(response.header().revision()), {}};
  for (auto& [key, record] : records) snapshot.records.push_back(std::move(record));
  return snapshot;
}

class Etcd : public Engine {
 public:
  Etcd(Loop& io, std::unique_ptr<Servers> servers, const Options& options)
      : keys_(options.place()),
        timeout_(options.timeout),
        servers_(std::move(servers)),
        calls_(io, options.timeout, [this] { return too_late(); }) {}

  void read(std::vector<std::string> prefixes, ReadCallback callback) override {
    HAPAX_CHECK(admissible(prefixes).has_value());
    try_read(read_request(keys_, prefixes), calls_.open(std::move(callback)));
  }

  void commit(std::vector<Condition> conditions, std::vector<Write> writes,
              CommitCallback callback) override {
    HAPAX_CHECK(admissible(conditions, writes).has_value());
    try_commit(commit_request(keys_, conditions, writes), calls_.open(std::move(callback)));
  }

  std::unique_ptr<Watch> watch(std::string prefix, Revision from, WatchHandler handler) override {
    auto subscriber = std::make_shared<Subscriber>(std::move(handler));
    auto watching =
        std::make_shared<Watching>(*servers_, keys_, std::move(prefix), from, subscriber);
    watching->start();
    return std::make_unique<Subscription>(subscriber, [watching, alive = servers_->alive()] {
      if (!alive.expired()) watching->stop();
    });
  }

  Health health() const override { return servers_->health(); }

 private:
  // Reading twice does no harm: one server after the other is asked, as long as there is time.
  void try_read(TxnRequest request, std::shared_ptr<ReadAnswer> answer) {
    servers_->when_ready(
        [answer] { return answer->open(); },
        [this, request = std::move(request), answer](std::size_t server) {
          const auto patience = std::max<milliseconds>(
              timeout_ / static_cast<int>(servers_->size() + 1), milliseconds{10});
          const auto deadline = std::min(answer->deadline(), steady_clock::now() + patience);
          servers_->call<TxnRequest, TxnResponse>(
              server, kTxn, request, deadline,
              [this, server, request, answer](const grpc::Status& status, TxnResponse& response) {
                if (!status.ok()) {
                  servers_->failed(server, status);
                  if (may_pass(status)) return try_read(request, answer);
                  return answer->give(Error{servers_->health().said});
                }
                if (!servers_->answered(response.header().cluster_id())) {
                  return answer->give(Error{servers_->health().said});
                }
                answer->give(snapshot_of(keys_, response));
              });
        });
  }

  // A commit is sent once, over a connection that is up. What etcd refused because it did not know
  // us was not done; everything else may have been.
  void try_commit(TxnRequest request, std::shared_ptr<CommitAnswer> answer) {
    servers_->when_ready(
        [answer] { return answer->open(); },
        [this, request = std::move(request), answer](std::size_t server) {
          servers_->call<TxnRequest, TxnResponse>(
              server, kTxn, request, answer->deadline(),
              [this, server, request, answer](const grpc::Status& status, TxnResponse& response) {
                if (!status.ok()) {
                  servers_->failed(server, status);
                  if (wants_a_new_token(status)) return try_commit(request, answer);
                  return answer->give(Outcome::unknown, 0);
                }
                if (!servers_->answered(response.header().cluster_id())) {
                  return answer->give(Outcome::unknown, 0);
                }
                answer->give(response.succeeded() ? Outcome::committed : Outcome::conflict,
                             static_cast<Revision>(response.header().revision()));
              });
        });
  }

  static bool may_pass(const grpc::Status& status) {
    if (wants_a_new_token(status)) return true;
    switch (status.error_code()) {
      case grpc::UNAVAILABLE:
      case grpc::DEADLINE_EXCEEDED:
      case grpc::UNKNOWN:  // What etcd has no code for, e.g. "raft: stopped".
      case grpc::INTERNAL:
      case grpc::CANCELLED:
        return true;
      default:
        return false;
    }
  }

  std::string too_late() {
    // What the servers last said tells more, unless they never said anything.
    if (servers_->health().reachable || servers_->health().said == Health{}.said) {
      servers_->health().ill("etcd: no answer in time");
    }
    servers_->next();
    return servers_->health().said;
  }

  const Keys keys_;
  const milliseconds timeout_;
  std::unique_ptr<Servers> servers_;
  Calls calls_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_etcd(Loop& io, const Url& url, const Options& options) {
  auto servers = Servers::create(io, url, options);
  if (!servers) return servers.error();
  return std::make_unique<Etcd>(io, std::move(*servers), options);
}

}  // namespace hapax::engine
