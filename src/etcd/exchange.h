// One question and one answer, of a method that etcd only has as a stream.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "etcd/call_stream.h"
#include "etcd/servers.h"
#include "loop/loop.h"

namespace hapax::engine::etcd {

// As Servers::call.
template <class Request, class Response>
void exchange(Servers& servers, std::size_t server, const char* method, Request request,
              Deadline deadline, std::function<void(const grpc::Status&, Response&)> done) {
  auto context = std::make_shared<grpc::ClientContext>();
  set_deadline(*context, deadline);
  auto answer = std::make_shared<std::optional<Response>>();
  CallStream<Request, Response>::start(
      servers, server, method, std::move(context), std::move(request), true,
      {[answer](Response&& one) { *answer = std::move(one); },
       [answer, done = std::move(done), alive = servers.alive(),
        io = &servers.io()](const grpc::Status& status) {
         const bool is_empty = status.ok() && !*answer;
         const grpc::Status told =
             is_empty ? grpc::Status{grpc::UNAVAILABLE, "the stream ended"} : status;
         io->post([answer, done, alive, told] {
           if (alive.expired()) return;
           Response response = std::move(*answer).value_or(Response{});
           done(told, response);
         });
       }});
}

}  // namespace hapax::engine::etcd
