// Servers and commands that a test runs; they end with the test, whatever happens.
#pragma once

#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/child.h"

namespace hapax::engine::testing {

// A server whose output goes to the log. It may be ended, and another one put in its place.
inline Child server(std::vector<std::string> words, const std::filesystem::path& log) {
  std::string name = words.front();
  return Child::logging_to(log, std::move(name), {.words = std::move(words)});
}

// True if a command runs and says that all is well.
inline bool run(std::vector<std::string> words, const std::filesystem::path& log) {
  Child command = server(std::move(words), log);
  return command.wait_for_end(std::chrono::minutes{1}) && command.status() == 0;
}

// A port of the loopback address that nobody uses now.
inline std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  close(socket);
  return ntohs(address.sin_port);
}

inline bool is_installed(const char* program) {
  return std::system((std::string{"command -v "} + program + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace hapax::engine::testing
