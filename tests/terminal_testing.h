// A terminal for tests: a command sits at one end, the test at the other.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/send_signal.h"
#include "process_testing.h"

namespace hapax::testing {

class Terminal {
 public:
  Terminal(const Arguments& words, const Environment& environment) {
    pid_ = forkpty(&master_, nullptr, nullptr, nullptr);
    if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "is /dev/pts mounted?"};
    if (pid_ != 0) return;
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(125);
  }
  ~Terminal() {
    signal_process(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(master_);
  }
  // Whether it shows this, sooner or later, after what was asked for last.
  bool shows(const std::string& text) {
    fcntl(master_, F_SETFL, O_NONBLOCK);
    return eventually([&] {
      char room[4096];
      for (ssize_t n = 0; (n = read(master_, room, sizeof room)) > 0;) {
        screen_.append(room, static_cast<std::size_t>(n));
      }
      const auto at = screen_.find(text);
      if (at == std::string::npos) return false;
      screen_.erase(0, at + text.size());
      return true;
    });
  }
  void type(const std::string& keys) const {
    if (write(master_, keys.data(), keys.size()) < 0) std::abort();
  }
  int wait() {
    int status = -1;
    const bool ended = eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
    return !ended ? -1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  int master_ = -1;
  pid_t pid_ = -1;
  std::string screen_;
};

}  // namespace hapax::testing
