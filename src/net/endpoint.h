// From an address as people write it to what the operating system needs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "base/result.h"
#include "loop/inbox.h"
#include "net/address.h"

namespace hapax::net {

struct Endpoint {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  int family() const { return bytes.ss_family; }
  bool is_unix() const { return family() == AF_UNIX; }
  std::uint16_t port() const;  // 0 of a Unix socket.
  // For people: 127.0.0.1, ::1, a Unix socket; and the same with the port.
  std::string host() const;
  std::string text() const;
};

// The endpoint of an address that needs no looking up: a path, a number, or localhost.
std::optional<Endpoint> endpoint_of(const Address& address);

// Where a socket is bound, and to whom it is connected; nothing if it is not.
std::optional<Endpoint> here_of(int fd);
std::optional<Endpoint> there_of(int fd);

// Looks the name up and waits for the answer: for starting up only.
Result<Endpoint> look_up(const Address& address);

// The same of all that it has, without waiting: `then` is called on the loop of that inbox, if it
// is still there.
using Found = Result<std::vector<Endpoint>>;
void look_up_later(const Address& address, std::shared_ptr<Inbox> inbox,
                   std::function<void(const Found&)> then);

}  // namespace hapax::net
