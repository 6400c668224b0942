#include "jobs/open_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "console/exit_status.h"

namespace hapax::cli {
namespace {

// A lock of the open file, not of the process: it ends when no process has that open any more.
int lock(int descriptor, int how, long long mark) {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = mark;
  byte.l_len = 1;
  return fcntl(descriptor, how, &byte);
}

}  // namespace

OpenFile::OpenFile(int descriptor) {
  const auto refuse = [&](const char* why) -> Failure {
    return {kBadUsage, fmt::format("--fd {}: {}; open a file for it first, as in exec {}>FILE",
                                   descriptor, why, descriptor)};
  };
  struct stat info {};
  if (fstat(descriptor, &info) != 0) throw refuse("there is no such descriptor");
  if (!S_ISREG(info.st_mode)) throw refuse("it is not a file");
  descriptor_ = open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw refuse(std::strerror(errno));
  // By chance, so that no other holder with a descriptor of the same file has the same one.
  constexpr long long kFar = 1LL << 61;
  std::random_device chance;
  mark_ = std::uniform_int_distribution<long long>{kFar, 2 * kFar}(chance);
  if (lock(descriptor, F_OFD_SETLK, mark_) != 0) {
    const int error = errno;
    close(descriptor_);
    throw refuse(error == EBADF ? "it is not open for writing" : std::strerror(error));
  }
  close(descriptor);
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::stop_token OpenFile::closed() {
  // Left alone at the end of the process: nothing but the lock wakes it.
  std::thread{[descriptor = descriptor_, mark = mark_, source = closed_]() mutable {
    while (lock(descriptor, F_OFD_SETLKW, mark) != 0 && errno == EINTR) {
    }
    source.request_stop();
  }}.detach();
  return closed_.get_token();
}

}  // namespace hapax::cli
