#include "lab/script_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>

#include "console/command.h"

namespace hapax::cli {
namespace {

constexpr std::uintmax_t kLargestFile = 64 << 20;

std::string contents_of(const std::string& file) {
  if (file == "-") return {std::istreambuf_iterator<char>{std::cin}, {}};
  std::error_code status;
  const std::uintmax_t size = std::filesystem::file_size(file, status);
  if (status) throw UsageError{fmt::format("'{}': {}", file, status.message())};
  if (size > kLargestFile) throw UsageError{fmt::format("'{}': the file is too large", file)};
  std::ifstream stream{file};
  std::string text{std::istreambuf_iterator<char>{stream}, {}};
  if (!stream) throw UsageError{fmt::format("'{}': the file cannot be read", file)};
  return text;
}

}  // namespace

Script script_from(const std::string& file) {
  Result<Script> script = Script::parse(contents_of(file));
  if (!script) throw UsageError{fmt::format("'{}': {}", file, script.error().message)};
  if (script->blocks.empty()) {
    throw UsageError{
        fmt::format("'{}': there is no command in it; a trace begins with: "
                    "nodes ALGORITHM NAME NAME …",
                    file)};
  }
  return std::move(*script);
}

}  // namespace hapax::cli
