#include "etcd/watching.h"

#include <algorithm>
#include <etcd.pb.h>  // Generated from etcd.proto.
#include <map>
#include <utility>

#include "engine/commit.h"
#include "etcd/call_stream.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::engine::etcd {
namespace {

constexpr std::chrono::milliseconds kPause{50};  // Before a broken stream is begun again.

constexpr std::chrono::seconds kDoubt{5};  // How long a server that is behind may take.

}  // namespace

Watching::Watching(Servers& servers, const Keys& keys, std::string prefix,
                   std::optional<Revision> from, std::shared_ptr<Subscriber> subscriber)
    : servers_(servers),
      keys_(keys),
      prefix_(std::move(prefix)),
      is_from_now_(!from),
      seen_(from.value_or(0)),
      subscriber_(std::move(subscriber)) {}

void Watching::start() {
  const auto self = shared_from_this();
  servers_.when_ready([self] { return self->wanted(); },
                      [self](std::size_t server) { self->open(server); });
}

void Watching::stop() {
  if (const auto stream = std::exchange(stream_, nullptr)) stream->TryCancel();
}

void Watching::open(std::size_t server) {
  WatchRequest request;
  auto& create = *request.mutable_create_request();
  auto [begin, end] = keys_.range(prefix_);
  create.set_key(std::move(begin));
  create.set_range_end(std::move(end));
  // From what we saw last, which is then left out: if etcd has forgotten more than that, it says
  // so. From the revision after it, one that was compacted just there would lack its deletes
  // (etcd#18089).
  if (!is_from_now_) {
    create.set_start_revision(static_cast<std::int64_t>(std::max<Revision>(seen_, 1)));
  }
  server_ = server;
  stream_ = std::make_shared<grpc::ClientContext>();
  // To the loop, where it counts only while this is the watch's stream.
  const auto to_loop = [io = &servers_.io(), alive = servers_.alive(), watching = weak_from_this(),
                        stream = stream_](auto work) {
    io->post([=]() mutable {
      const auto here = watching.lock();
      if (!alive.expired() && here && here->stream_ == stream) work(*here);
    });
  };
  CallStream<WatchRequest, WatchResponse>::start(
      servers_, server, "/etcdserverpb.Watch/Watch", stream_, std::move(request), false,
      {[to_loop](WatchResponse&& response) {
         to_loop([told = std::make_shared<WatchResponse>(std::move(response))](Watching& watching) {
           watching.heard(*told);
         });
       },
       [to_loop](const grpc::Status& status) {
         to_loop([status](Watching& watching) { watching.broke(status); });
       }});
}

void Watching::heard(WatchResponse& response) {
  const auto self = shared_from_this();  // A handler may end the watch.
  const auto now = static_cast<Revision>(response.header().revision());
  const bool same = servers_.answered(response.header().cluster_id());
  const bool forgotten = response.canceled() && response.compact_revision() != 0;
  if (!same || forgotten) return give_up();
  if (response.canceled()) {
    stop();
    const auto code = response.cancel_reason().find("auth") == std::string::npos
                          ? grpc::UNAVAILABLE
                          : grpc::UNAUTHENTICATED;
    return broke({code, response.cancel_reason()});
  }
  if (response.created() && is_from_now_) return subscriber_->commit({now, {}});
  if (response.created() && now < seen_) return doubt();
  tell(response);
}

void Watching::give_up() {
  stop();
  subscriber_->resync();
}

// This server is behind what we saw. If all are, the cluster was set up anew; so ask for what a
// majority knows.
void Watching::doubt() {
  TxnRequest request;
  request.add_success()->mutable_request_range()->set_key(keys_.outside(prefix_));
  servers_.call<TxnRequest, TxnResponse>(
      server_, kTxn, std::move(request), std::chrono::steady_clock::now() + kDoubt,
      [self = shared_from_this(), stream = stream_](const grpc::Status& status,
                                                    TxnResponse& response) {
        if (self->stream_ != stream) return;
        if (!status.ok()) {
          self->stop();
          return self->broke(status);
        }
        if (static_cast<Revision>(response.header().revision()) < self->seen_) self->give_up();
      });
}

void Watching::tell(WatchResponse& response) {
  std::map<Revision, Commit> commits;
  for (Event& event : *response.mutable_events()) {
    const auto revision = static_cast<Revision>(event.kv().mod_revision());
    Write write{keys_.inside(event.kv().key()), std::nullopt};
    if (event.type() == Event::PUT) write.value = std::move(*event.mutable_kv()->mutable_value());
    Commit& commit = commits[revision];
    commit.revision = revision;
    commit.writes.push_back(std::move(write));
  }
  for (auto& [revision, commit] : commits) {
    if (revision <= seen_) continue;
    seen_ = revision;
    sort_by_key(commit.writes);
    subscriber_->commit(commit);
  }
}

void Watching::broke(const grpc::Status& status) {
  stream_.reset();
  if (!wanted()) return;
  if (!is_from_now_) subscriber_->gap();
  if (!wanted()) return;
  servers_.failed(server_,
                  status.ok() ? grpc::Status{grpc::UNAVAILABLE, "the stream ended"} : status);
  auto timer = std::make_shared<Timer>(servers_.io(), kPause);
  timer->async_wait([self = shared_from_this(), timer, alive = servers_.alive()](auto failed) {
    if (!failed && !alive.expired()) self->start();
  });
}

}  // namespace hapax::engine::etcd
