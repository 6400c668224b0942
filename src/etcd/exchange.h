// One question and one answer, of a method that etcd only has as a stream.
#pragma once

#include <boost/asio/post.hpp>
#include <functional>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/client_callback.h>
#include <memory>
#include <utility>

#include "etcd/servers.h"

namespace hapax::engine::etcd {

// As Servers::call. gRPC's side of it; deletes itself when gRPC is done.
template <class Request, class Response>
class Exchange final : public grpc::ClientBidiReactor<Request, Response> {
 public:
  using Done = std::function<void(const grpc::Status&, Response&)>;

  static void begin(Servers& servers, std::size_t server, const char* method, Request request,
                    Deadline deadline, Done done) {
    auto* exchange = new Exchange{servers, server, std::move(request), std::move(done)};
    set_deadline(*exchange->context_, deadline);
    servers.introduce(*exchange->context_);
    exchange->flights_->begin(exchange->context_.get());
    exchange->stub_.PrepareBidiStreamingCall(exchange->context_.get(), method, {}, exchange);
    exchange->StartWriteLast(&exchange->request_, {});
    exchange->StartRead(&exchange->response_);
    exchange->StartCall();
  }

 private:
  Exchange(Servers& servers, std::size_t server, Request request, Done done)
      : io_(servers.io()),
        flights_(servers.flights()),
        alive_(servers.alive()),
        stub_(servers.channel(server)),
        request_(std::move(request)),
        done_(std::move(done)) {}

  void OnReadDone(bool ok) override { has_answer_ = ok; }
  void OnDone(const grpc::Status& status) override {
    const bool is_empty = status.ok() && !has_answer_;
    const grpc::Status told =
        is_empty ? grpc::Status{grpc::UNAVAILABLE, "the stream ended"} : status;
    boost::asio::post(io_, [done = std::move(done_), told, response = std::move(response_),
                            alive = alive_, context = context_]() mutable {
      if (!alive.expired()) done(told, response);
    });
    const auto flights = flights_;
    grpc::ClientContext* const context = context_.get();  // The loop holds it.
    delete this;                                          // Before end(): see Servers::call.
    flights->end(context);
  }

  boost::asio::io_context& io_;
  const std::shared_ptr<grpc::ClientContext> context_ = std::make_shared<grpc::ClientContext>();
  const std::shared_ptr<Flights> flights_;
  const std::weak_ptr<int> alive_;
  grpc::TemplatedGenericStub<Request, Response> stub_;
  Request request_;
  Response response_;
  bool has_answer_ = false;
  Done done_;
};

}  // namespace hapax::engine::etcd
