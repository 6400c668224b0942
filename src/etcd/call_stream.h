// gRPC's side of a stream: one request, and answers until it ends.
#pragma once

#include <functional>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/async_stream.h>
#include <memory>
#include <utility>

#include "etcd/servers.h"

namespace hapax::engine::etcd {

// On the poller's thread, from start() on.
template <class Request, class Response>
class CallStream {
 public:
  struct Told {
    std::function<void(Response&&)> answer;
    std::function<void(const grpc::Status&)> end;  // Once, the last.
  };

  // `is_last`: nothing else will be asked, so that the server may end it.
  static void start(Servers& servers, std::size_t server, const char* method,
                    std::shared_ptr<grpc::ClientContext> context, Request request, bool is_last,
                    Told told) {
    servers.introduce(*context);
    servers.flights()->begin(context.get());
    const std::shared_ptr<CallStream> stream{new CallStream{servers.flights(), std::move(context),
                                                            servers.channel(server),
                                                            std::move(request), std::move(told)}};
    stream->is_last_ = is_last;
    stream->call_ = stream->stub_.PrepareCall(stream->context_.get(), method, servers.queue());
    stream->self_ = stream;
    stream->call_->StartCall(&stream->started_);  // From here on it is the poller's, but for us.
  }

 private:
  class Step final : public Arrival {
   public:
    Step(CallStream& stream, void (CallStream::*then)(bool ok)) : stream_(stream), then_(then) {}
    void arrived(bool ok) override { (stream_.*then_)(ok); }

   private:
    CallStream& stream_;
    void (CallStream::*const then_)(bool ok);
  };

  CallStream(std::shared_ptr<Flights> flights, std::shared_ptr<grpc::ClientContext> context,
             std::shared_ptr<grpc::Channel> channel, Request request, Told told)
      : flights_(std::move(flights)),
        context_(std::move(context)),
        stub_(std::move(channel)),
        request_(std::move(request)),
        told_(std::move(told)) {}

  void on_started(bool ok) {
    if (!ok) return finish();
    is_writing_ = true;
    call_->Write(request_,
                 is_last_ ? grpc::WriteOptions{}.set_last_message() : grpc::WriteOptions{},
                 &written_);
    call_->Read(&response_, &read_);
  }
  void on_written(bool) {
    is_writing_ = false;
    if (is_finished_) end();
  }
  void on_read(bool ok) {
    if (!ok) return finish();
    told_.answer(std::move(response_));
    response_.Clear();
    call_->Read(&response_, &read_);
  }
  void finish() { call_->Finish(&status_, &finished_); }
  void on_finished(bool) {
    is_finished_ = true;
    if (!is_writing_) end();
  }
  void end() {
    told_.end(status_);
    const auto flights = flights_;
    const auto context = context_;  // Until end() it may be cancelled.
    self_.reset();
    flights->end(context.get());
  }

  std::shared_ptr<CallStream> self_;  // Until gRPC is done with it.
  const std::shared_ptr<Flights> flights_;
  const std::shared_ptr<grpc::ClientContext> context_;
  grpc::TemplatedGenericStub<Request, Response> stub_;
  const Request request_;
  Response response_;
  grpc::Status status_;
  const Told told_;
  bool is_last_ = false, is_writing_ = false, is_finished_ = false;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<Request, Response>> call_;
  Step started_{*this, &CallStream::on_started}, written_{*this, &CallStream::on_written},
      read_{*this, &CallStream::on_read}, finished_{*this, &CallStream::on_finished};
};

}  // namespace hapax::engine::etcd
