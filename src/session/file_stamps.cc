#include "session/file_stamps.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace hapax::session {
namespace {

constexpr std::size_t kSlots = 1'024;

using Number = std::atomic<std::uint64_t>;
static_assert(Number::is_always_lock_free, "it is shared by processes");

// Both ends must have the same, whoever compiled them: FNV-1a.
std::size_t slot_of(std::string_view path) {
  std::uint64_t hash = 14'695'981'039'346'656'037u;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211u;
  return hash % kSlots;
}

std::uint64_t any_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

// Who may write to a socket may read this.
bool let_in_as(const std::string& socket, int descriptor) {
  struct stat info {};
  if (stat(socket.c_str(), &info) != 0) return true;
  const bool has_group = fchown(descriptor, static_cast<uid_t>(-1), info.st_gid) == 0;
  const mode_t writers = info.st_mode & (has_group ? 0222u : 0202u);
  return fchmod(descriptor, S_IRUSR | S_IWUSR | (writers << 1)) == 0;
}

void* map(int descriptor, std::size_t bytes, int access) {
  void* const memory = mmap(nullptr, bytes, access, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

struct FileStamps::Page {
  Number id{any_number()};  // Of the daemon that made it.
  Number revision{0};
  Number all{1};
  std::array<Number, kSlots> slots{};
};

std::unique_ptr<FileStamps> FileStamps::make(const std::string& socket) {
  const std::string path = socket + ".files";
  ::unlink(path.c_str());
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return nullptr;
  void* memory = nullptr;
  // With all its room: where there is none later, writing would end the daemon.
  if (posix_fallocate(descriptor, 0, sizeof(Page)) == 0) {
    memory = map(descriptor, sizeof(Page), PROT_READ | PROT_WRITE);
  }
  Page* const page = memory == nullptr ? nullptr : new (memory) Page;
  const bool is_good = page != nullptr && let_in_as(socket, descriptor);
  ::close(descriptor);
  if (is_good) return std::unique_ptr<FileStamps>{new FileStamps{page, path, true}};
  if (memory != nullptr) munmap(memory, sizeof(Page));
  ::unlink(path.c_str());
  return nullptr;
}

std::string FileStamps::where() const {
  return fmt::format("{:016x} {}", page_->id.load(std::memory_order_relaxed), path_);
}

std::unique_ptr<const FileStamps> FileStamps::open(const std::string& where) {
  const std::size_t space = where.find(' ');
  if (space == std::string::npos) return nullptr;
  const std::string path = where.substr(space + 1);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return nullptr;
  struct stat info {};
  const bool is_such = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
                       info.st_size == static_cast<off_t>(sizeof(Page));
  void* const memory = is_such ? map(descriptor, sizeof(Page), PROT_READ) : nullptr;
  ::close(descriptor);
  if (memory == nullptr) return nullptr;
  std::unique_ptr<FileStamps> stamps{new FileStamps{static_cast<Page*>(memory), path, false}};
  if (stamps->where() != where) return nullptr;
  return stamps;
}

FileStamps::~FileStamps() {
  if (is_own_) {
    serve_nothing();
    ::unlink(path_.c_str());
  }
  munmap(page_, sizeof(Page));
}

void FileStamps::change(std::string_view path) {
  HAPAX_CHECK(is_own_);
  page_->slots[slot_of(path)].fetch_add(1, std::memory_order_release);
}

void FileStamps::serve(std::uint64_t revision) {
  HAPAX_CHECK(is_own_);
  page_->revision.store(revision, std::memory_order_release);
}

void FileStamps::change_all() {
  HAPAX_CHECK(is_own_);
  page_->all.fetch_add(1, std::memory_order_release);
}

void FileStamps::serve_nothing() {
  serve(0);
  change_all();
}

std::uint64_t FileStamps::revision() const {
  return page_->revision.load(std::memory_order_acquire);
}

FileStamps::Stamp FileStamps::of(std::string_view path) const {
  return {page_->all.load(std::memory_order_acquire),
          page_->slots[slot_of(path)].load(std::memory_order_acquire)};
}

}  // namespace hapax::session
