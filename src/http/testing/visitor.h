// Somebody at a daemon's HTTP port who says what it is told to, byte by byte if need be.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace hapax::testing {

class HttpVisitor {
 public:
  explicit HttpVisitor(std::uint16_t port)
      : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~HttpVisitor() { close(socket_); }
  HttpVisitor(const HttpVisitor&) = delete;
  HttpVisitor& operator=(const HttpVisitor&) = delete;

  // In vain if it was cut off.
  void say(const std::string& text) { (void)send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  // Until the connection is closed.
  std::string hear() { return hear_until("\n\n\n\n\n"); }
  // Until that has been heard, or the connection is closed.
  std::string hear_until(const std::string& words) {
    std::string all;
    std::array<char, 65'536> room{};
    for (ssize_t n = 0; (n = recv(socket_, room.data(), room.size(), 0)) > 0;) {
      const std::size_t from = all.size() - std::min(all.size(), words.size());
      all.append(room.data(), static_cast<std::size_t>(n));
      if (all.find(words, from) != std::string::npos) break;
    }
    return all;
  }

 private:
  int socket_;
};

}  // namespace hapax::testing
