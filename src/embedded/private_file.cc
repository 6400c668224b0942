#include "embedded/private_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hapax::engine {

// A file that is there is not opened: closing it would give up the locks that SQLite has on it in
// this process.
Result<void> make_private(const std::string& path) {
  constexpr mode_t kOwn = S_IRUSR | S_IWUSR;
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwn);
  if (made >= 0) ::close(made);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const std::string file = path + suffix;
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0 || (info.st_mode & (S_IRWXG | S_IRWXO)) == 0) continue;
    if (::chmod(file.c_str(), kOwn) != 0) {
      return error(
          "{} is open to other users, who could stop the group, and cannot be closed to "
          "them: {}; chmod 600 it",
          file, std::strerror(errno));
    }
  }
  return {};
}

}  // namespace hapax::engine
