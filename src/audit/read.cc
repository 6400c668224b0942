#include "audit/read.h"

#include <vector>

namespace hapax::audit {

Result<std::size_t> read_history(std::istream& stream, std::string_view name, History& history) {
  std::vector<char> line(kLongestLine + 1);
  for (std::size_t number = 1;; ++number) {
    stream.getline(line.data(), static_cast<std::streamsize>(line.size()));
    const auto got = static_cast<std::size_t>(stream.gcount());
    if (stream.bad()) return error("{}: cannot be read", name);
    if (stream.eof() && got == 0) return std::size_t{0};
    if (stream.fail()) {
      return error("{}, line {}: longer than {} bytes", name, number, kLongestLine);
    }
    const bool is_cut_off = stream.eof();
    const std::string_view text{line.data(), is_cut_off ? got : got - 1};
    const auto added = history.add_line(text);
    if (!added && is_cut_off) return std::size_t{1};
    if (!added) return error("{}, line {}: {}", name, number, added.error().message);
    if (is_cut_off) return std::size_t{0};
  }
}

}  // namespace hapax::audit
