// Tries to connect to one address until it is told to stop, waiting longer each time, and hands the
// sockets on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "loop/descriptor.h"
#include "loop/timer.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "streams/socket.h"

namespace hapax::net {

class Dialer : public std::enable_shared_from_this<Dialer> {
 public:
  struct Pace {
    std::chrono::milliseconds min;
    std::chrono::milliseconds max;
    std::chrono::milliseconds patience;  // With one attempt.
  };
  using OnSocket = std::function<void(Socket)>;
  using OnFailure = std::function<void(std::string_view why)>;

  Dialer(Loop& io, Address address, Pace pace, std::uint64_t seed, OnSocket on_socket,
         OnFailure on_failure);

  // Dials now. REQUIRES: not dialling.
  void dial();
  // Dials after a while, twice as long as the time before.
  void dial_later();
  // The connection was of use: the next wait is a short one again.
  void succeeded() { wait_ = pace_.min; }
  void close();

  const Address& address() const { return address_; }

 private:
  void connect(std::size_t next);
  void connected(std::size_t next, int error);
  void hang_up();
  void fail(std::string_view why);
  bool is_current(std::uint64_t attempt) const { return attempt == attempt_ && !closed_; }

  Timer timer_;
  Socket socket_;
  std::unique_ptr<Readiness> ready_;  // Of the socket, while it connects.
  Address address_;
  Pace pace_;
  std::chrono::milliseconds wait_;
  Prng prng_;
  OnSocket on_socket_;
  OnFailure on_failure_;
  std::vector<Endpoint> endpoints_;
  std::uint64_t attempt_ = 0;  // Handlers of an earlier one are ignored.
  bool closed_ = false;
};

}  // namespace hapax::net
