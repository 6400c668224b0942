#include "base/child.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <stdexcept>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/send_signal.h"

namespace hapax {
namespace {

// Names and values as exec wants them.
std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry{*at};
    const std::string_view name = entry.substr(0, entry.find('='));
    const bool is_replaced =
        std::any_of(command.environment.begin(), command.environment.end(),
                    [&](const auto& setting) { return setting.first == name; });
    if (is_replaced || (command.without_settings && name.starts_with("HAPAX_"))) continue;
    all.emplace_back(entry);
  }
  for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Only what may be called between fork and exec.
[[noreturn]] void become(const Command& command, const char* program, char* const* words,
                         char* const* environment, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // Reaches one that is stopped, too.
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  if (!command.network.empty()) {
    const int network = open(command.network.c_str(), O_RDONLY | O_CLOEXEC);
    if (network < 0 || setns(network, CLONE_NEWNET) != 0) _exit(127);
  }
  dup2(command.input >= 0 ? command.input : open("/dev/null", O_RDONLY), STDIN_FILENO);
  if (command.output >= 0) dup2(command.output, STDOUT_FILENO);
  if (command.error >= 0) dup2(command.error, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(program, words, environment);
  _exit(127);
}

}  // namespace

Child::Child(std::string name, const Command& command) : name_(std::move(name)) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_of(command);
  const std::vector<char*> word_pointers = pointers_to(words);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const std::string& program = command.program.empty() ? words.front() : command.program;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    become(command, program.c_str(), word_pointers.data(), environment_pointers.data(), parent);
  }
  if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "cannot start " + name_};
}

Child Child::logging_to(const std::filesystem::path& log, std::string name, Command command) {
  const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) throw std::system_error{errno, std::generic_category(), log.string()};
  command.output = command.error = fd;
  Child child{std::move(name), command};
  close(fd);
  return child;
}

Child::Child(Child&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      status_(std::exchange(other.status_, 0)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this == &other) return *this;
  end(SIGKILL);
  name_ = std::move(other.name_);
  pid_ = std::exchange(other.pid_, -1);
  status_ = std::exchange(other.status_, 0);
  return *this;
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

void Child::signal(int number) {
  if (!status()) signal_process(pid_, number);
}

void Child::freeze() {
  int status = 0;
  if (!status_ && signal_process(pid_, SIGSTOP) && waitpid(pid_, &status, WUNTRACED) == pid_) {
    if (WIFSTOPPED(status)) return;
    note(status);
  }
  throw std::runtime_error{name_ + " is gone"};
}

void Child::ask_to_end() {
  signal(SIGTERM);
  signal(SIGCONT);
}

void Child::end(int number) {
  signal(number);
  for (int status = 0; !status_;) {
    if (waitpid(pid_, &status, 0) == pid_) {
      note(status);
    } else if (errno != EINTR) {
      status_ = 127;  // Somebody else has waited for it.
    }
  }
}

bool Child::wait_for_end(std::chrono::milliseconds patience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (!status()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

}  // namespace hapax
