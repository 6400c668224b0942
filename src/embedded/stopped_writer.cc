#include "embedded/stopped_writer.h"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>

#include "base/send_signal.h"

namespace hapax::engine {
namespace {

// Of SQLite's -shm file in WAL mode: to write, to check-point, to recover.
constexpr off_t kFirstLock = 120, kLastLock = 122;

bool is_stopped(pid_t process) {
  std::ifstream file{fmt::format("/proc/{}/stat", process)};
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(')');  // Of its name, which may be anything.
  return end != std::string::npos && text.substr(end + 1, 3) == " T ";
}

}  // namespace

// Not by fcntl(): to close a descriptor of that file would give back SQLite's own locks.
std::optional<pid_t> writer_of(const std::filesystem::path& database) {
  struct stat file {};
  if (::stat((database.string() + "-shm").c_str(), &file) != 0) return std::nullopt;
  const std::string wanted =
      fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::ifstream locks{"/proc/locks"};
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words{line};
    std::string number, kind, mode, access, where;
    pid_t owner = 0;
    off_t from = 0;
    words >> number >> kind >> mode >> access >> owner >> where >> from;
    if (words && access == "WRITE" && where == wanted && owner > 0 && from >= kFirstLock &&
        from <= kLastLock) {
      return owner;
    }
  }
  return std::nullopt;
}

void help_stopped_writer(const std::filesystem::path& database) {
  const auto writer = writer_of(database);
  if (!writer || !is_stopped(*writer) || !signal_process(*writer, SIGCONT)) return;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds{200};
  while (writer_of(database) == writer && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  signal_process(*writer, SIGSTOP);
}

}  // namespace hapax::engine
