// A watch on etcd: a stream of its own, resumed elsewhere when it breaks, from the last commit
// told.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/subscription.h"
#include "etcd/keys.h"
#include "etcd/servers.h"

namespace hapax::engine::etcd {

class WatchResponse;

// On the loop's thread. Lives as long as its subscriber is not over and the servers are there.
class Watching : public std::enable_shared_from_this<Watching> {
 public:
  // Without `from`, of what is committed once the stream is there: a commit without writes says,
  // each time, after which revision that is. etcd tells that at once, but goes through its past for
  // others only ten times a second.
  Watching(Servers& servers, const Keys& keys, std::string prefix, std::optional<Revision> from,
           std::shared_ptr<Subscriber> subscriber);

  void start();
  void stop();  // Lets go of the stream.

 private:
  bool wanted() const { return !subscriber_->over(); }
  void open(std::size_t server);
  void heard(WatchResponse& response);
  void doubt();
  void give_up();
  void tell(WatchResponse& response);
  void broke(const grpc::Status& status);

  Servers& servers_;
  const Keys keys_;
  const std::string prefix_;
  const bool is_from_now_;
  Revision seen_;
  std::shared_ptr<Subscriber> subscriber_;
  std::shared_ptr<grpc::ClientContext> stream_;  // Of the stream that counts.
  std::size_t server_ = 0;
};

}  // namespace hapax::engine::etcd
