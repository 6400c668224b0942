// The calls that gRPC has under way for an engine, on its own threads: all can be cancelled and
// waited for.
#pragma once

#include <condition_variable>
#include <grpcpp/client_context.h>
#include <mutex>
#include <set>

namespace hapax::engine::etcd {

class Flights {
 public:
  void begin(grpc::ClientContext* flight) {
    const std::lock_guard lock{mutex_};
    in_the_air_.insert(flight);
  }
  // The last thing that gRPC's thread does with a flight, which is only a name here.
  void end(grpc::ClientContext* flight) {
    const std::lock_guard lock{mutex_};
    in_the_air_.erase(flight);
    landed_.notify_all();
  }
  // Afterwards nothing is under way, provided that nothing new begins.
  void cancel_all() {
    std::unique_lock lock{mutex_};
    for (grpc::ClientContext* flight : in_the_air_) flight->TryCancel();
    landed_.wait(lock, [this] { return in_the_air_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable landed_;
  std::set<grpc::ClientContext*> in_the_air_;
};

}  // namespace hapax::engine::etcd
