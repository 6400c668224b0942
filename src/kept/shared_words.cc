#include "kept/shared_words.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace hapax::kept {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

std::pair<std::unique_ptr<SharedWords>, int> SharedWords::make() {
  const int descriptor = memfd_create("hapax-kept", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return {nullptr, -1};
  std::unique_ptr<SharedWords> words;
  if (ftruncate(descriptor, kBytes) == 0 && fcntl(descriptor, F_ADD_SEALS, kSeals) == 0) {
    words = map_open(descriptor);
  }
  if (words) return {std::move(words), descriptor};
  close(descriptor);
  return {nullptr, -1};
}

std::unique_ptr<SharedWords> SharedWords::map(int descriptor) {
  struct stat info {};
  std::unique_ptr<SharedWords> words;
  const int seals = fcntl(descriptor, F_GET_SEALS);  // The kernel may have added some of its own.
  if (fstat(descriptor, &info) == 0 && info.st_size == static_cast<off_t>(kBytes) && seals >= 0 &&
      (seals & kSeals) == kSeals) {
    words = map_open(descriptor);
  }
  close(descriptor);
  return words;
}

std::unique_ptr<SharedWords> SharedWords::map_open(int descriptor) {
  void* const at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) return nullptr;
  return std::unique_ptr<SharedWords>{new SharedWords{static_cast<Cell*>(at)}};
}

SharedWords::~SharedWords() { munmap(cells_, kBytes); }

Word& SharedWords::operator[](std::size_t index) {
  HAPAX_CHECK(index < kWords);
  return cells_[index].word;
}

}  // namespace hapax::kept
