#include "search/pages.h"

#include <new>
#include <sys/mman.h>

namespace hapax {

void* allocate_pages(std::size_t bytes, PageSize size) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc{};
  // Only a hint: without huge pages the search is slower, nothing else.
  if (size == PageSize::huge && bytes >= kHuge) madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void release_pages(void* memory, std::size_t bytes) { munmap(memory, bytes); }

}  // namespace hapax
