#include "bank/atm_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace hapax::bank {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::minutes kLongest{2};  // Twice what the longest act may take.

// A child with `socket` as standard input and output, no other descriptor of ours, and no signal
// blocked.
pid_t spawn(int socket, const std::array<char*, 6>& arguments) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, "/proc/self/exe", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error{error, std::generic_category(), "cannot start an ATM"};
  return pid;
}

}  // namespace

AtmProcess::AtmProcess(const std::filesystem::path& books, int number, Interrupts& interrupts)
    : interrupts_(interrupts), number_(number) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error{errno, std::generic_category(), "socketpair"};
  }
  std::array<std::string, 5> words{"hapax", "demo", "atm", books.string(), std::to_string(number)};
  try {
    pid_ = spawn(ends[1], {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                           words[4].data(), nullptr});
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  fd_ = ends[0];
}

AtmProcess::~AtmProcess() {
  close(fd_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void AtmProcess::fail(const std::string& why) const {
  throw std::runtime_error{fmt::format("ATM {}: {}", number_, why)};
}

void AtmProcess::tell(const std::string& line) {
  const std::string whole = line + '\n';  // Short: it fits into the socket at once.
  if (send(fd_, whole.data(), whole.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(whole.size())) {
    fail("is gone");
  }
}

std::string AtmProcess::hear() {
  auto line = hear_within(kLongest);
  if (!line) fail("does not answer");
  return *line;
}

std::optional<std::string> AtmProcess::hear_within(std::chrono::milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  for (;;) {
    if (const auto end = heard_.find('\n'); end != std::string::npos) {
      const std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      if (line.starts_with("error ")) fail(line.substr(6));
      return line;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    std::array<pollfd, 2> both{pollfd{fd_, POLLIN, 0}, pollfd{interrupts_.descriptor(), POLLIN, 0}};
    if (poll(both.data(), both.size(), static_cast<int>(left.count())) <= 0) continue;
    interrupts_.throw_if_any();
    if (both[0].revents == 0) continue;
    std::array<char, 512> bytes;
    const ssize_t count = recv(fd_, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      // ^C reaches the whole process group: the ATM may be gone before we hear of the signal.
      usleep(50'000);
      interrupts_.throw_if_any();
      fail("is gone");
    }
    heard_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

void AtmProcess::freeze() {
  int status = 0;
  if (pid_ <= 0 || kill(pid_, SIGSTOP) != 0 || waitpid(pid_, &status, WUNTRACED) != pid_) {
    fail("cannot be stopped");
  }
  if (WIFSTOPPED(status)) return;
  pid_ = -1;  // It ended meanwhile, and its number may be somebody else's.
  fail("is gone");
}

void AtmProcess::thaw() {
  if (pid_ > 0) kill(pid_, SIGCONT);
}

}  // namespace hapax::bank
