#include "local/child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace hapax::local {
namespace {

std::vector<char*> environment_without_hapax() {
  std::vector<char*> kept;
  for (char** at = environ; *at != nullptr; ++at) {
    if (std::strncmp(*at, "HAPAX_", 6) != 0) kept.push_back(*at);
  }
  kept.push_back(nullptr);
  return kept;
}

// Only what may be called between fork and exec.
[[noreturn]] void become(const char* program, char* const* words, char* const* environment,
                         const Child::Streams& streams, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // Reaches one that is stopped, too.
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  dup2(streams.input >= 0 ? streams.input : open("/dev/null", O_RDONLY), STDIN_FILENO);
  if (streams.output >= 0) dup2(streams.output, STDOUT_FILENO);
  if (streams.error >= 0) dup2(streams.error, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(program, words, environment);
  _exit(127);
}

}  // namespace

Child::Child(std::string name, const std::string& program, std::vector<std::string> words,
             Streams streams)
    : name_(std::move(name)) {
  std::string own_name = "hapax";
  std::vector<char*> arguments{own_name.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::vector<char*> environment = environment_without_hapax();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(program.c_str(), arguments.data(), environment.data(), streams, parent);
  if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "cannot start " + name_};
}

Child::~Child() {
  if (status()) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::note(int status) {
  if (WIFEXITED(status)) status_ = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) status_ = 128 + WTERMSIG(status);
}

std::optional<int> Child::status() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) note(status);
  return status_;
}

void Child::freeze() {
  int status = 0;
  if (!status_ && kill(pid_, SIGSTOP) == 0 && waitpid(pid_, &status, WUNTRACED) == pid_) {
    if (WIFSTOPPED(status)) return;
    note(status);
  }
  throw std::runtime_error{name_ + " is gone"};
}

void Child::thaw() {
  if (!status()) kill(pid_, SIGCONT);
}

void Child::ask_to_end() {
  if (status()) return;
  kill(pid_, SIGTERM);
  kill(pid_, SIGCONT);
}

bool Child::wait_for_end(std::chrono::milliseconds patience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (!status()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

}  // namespace hapax::local
