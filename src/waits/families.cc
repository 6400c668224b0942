#include "waits/families.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace hapax {
namespace {

// 0 if there is none, or it cannot be seen.
std::uint32_t parent_of(std::uint32_t pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string text;
  std::getline(file, text);
  const std::size_t close = text.rfind(')');  // Names may contain anything.
  unsigned parent = 0;
  if (close == std::string::npos || std::sscanf(text.c_str() + close, ") %*c %u", &parent) != 1) {
    return 0;
  }
  return parent;
}

}  // namespace

Families::Families() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  here_ = name.data();
}

std::vector<std::uint32_t> Families::operator()(const Person& person) const {
  constexpr std::size_t kDeepest = 64;
  std::vector<std::uint32_t> pids{person.pid};
  while (person.host == here_ && pids.back() > 1 && pids.size() < kDeepest) {
    pids.push_back(parent_of(pids.back()));
  }
  return pids;
}

}  // namespace hapax
