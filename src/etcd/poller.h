// A thread that waits for gRPC's sockets. Without calls nobody else does, and channels connect only
// while somebody waits.
#pragma once

#include <grpcpp/completion_queue.h>
#include <thread>

namespace hapax::engine::etcd {

class Poller {
 public:
  Poller()
      : thread_([this] {
          void* tag = nullptr;
          bool ok = false;
          while (queue_.Next(&tag, &ok)) continue;  // Nothing is ever put there.
        }) {}
  ~Poller() {
    queue_.Shutdown();
    thread_.join();
  }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

 private:
  grpc::CompletionQueue queue_;
  std::thread thread_;
};

}  // namespace hapax::engine::etcd
