#include "jobs/successor.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console/exit_status.h"
#include "jobs/pipe.h"

extern char** environ;

namespace hapax::cli {
namespace {

constexpr std::string_view kOurs = "HAPAX_";
constexpr std::size_t kLongestWord = 64 * 1024;
constexpr int kFirstFree = 10;  // Scripts use descriptors of one digit as they please.

// One datagram: variables, each with a zero behind it, and a descriptor.
struct Word {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec part{};
  msghdr header{};

  Word(char* text, std::size_t size) : part{text, size} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

// As we end, so does the one that waits for us.
[[noreturn]] void end_like(pid_t keeper) {
  int status = 0;
  while (waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
  }
  _exit(WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status));
}

// The environment and the connection. False: there will be none.
bool hear(int line, std::string& variables, int& connection) {
  variables.resize(kLongestWord);
  Word word{variables.data(), variables.size()};
  ssize_t count = 0;
  while ((count = recvmsg(line, &word.header, 0)) < 0 && errno == EINTR) {
  }
  if (count <= 0) return false;
  variables.resize(static_cast<std::size_t>(count));
  if (const cmsghdr* part = CMSG_FIRSTHDR(&word.header)) {
    std::memcpy(&connection, CMSG_DATA(part), sizeof connection);
  }
  return true;
}

void keep_across_exec(int& descriptor) {
  const int kept = fcntl(descriptor, F_DUPFD, kFirstFree);  // Without close-on-exec.
  close(descriptor);
  descriptor = kept;
}

[[noreturn]] void wait_and_become(const std::vector<std::string>& command, int line, pid_t keeper) {
  std::string variables;
  int connection = -1;
  if (!hear(line, variables, connection)) end_like(keeper);
  for (std::size_t at = 0; at < variables.size(); at += std::strlen(&variables[at]) + 1) {
    putenv(&variables[at]);
  }
  keep_across_exec(line);
  if (connection >= 0) keep_across_exec(connection);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const bool missing = errno == ENOENT || errno == ENOTDIR;
  fmt::print(stderr, "hapax: {}: {}\n", command.front(),
             missing ? "command not found" : std::strerror(errno));
  _exit(missing ? kNotFound : kNotExecutable);
}

}  // namespace

Successor::Successor(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail_by_errno("socketpair");
  }
  other_ = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));  // Close-on-exec, as all are.
  if (other_ < 0) fail_by_errno("pidfd_open");
  const pid_t parent = getpid();
  const pid_t keeper = fork();
  if (keeper < 0) fail_by_errno("fork");
  if (keeper != 0) {
    close(ends[0]);
    close(other_);
    wait_and_become(command, ends[1], keeper);
  }
  close(ends[1]);
  line_ = ends[0];
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // Until the command begins.
  if (getppid() != parent) _exit(kSystem);
  setsid();  // ^C is for the command.
}

Successor::~Successor() {
  close(line_);
  close(other_);
}

void Successor::begin(int connection) {
  std::string variables;
  for (char** at = environ; *at != nullptr; ++at) {
    if (std::string_view{*at}.starts_with(kOurs)) variables.append(*at).push_back('\0');
  }
  Word word{variables.data(), variables.size()};
  if (connection >= 0) {
    cmsghdr* part = CMSG_FIRSTHDR(&word.header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof connection);
    std::memcpy(CMSG_DATA(part), &connection, sizeof connection);
  } else {
    word.header.msg_controllen = 0;
  }
  prctl(PR_SET_PDEATHSIG, 0);
  if (sendmsg(line_, &word.header, MSG_NOSIGNAL) < 0) fail_by_errno("cannot begin the command");
  // What remains is to say why, should the lock be lost.
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) dup2(null, fd);
  close(null);
}

bool Successor::attend(Reliance& reliance, Signals& signals) {
  while (!reliance.has_ended()) {
    constexpr std::chrono::milliseconds kLook{100};
    std::array<pollfd, 3> ears{{{line_, POLLIN, 0},
                                {reliance.bell().descriptor(), POLLIN, 0},
                                {signals.descriptor(), POLLIN, 0}}};
    poll(ears.data(), ears.size(), static_cast<int>(std::min(kLook, reliance.lasts_for()).count()));
    if (ears[0].revents != 0) return true;
    if (signals.take() == SIGTERM) return false;
  }
  return false;
}

bool Successor::is_gone(int wait_ms) const {
  pollfd end{other_, POLLIN, 0};
  return poll(&end, 1, wait_ms) == 1;
}

void Successor::end(std::chrono::milliseconds grace) {
  for (const int signal : {SIGTERM, SIGCONT}) {
    (void)syscall(SYS_pidfd_send_signal, other_, signal, nullptr, 0);
  }
  if (is_gone(static_cast<int>(grace.count()))) return;
  (void)syscall(SYS_pidfd_send_signal, other_, SIGKILL, nullptr, 0);
}

}  // namespace hapax::cli
