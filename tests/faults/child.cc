#include "faults/child.h"

#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/check.h"

namespace hapax::faults {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock;

// Only what may be called between fork and exec.
[[noreturn]] void become(const char* space, const char* log, char* const* words) {
  const int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::signal(SIGINT, SIG_IGN);  // ^C is for the campaign.
  if (*space != '\0') {
    const int network = open(space, O_RDONLY | O_CLOEXEC);
    if (network < 0 || setns(network, CLONE_NEWNET) != 0) _exit(124);
  }
  execvp(words[0], words);
  _exit(125);
}

}  // namespace

Child::Child(std::string name, std::string host, Words words, std::string log)
    : name_(std::move(name)),
      host_(std::move(host)),
      log_(std::move(log)),
      words_(std::move(words)) {
  start();
}

Child::Child(Child&& other) noexcept
    : name_(std::move(other.name_)),
      host_(std::move(other.host_)),
      log_(std::move(other.log_)),
      words_(std::move(other.words_)),
      pid_(std::exchange(other.pid_, 0)) {}

void Child::start() {
  HAPAX_CHECK(pid_ == 0);
  is_paused_ = false;
  const std::string space = host_.empty() ? "" : "/run/netns/" + host_;
  std::vector<char*> words;
  for (std::string& word : words_) words.push_back(word.data());
  words.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) become(space.c_str(), log_.c_str(), words.data());
  HAPAX_CHECK(pid_ > 0);
}

bool Child::is_running() {
  if (pid_ != 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ != 0;
}

void Child::pause() {
  if (is_paused_ || !is_running()) return;
  signal(SIGSTOP);
  int status = 0;
  if (waitpid(pid_, &status, WUNTRACED) == pid_ && !WIFSTOPPED(status)) pid_ = 0;
  is_paused_ = pid_ != 0;
}
void Child::resume() {
  signal(SIGCONT);
  is_paused_ = false;
}
void Child::ask_to_end() { signal(SIGTERM); }

void Child::kill_now() {
  if (!is_running()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

bool Child::wait_for_end(milliseconds patience) {
  const auto give_up = Time::now() + patience;
  while (is_running()) {
    if (Time::now() > give_up) return false;
    std::this_thread::sleep_for(milliseconds{5});
  }
  return true;
}

void Child::signal(int signal) {
  if (is_running()) kill(pid_, signal);
}

}  // namespace hapax::faults
