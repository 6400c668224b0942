#include "lab/file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <utility>

#include "console/usage.h"

namespace hapax::cli {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;

}  // namespace

Result<std::string> read_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return error("is a directory; name a file");
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened) return error("{}", std::strerror(errno));
  }
  std::istream& stream = file == "-" ? std::cin : opened;
  std::string text;
  std::array<char, 1 << 16> chunk{};
  while (stream) {
    stream.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestFile) return error("the file is too large");
  }
  if (stream.bad()) return error("the file cannot be read");
  return {boost::system::in_place_value, std::move(text)};
}

void write_file(const std::string& file, const std::string& text) {
  if (file.empty() || file == "-") {
    fmt::print("{}", text);
  } else if (!(std::ofstream{file} << text).flush()) {
    throw UsageError{fmt::format("'{}' cannot be written", file)};
  }
}

}  // namespace hapax::cli
