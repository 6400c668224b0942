// The members of an etcd cluster: a channel to each, which of them to ask next, and how we log
// in.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>  // How gRPC reads and writes our messages.
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/status.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/health.h"
#include "engine/options.h"
#include "etcd/flights.h"
#include "etcd/poller.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::engine::etcd {

using Deadline = std::chrono::steady_clock::time_point;

inline constexpr const char* kTxn = "/etcdserverpb.KV/Txn";

// etcd did not know who asks, so it did nothing; a new token helps. One that etcd signed (a JWT) is
// good for one revision of the auth store: any change to a user or role invalidates it, and for
// that etcd has no status code, only a text.
inline bool wants_a_new_token(const grpc::Status& status) {
  return status.error_code() == grpc::UNAUTHENTICATED ||
         status.error_message().find("revision of auth store is old") != std::string::npos;
}

// gRPC's deadlines go by the wall clock.
inline void set_deadline(grpc::ClientContext& context, Deadline deadline) {
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(
                           deadline - std::chrono::steady_clock::now()));
}

class Servers {
 public:
  static Result<std::unique_ptr<Servers>> create(Loop& io, const Url& url, const Options& options);
  ~Servers() { flights_->cancel_all(); }

  // Calls `go` with a server that is connected (and has let us in) as soon as there is one, while
  // `wanted` says so. Never from inside the call.
  void when_ready(std::function<bool()> wanted, std::function<void(std::size_t server)> go);

  // A unary call; `done` on the loop's thread, but not when the servers are gone.
  template <class Request, class Response>
  void call(std::size_t server, const char* method, Request request, Deadline deadline,
            std::function<void(const grpc::Status&, Response&)> done);

  // Notes what a failed call says of a server: the next one is asked next, and we log in again.
  void failed(std::size_t server, const grpc::Status& status);
  void failed(std::size_t server, const std::string& why);
  // Notes an answer. False if it comes from another cluster than those before, unless that one has
  // been silent for long.
  bool answered(std::uint64_t cluster);

  void next() { current_ = (current_ + 1) % channels_.size(); }
  std::size_t size() const { return channels_.size(); }
  Health& health() { return health_; }
  const Health& health() const { return health_; }
  Loop& io() { return io_; }

  const std::shared_ptr<grpc::Channel>& channel(std::size_t server) { return channels_[server]; }
  const std::shared_ptr<Flights>& flights() { return flights_; }
  grpc::CompletionQueue* queue() { return poller_.queue(); }
  // Every call says so: no answers from a member that has lost its leader; and who asks.
  void introduce(grpc::ClientContext& context) const;
  std::weak_ptr<int> alive() const { return alive_; }

 private:
  Servers(Loop& io, const Options& options) : io_(io), options_(options), retry_(io) {}

  std::size_t connected();  // size(), if none is.
  void authenticate(std::size_t server);
  void again(std::shared_ptr<Timer> timer, std::function<bool()> wanted,
             std::function<void(std::size_t)> go);

  Loop& io_;
  const Options options_;
  Poller poller_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
  std::size_t current_ = 0;
  std::uint64_t cluster_ = 0;                      // 0: not known yet.
  std::chrono::steady_clock::time_point heard_{};  // The last answer of that one.
  std::string token_;
  bool authenticating_ = false;
  Timer retry_;
  Health health_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::shared_ptr<Flights> flights_ = std::make_shared<Flights>();
};

// A unary call under way. It may arrive while it is being started: so it is held by both.
template <class Request, class Response>
class Flight final : public Arrival {
 public:
  using Done = std::function<void(const grpc::Status&, Response&)>;

  Flight(Servers& servers, std::size_t server, Request request, Done done)
      : io_(servers.io()),
        flights_(servers.flights()),
        alive_(servers.alive()),
        stub_(servers.channel(server)),
        request_(std::move(request)),
        told_(std::make_shared<Told>()) {
    told_->done = std::move(done);
    servers.introduce(*context_);
  }
  grpc::ClientContext& context() { return *context_; }
  void start(std::shared_ptr<Flight> self, const char* method, grpc::CompletionQueue* queue) {
    self_ = std::move(self);
    flights_->begin(context_.get());
    reader_ = stub_.PrepareUnaryCall(context_.get(), method, request_, queue);
    reader_->StartCall();
    reader_->Finish(&told_->response, &told_->status, this);
  }
  // `io_` is still there, since the destructor of the servers waits for end().
  void arrived(bool) override {
    io_.post([told = std::move(told_), alive = std::move(alive_)] {
      if (!alive.expired()) told->done(told->status, told->response);
    });
    const auto flights = flights_;
    const auto context = context_;  // Until end() it may be cancelled.
    self_.reset();
    flights->end(context.get());
  }

 private:
  struct Told {
    Done done;
    grpc::Status status;
    Response response;
  };

  Loop& io_;
  const std::shared_ptr<Flights> flights_;
  std::weak_ptr<int> alive_;
  const std::shared_ptr<grpc::ClientContext> context_ = std::make_shared<grpc::ClientContext>();
  grpc::TemplatedGenericStub<Request, Response> stub_;
  std::shared_ptr<Flight> self_;  // While it is in the air.
  const Request request_;
  std::shared_ptr<Told> told_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> reader_;
};

template <class Request, class Response>
void Servers::call(std::size_t server, const char* method, Request request, Deadline deadline,
                   std::function<void(const grpc::Status&, Response&)> done) {
  const auto flight = std::make_shared<Flight<Request, Response>>(*this, server, std::move(request),
                                                                  std::move(done));
  set_deadline(flight->context(), deadline);
  flight->start(flight, method, poller_.queue());
}

}  // namespace hapax::engine::etcd
