#include "cell_commands/file_words.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "console/exit_status.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

namespace json = boost::json;

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t word = 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      word = word << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += at + i <= bytes.size() ? kDigits[word >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

// Boost writes any bytes, and reads only what is UTF-8.
bool is_text(const std::string& bytes) {
  boost::system::error_code failed;
  json::parse(json::serialize(json::string{bytes}), failed);
  return !failed;
}

}  // namespace

void fail_about_file(const std::system_error& error, const std::string& path) {
  const std::string words = words_of(error);
  const std::string what = words == path ? error.code().message() : words;
  const auto failure = [&](int status) {
    return Failure{status, path.empty() ? what : fmt::format("{}: {}", path, what)};
  };
  if (error.code() == Errc::conflict) {
    throw Failure{kConflict, fmt::format("{}: {} (`hapax file ls` shows which)", path, what)};
  }
  if (error.code() == Errc::stale_fence) throw failure(kConflict);
  // Of a cell: where nobody answers.
  if (error.code() == Errc::unreachable && words != path) throw Failure{kUnavailable, words};
  if (error.code() == Errc::unknown_outcome) {
    throw Failure{kNoLease, fmt::format("{}: {}{}", path, error.code().message(),
                                        words == path ? "" : " (" + words + ")")};
  }
  if (error.code() == Errc::bad_name) throw Failure{kBadUsage, words};
  if (error.code() == Errc::refused) throw failure(kUnavailable);
  fail(error, path);
}

std::string content_from_input() {
  std::string content;
  std::array<char, 65'536> room{};
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, room.data(), room.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Failure{kSystem, "standard input cannot be read"};
    if (count == 0) return content;
    content.append(room.data(), static_cast<std::size_t>(count));
    if (content.size() > File::kLargest) {
      throw Failure{kBadUsage, fmt::format("a file has at most {} bytes", File::kLargest)};
    }
  }
}

void print_content(std::string_view content) {
  std::fwrite(content.data(), 1, content.size(), stdout);
}

json::object json_of(const std::string& path, const FileContent& file) {
  json::object object{
      {"path", path}, {"version", file.version}, {"ephemeral", file.ephemeral}, {"fence", nullptr}};
  if (file.fence) object["fence"] = to_string(*file.fence);
  if (is_text(file.content)) {
    object["content"] = file.content;
  } else {
    object["base64"] = base64(file.content);
  }
  return object;
}

}  // namespace hapax::cli
