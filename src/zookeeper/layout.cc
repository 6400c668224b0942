#include "zookeeper/layout.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace hapax::engine::zookeeper {
namespace {

std::optional<Revision> number(std::string_view text) {
  Revision value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void put(std::string& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;) to += static_cast<char>(value >> (8 * i) & 0xff);
}

// Takes from the front of what is left; nothing, if there is not enough.
std::optional<std::uint64_t> take(std::string_view& from, std::size_t bytes) {
  if (from.size() < bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : from.substr(0, bytes)) value = value << 8 | static_cast<unsigned char>(c);
  from.remove_prefix(bytes);
  return value;
}

std::optional<std::string> take_text(std::string_view& from, std::size_t limit) {
  const auto size = take(from, 4);
  if (!size || *size > limit || *size > from.size()) return std::nullopt;
  std::string text{from.substr(0, *size)};
  from.remove_prefix(*size);
  return text;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

std::string Head::text() const { return fmt::format("{} {}", revision, oldest); }

std::optional<Head> Head::parse(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto revision = number(text.substr(0, space));
  const auto oldest = number(text.substr(space + 1));
  if (!revision || !oldest || *oldest == 0 || *oldest > *revision + 1) return std::nullopt;
  return Head{*revision, *oldest};
}

std::string Layout::log(Revision revision) const {
  return fmt::format("{}/{:020}", log(), revision);
}

std::string Layout::escaped(std::string_view key) {
  std::string name;
  for (const char c : key) {
    if (is_plain(c)) {
      name += c;
    } else {
      name += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return name;
}

std::optional<std::string> Layout::unescaped(std::string_view name) {
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      key += name[i];
      continue;
    }
    unsigned int byte = 0;
    const char* digits = name.data() + i + 1;
    if (name.size() - i < 3) return std::nullopt;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
    key += static_cast<char>(byte);
    i += 2;
  }
  if (escaped(key) != name) return std::nullopt;
  return key;
}

std::string encode_record(Version version, std::string_view value) {
  std::string data;
  put(data, version, 8);
  return data.append(value);
}

std::optional<Record> decode_record(std::string key, std::string_view data) {
  const auto version = take(data, 8);
  if (!version || *version == kAbsent || data.size() > kValueBytes) return std::nullopt;
  return Record{std::move(key), std::string{data}, *version};
}

std::string encode_commit(const Commit& commit) {
  std::string data;
  for (const Write& write : commit.writes) {
    put(data, write.key.size(), 4);
    data += write.key;
    put(data, write.value ? 1 : 0, 1);
    if (!write.value) continue;
    put(data, write.value->size(), 4);
    data += *write.value;
  }
  return data;
}

std::optional<Commit> decode_commit(Revision revision, std::string_view data) {
  Commit commit{revision, {}};
  while (!data.empty()) {
    auto key = take_text(data, kKeyBytes);
    const auto has_value = take(data, 1);
    if (!key || !has_value || *has_value > 1) return std::nullopt;
    Write write{std::move(*key), std::nullopt};
    if (*has_value == 1) {
      write.value = take_text(data, kValueBytes);
      if (!write.value) return std::nullopt;
    }
    commit.writes.push_back(std::move(write));
  }
  return commit;
}

}  // namespace hapax::engine::zookeeper
