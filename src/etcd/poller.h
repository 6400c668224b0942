// The one thread that waits for gRPC's sockets: channels connect only while somebody waits, and
// with more threads than one each event wakes up another, which costs more than what it is for.
#pragma once

#include <grpcpp/completion_queue.h>
#include <thread>

namespace hapax::engine::etcd {

// Something that gRPC tells of: `ok` as its documentation has it. On the poller's thread.
class Arrival {
 public:
  virtual void arrived(bool ok) = 0;

 protected:
  ~Arrival() = default;
};

class Poller {
 public:
  Poller()
      : thread_([this] {
          void* tag = nullptr;
          bool ok = false;
          while (queue_.Next(&tag, &ok)) static_cast<Arrival*>(tag)->arrived(ok);
        }) {}
  // REQUIRES: nothing is under way.
  ~Poller() {
    queue_.Shutdown();
    thread_.join();
  }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  grpc::CompletionQueue* queue() { return &queue_; }

 private:
  grpc::CompletionQueue queue_;
  std::thread thread_;
};

}  // namespace hapax::engine::etcd
