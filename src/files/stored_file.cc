#include "files/stored_file.h"

#include <charconv>
#include <fmt/format.h>

#include "core/file_path.h"

namespace hapax {
namespace {

constexpr std::string_view kEnd = "//";

std::string head_of(const StoredFile& file) {
  std::string head = "file";
  if (file.fence) head += " fence " + to_string(*file.fence);
  if (file.owner) {
    head += fmt::format(" life {} session {}", file.owner->life, file.owner->session);
  }
  return head + '\n';
}

// The word after `name` and a space; empty if it is not there.
std::string_view word_after(std::string_view head, std::string_view name) {
  const std::size_t at = head.find(name);
  if (at == std::string_view::npos) return {};
  head.remove_prefix(at + name.size());
  return head.substr(0, head.find_first_of(" \n"));
}

std::optional<std::uint64_t> number_after(std::string_view head, std::string_view name) {
  const std::string_view word = word_after(head, name);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string text_of(const StoredFile& file) { return head_of(file) + file.content; }

std::optional<StoredFile> stored_file_in(std::string_view text) {
  constexpr std::size_t kLongestHead = 200;
  const std::size_t end = text.substr(0, kLongestHead).find('\n');
  if (end == std::string_view::npos || text.size() - end - 1 > kLargestFile) return std::nullopt;
  const std::string_view head = text.substr(0, end + 1);
  StoredFile file;
  file.fence = parse_fence(word_after(head, " fence "));
  const auto life = number_after(head, " life ");
  const auto session = number_after(head, " session ");
  if (life && session) file.owner = FileOwner{*life, *session};
  // What was not understood is missing from what we would write.
  if (head_of(file) != head) return std::nullopt;
  file.content = text.substr(end + 1);
  return file;
}

std::string key_of_file(std::string_view path) { return std::string{path}.append(kEnd); }

std::optional<std::string> path_of_key(std::string_view key) {
  if (!key.ends_with(kEnd)) return std::nullopt;
  key.remove_suffix(kEnd.size());
  if (!check_file_path(key)) return std::nullopt;
  return std::string{key};
}

}  // namespace hapax
