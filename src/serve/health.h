// What Prometheus and a supervisor ask a daemon over plain HTTP, on this machine only. On the
// thread of the loop.
#pragma once

#include <chrono>
#include <memory>

#include "base/result.h"
#include "http/http.h"
#include "net/address.h"

namespace hapax {
class Loop;
}
namespace hapax::net {
class Listener;
}

namespace hapax::cli {

class Health {
 public:
  // Listens. An error unless the address is on this machine. Who is slower than `patience`, all in
  // all, is cut off.
  static Result<std::unique_ptr<Health>> open(
      Loop& io, const net::Address& address, HttpPages pages,
      std::chrono::milliseconds patience = std::chrono::seconds{5});
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  const net::Address& address() const;  // With the port that was free.
  void close();

 private:
  explicit Health(std::shared_ptr<net::Listener> listener);
  std::shared_ptr<net::Listener> listener_;
};

}  // namespace hapax::cli
