#include "search/pages.h"

#include <new>
#include <sys/mman.h>

namespace hapax {

std::uint64_t* Pages::allocate(std::size_t bytes) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc{};
  // Only a hint: without huge pages the search is slower, nothing else.
  if (bytes >= kHuge) madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<std::uint64_t*>(memory);
}

void Pages::release(std::uint64_t* data, std::size_t bytes) { munmap(data, bytes); }

}  // namespace hapax
