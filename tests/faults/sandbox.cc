#include "faults/sandbox.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/send_signal.h"

namespace hapax::faults {
namespace {

// The mounts of the first process, not of the one that started it: they go when it does.
constexpr int kOwnMountsAndNetwork = CLONE_NEWNS | CLONE_NEWNET;

std::atomic<bool> interrupted{false};
std::atomic<pid_t> inside{0};

void require(bool done, const char* what) {
  if (!done) throw std::system_error{errno, std::generic_category(), what};
}

void listen_to_signals(void (*handler)(int)) {
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
}

// Other processes neither see what is mounted then nor lose anything. Not so in a chroot whose root
// is no mount.
bool keep_mounts_private() {
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

void furnish() {
  require(unshare(kOwnMountsAndNetwork) == 0, "namespaces");
  require(keep_mounts_private(), "private mounts");
  require(mount("proc", "/proc", "proc", 0, nullptr) == 0, "/proc");
  std::filesystem::create_directories("/run/netns");
  for (const char* place : {"/run/netns", "/dev/shm"}) {
    require(mount("hapax-faults", place, "tmpfs", 0, nullptr) == 0, place);
  }
}

}  // namespace

bool can_make_sandbox() {
  // NOLINTNEXTLINE(cert-env33-c): fixed words
  if (std::system("command -v ip iptables tc >/dev/null 2>&1") != 0) return false;
  const pid_t trial = fork();
  if (trial == 0) {
    const bool is_apart = unshare(CLONE_NEWPID | kOwnMountsAndNetwork) == 0;
    _exit(is_apart && keep_mounts_private() ? 0 : 1);
  }
  int status = 1;
  return trial > 0 && waitpid(trial, &status, 0) == trial && status == 0;
}

int in_sandbox(const std::function<int()>& body) {
  require(unshare(CLONE_NEWPID) == 0, "a PID namespace");
  const pid_t first = fork();
  require(first >= 0, "fork");
  if (first == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    listen_to_signals([](int) { interrupted = true; });
    int status = 1;
    try {
      furnish();
      status = body();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "campaign: %s\n", e.what());
    }
    std::fflush(stdout);
    _exit(status);  // The first process: with it the kernel ends all others of its namespace.
  }
  inside = first;
  listen_to_signals([](int signal) { signal_process(inside, signal); });
  int status = 0;
  while (waitpid(first, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_interrupted() { return interrupted; }

}  // namespace hapax::faults
