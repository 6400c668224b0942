// A GET on this machine, for tests.
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace hapax::testing {

// All that is answered, head and all; empty if nobody does.
inline std::string http_get(std::uint16_t port, const std::string& path,
                            const std::string& fields = "Host: here\r\n") {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
    const std::string ask = "GET " + path + " HTTP/1.1\r\n" + fields + "Connection: close\r\n\r\n";
    if (write(fd, ask.data(), ask.size()) > 0) {
      char room[4096];
      for (ssize_t n = 0; (n = read(fd, room, sizeof room)) > 0;) {
        answer.append(room, static_cast<std::size_t>(n));
      }
    }
  }
  close(fd);
  return answer;
}

inline std::string body_of(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  return head == std::string::npos ? "" : answer.substr(head + 4);
}

}  // namespace hapax::testing
