// A server that a test starts and stops, by its pid; it ends with the test, whatever happens.
#pragma once

#include <arpa/inet.h>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <netinet/in.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hapax::engine::testing {

class Process {
 public:
  Process() = default;
  Process(std::vector<std::string> command, const std::filesystem::path& log) {
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string log_name = log.string();
    pid_ = fork();
    if (pid_ != 0) return;
    // Only what may be called between fork and exec in a program with threads.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = ::open(log_name.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~Process() { end(SIGKILL); }
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Process& operator=(Process&& other) noexcept {
    if (this != &other) {
      end(SIGKILL);
      pid_ = std::exchange(other.pid_, 0);
    }
    return *this;
  }

  bool running() const { return pid_ > 0; }
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }
  // Returns when it is gone.
  void end(int number) {
    if (pid_ <= 0) return;
    ::kill(pid_, number);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  // True if a command runs and says that all is well.
  static bool run(std::vector<std::string> command, const std::filesystem::path& log) {
    Process process{std::move(command), log};
    int status = -1;
    waitpid(std::exchange(process.pid_, 0), &status, 0);
    return status == 0;
  }

 private:
  pid_t pid_ = 0;
};

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
