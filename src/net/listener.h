// Accepts connections at one address and hands the sockets on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>

#include "base/result.h"
#include "loop/descriptor.h"
#include "loop/timer.h"
#include "net/address.h"
#include "streams/socket.h"

namespace hapax::net {

// Who may connect to a Unix socket.
struct Sharing {
  mode_t mode = 0600;          // Whoever may write to it.
  std::optional<gid_t> group;  // Its group; else our own.
};

class Listener : public std::enable_shared_from_this<Listener> {
 public:
  using OnSocket = std::function<void(Socket)>;

  // Binds and listens. A Unix socket on which nobody answers is a leftover, and replaced. If not
  // said otherwise, only the user who runs this process may connect to it.
  static Result<std::shared_ptr<Listener>> open(Loop& io, const Address& address,
                                                OnSocket on_socket, const Sharing& sharing = {});
  explicit Listener(Loop& io) : socket_(io, -1), pause_(io) {}
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void start() { accept(); }
  void close();  // Removes a Unix socket's file, too. on_socket is not called any more.

  const Address& address() const { return address_; }  // With the port that was free.

 private:
  Result<void> bind(const Sharing& sharing);
  Result<void> share(const Sharing& sharing) const;
  void accept();
  void take_one();
  void accept_later();

  Socket socket_;
  std::unique_ptr<Readiness> ready_;
  Timer pause_;
  Address address_;
  OnSocket on_socket_;
  bool is_bound_ = false;
  bool closed_ = false;
};

}  // namespace hapax::net
