// What a browser has in place of threads, of the machine's pages and of what libc++ lacks there:
// the engine is built with this instead of search/team.cc, search/pages.cc and base/decimal.cc.
#include <cstdlib>
#include <new>
#include <string>

#include "base/check.h"
#include "base/decimal.h"
#include "search/pages.h"
#include "search/team.h"

namespace hapax {

class Team::Threads {};

Team::Team(unsigned size) : size_(size) { HAPAX_CHECK(size == 1); }
Team::~Team() = default;
void Team::run_together(const std::function<void(unsigned)>&) { HAPAX_CHECK(false); }

void* allocate_pages(std::size_t bytes, PageSize) {
  void* memory = std::calloc(bytes, 1);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
void release_pages(void* memory, std::size_t) { std::free(memory); }

// strtod also takes spaces, +, 0x…, inf and nan, which are refused before.
std::optional<Decimal> leading_decimal(std::string_view text) {
  const std::string copy{text.substr(0, text.find_first_not_of("0123456789.eE+-"))};
  if (copy.empty() || copy[0] == '+' || copy[0] == 'e' || copy[0] == 'E') return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return std::nullopt;
  return Decimal{value, static_cast<std::size_t>(end - copy.c_str())};
}

}  // namespace hapax

// There is nobody to catch: whatever is thrown is a mistake of ours, and ends the instance.
extern "C" {
void* __cxa_allocate_exception(std::size_t size) { return std::malloc(size); }
[[noreturn]] void __cxa_throw(void*, void*, void (*)(void*)) { std::abort(); }
}
