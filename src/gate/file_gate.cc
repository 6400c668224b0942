// The file is one line and is never changed in place: a new one is written, synced, locked and
// renamed over it, so that a power cut leaves the old line or the new one. A process that waited
// for the lock of a file which is no longer the one by that name looks again.
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "hapax/gate.h"

namespace hapax {
namespace {

using Path = std::filesystem::path;

constexpr std::string_view kTitle = "hapax fence gate 2: ";
constexpr std::string_view kOldTitle = "hapax fence gate 1: ";
static_assert(kTitle.size() == kOldTitle.size());
constexpr std::size_t kLongest = 256;  // More than any line of ours.

[[noreturn]] void fail(const char* what, const Path& file) {
  throw std::system_error{errno, std::generic_category(), std::string{what} + " " + file.string()};
}

// FNV-1a: tells a line that was cut or edited from a whole one.
std::uint64_t check_sum(std::string_view text) {
  std::uint64_t sum = 14695981039346656037u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return sum;
}

std::string line_of(const FenceMarks& marks) {
  const auto& [alone, shared] = marks;
  const std::string line =
      fmt::format("{}{}.{} {}.{}", kTitle, number(alone.epoch), number(alone.turn),
                  number(shared.epoch), number(shared.turn));
  return fmt::format("{} check {:016x}\n", line, check_sum(line));
}

// As hapax 0.1 wrote it, before there was a mark for those who share.
std::string old_line_of(const FenceMarks& marks) {
  const std::string line =
      fmt::format("{}{}.{}", kOldTitle, number(marks.alone.epoch), number(marks.alone.turn));
  return fmt::format("{} check {:016x}\n", line, check_sum(line));
}

// Takes "epoch.turn" off the front.
std::optional<Fence> take_fence(std::string_view& text) {
  const char* end = text.data() + text.size();
  std::uint64_t epoch = 0;
  std::uint64_t turn = 0;
  const auto first = std::from_chars(text.data(), end, epoch);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, turn);
  if (second.ec != std::errc{}) return std::nullopt;
  text = {second.ptr, end};
  return Fence{Epoch{epoch}, Turn{turn}};
}

// Strict: only what line_of or old_line_of would write.
std::optional<FenceMarks> marks_of(std::string_view line) {
  const bool old = line.starts_with(kOldTitle);
  if (!old && !line.starts_with(kTitle)) return std::nullopt;
  std::string_view rest = line.substr(kTitle.size());
  const auto alone = take_fence(rest);
  if (!alone) return std::nullopt;
  FenceMarks marks{*alone, {}};
  if (old) return old_line_of(marks) == line ? std::optional{marks} : std::nullopt;
  if (!rest.starts_with(' ')) return std::nullopt;
  rest.remove_prefix(1);
  const auto shared = take_fence(rest);
  if (!shared) return std::nullopt;
  marks.shared = *shared;
  return line_of(marks) == line ? std::optional{marks} : std::nullopt;
}

FenceMarks read_marks(int fd, const Path& file) {
  std::array<char, kLongest> text{};
  ssize_t size = 0;
  do size = pread(fd, text.data(), text.size(), 0);
  while (size < 0 && errno == EINTR);
  if (size < 0) fail("cannot read the gate", file);
  if (const auto marks = marks_of({text.data(), static_cast<std::size_t>(size)})) return *marks;
  throw std::system_error{make_error_code(Errc::bad_gate), file.string()};
}

void write_marks(int fd, const FenceMarks& marks, const Path& file) {
  const std::string line = line_of(marks);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t count = write(fd, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("cannot write the gate", file);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (fsync(fd) != 0) fail("cannot sync the gate", file);
}

// What a folder lists is on the disk only when the folder is.
void sync_folder_of(const Path& file) {
  const Path folder = file.has_parent_path() ? file.parent_path() : Path{"."};
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("cannot open", folder);
  const bool synced = fsync(fd) == 0 || errno == EINVAL;  // Some file systems need none.
  close(fd);
  if (!synced) fail("cannot sync", folder);
}

// Belongs to the open file, not to the process as F_SETLKW does: threads exclude each other too,
// and closing another descriptor does not give it up.
void lock(int fd, const Path& file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  while (fcntl(fd, F_OFD_SETLKW, &whole) != 0) {
    if (errno != EINTR) fail("cannot lock the gate", file);
  }
}

bool is_still_there(int fd, const Path& file) {
  struct stat mine {};
  struct stat named {};
  if (fstat(fd, &mine) != 0) fail("cannot look at the gate", file);
  if (stat(file.c_str(), &named) != 0) fail("the gate is gone:", file);
  // We would replace the one, and leave the other behind with an older mark.
  if (named.st_nlink > 1) {
    throw std::system_error{make_error_code(Errc::bad_gate),
                            file.string() + " has several names (hard links); remove the others"};
  }
  return mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

void close_quietly(int fd) {
  const int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
}

int open_and_lock(const Path& file) {
  for (;;) {
    const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) fail("cannot open the gate", file);
    try {
      lock(fd, file);
      if (is_still_there(fd, file)) return fd;
    } catch (...) {
      close_quietly(fd);
      throw;
    }
    close(fd);
  }
}

// A new file beside the one it will replace; gone with its owner unless it was taken.
struct Draft {
  Draft(std::string name_in, int fd_in, const Path& file) : name(std::move(name_in)), fd(fd_in) {
    if (fd < 0) fail("cannot write beside the gate", file);
  }
  ~Draft() {
    close_quietly(fd);
    if (!name.empty()) unlink(name.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  std::string name;
  int fd;
};

// The file appears whole, or not at all; of several who make it one succeeds.
void make_if_missing(const Path& file) {
  if (access(file.c_str(), F_OK) == 0) return;
  if (errno != ENOENT) fail("cannot look at the gate", file);
  std::string name = file.string() + ".XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  Draft draft{std::move(name), fd, file};
  write_marks(draft.fd, {}, file);
  if (renameat2(AT_FDCWD, draft.name.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0) {
    draft.name.clear();
  } else if (errno == EINVAL) {  // A file system that cannot: two names for a moment.
    if (link(draft.name.c_str(), file.c_str()) != 0 && errno != EEXIST) {
      fail("cannot make the gate", file);
    }
  } else if (errno != EEXIST) {
    fail("cannot make the gate", file);
  }
  sync_folder_of(file);
}

// Returns the new file, open and locked: those who find it by its name wait for us.
// REQUIRES: `old` is the file, and locked. So nobody else writes the draft, whose name is always
// the same: a process that dies here leaves one at most.
int replace(const Path& file, int old, const FenceMarks& marks) {
  std::string name = file.string() + ".new";
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  Draft draft{std::move(name), fd, file};
  lock(draft.fd, file);
  write_marks(draft.fd, marks, file);
  struct stat before {};
  if (fstat(old, &before) != 0 || fchmod(draft.fd, before.st_mode & 07777) != 0) {
    fail("cannot set the mode of the gate", file);
  }
  if (rename(draft.name.c_str(), file.c_str()) != 0) fail("cannot replace the gate", file);
  draft.name.clear();
  sync_folder_of(file);
  return std::exchange(draft.fd, -1);
}

}  // namespace

FileGate::FileGate(Path file) : file_(std::move(file)) {
  make_if_missing(file_);
  file_ =
      std::filesystem::canonical(file_);  // Replacing a symbolic link would leave the file behind.
  (void)highest();  // Better to hear of a file that is not ours now than at the first access.
}

Fence FileGate::highest() const {
  const int fd = open_and_lock(file_);
  try {
    const Fence mark = read_marks(fd, file_).highest();
    close(fd);
    return mark;
  } catch (...) {
    close(fd);
    throw;
  }
}

FileGate::Passage::Passage(const Path& file, Fence fence, bool shared) : old_(open_and_lock(file)) {
  try {
    const FenceMarks before = read_marks(old_, file);
    FenceMarks after = before;
    open_ = shared ? after.admit_shared(fence) : after.admit(fence);
    if (after != before) new_ = replace(file, old_, after);
  } catch (...) {
    close(old_);
    throw;
  }
}

FileGate::Passage::~Passage() {
  if (new_ >= 0) close(new_);
  close(old_);
}

}  // namespace hapax
