// Bytes from record fields and back. Numbers are LEB128 in their shortest form, so every value has
// exactly one encoding and equal encodings mean equal values (the checker relies on that).
//
// Bytes from the network are hostile: decoding never reads past the end, never allocates more than
// the bytes at hand could fill, and refuses what encode() would not have written.
//
// A wire that changes has versions: both ends encode and decode in the one that they have agreed
// on, and fields and alternatives of later ones do not exist in it (Since, kSince). Elsewhere
// everything exists.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/box.h"
#include "base/check.h"
#include "base/id_set.h"
#include "base/record.h"
#include "base/sequence.h"

namespace hapax {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kEveryVersion = std::numeric_limits<std::uint32_t>::max();

// The version in which a record came to be.
template <class T>
constexpr std::uint32_t first_version() {
  if constexpr (requires { T::kSince; }) return T::kSince;
  return 0;
}
// The same for what a variant holds.
template <class... Ts>
constexpr std::uint32_t first_version_of(const std::variant<Ts...>& choice) {
  constexpr std::array<std::uint32_t, sizeof...(Ts)> kFirst{first_version<Ts>()...};
  return kFirst[choice.index()];
}

// Encoder writes to any sink with put(byte): a buffer, or a running hash.
template <class Sink>
class Encoder {
 public:
  explicit Encoder(Sink& sink, std::uint32_t version = kEveryVersion)
      : sink_(sink), version_(version) {}

  template <std::unsigned_integral T>
  void write(T value) {
    std::uint64_t rest = value;
    while (rest >= 0x80) {
      sink_.put(static_cast<std::uint8_t>(rest | 0x80));
      rest >>= 7;
    }
    sink_.put(static_cast<std::uint8_t>(rest));
  }
  void write(bool value) { sink_.put(value ? 1 : 0); }
  template <class E>
  requires std::is_enum_v<E>
  void write(E value) { write(static_cast<std::underlying_type_t<E>>(value)); }
  template <class T>
  void write(const Fixed<T>&) {}
  template <std::uint32_t Version, class T>
  void write(const Since<Version, T>& field) {
    if (version_ >= Version) write(field.value);
  }
  template <class T>
  void write(const Box<T>& box) {
    write(static_cast<bool>(box));
    if (box) write(*box);
  }
  template <class T>
  void write(const std::optional<T>& item) {
    write(item.has_value());
    if (item) write(*item);
  }
  template <class A, class B>
  void write(const std::pair<A, B>& pair) {
    write(pair.first);
    write(pair.second);
  }
  template <Sequence C>
  void write(const C& items) {
    write(std::uint64_t{items.size()});
    for (const auto& item : items) write(item);
  }
  void write(const std::string& text) {
    write(std::uint64_t{text.size()});
    for (const char c : text) sink_.put(static_cast<std::uint8_t>(c));
  }
  // Distance from the previous member: ids in order are small steps.
  template <class Id>
  void write(const IdSet<Id>& set) {
    write(set.size());
    std::uint32_t expected = 0;
    for (const Id id : set) {
      write(static_cast<std::uint32_t>(id) - expected);
      expected = static_cast<std::uint32_t>(id) + 1;
    }
  }
  template <class... Ts>
  void write(const std::variant<Ts...>& choice) {
    if constexpr (((first_version<Ts>() > 0) || ...)) {
      HAPAX_CHECK(first_version_of(choice) <= version_);
    }
    sink_.put(static_cast<std::uint8_t>(choice.index()));
    std::visit([&](const auto& value) { write(value); }, choice);
  }
  template <Record R>
  void write(const R& record) {
    with_fields(record, [&](const auto&... field) { (write(field), ...); });
  }

 private:
  Sink& sink_;
  std::uint32_t version_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes, std::uint32_t version = kEveryVersion)
      : rest_(bytes), version_(version) {}

  bool at_end() const { return rest_.empty(); }
  std::span<const std::uint8_t> rest() const { return rest_; }

  // The next `count` bytes as they are.
  [[nodiscard]] bool read_raw(std::uint64_t count, std::span<const std::uint8_t>& bytes) {
    if (count > rest_.size()) return false;
    bytes = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return true;
  }

  template <std::unsigned_integral T>
  [[nodiscard]] bool read(T& value);
  [[nodiscard]] bool read(bool& value) {
    std::uint8_t byte = 0;
    if (!take(byte) || byte > 1) return false;
    value = byte == 1;
    return true;
  }
  // An enum with a limit says so with is_valid(); ids have none.
  template <class E>
  requires std::is_enum_v<E>
  [[nodiscard]] bool read(E& value);
  template <class T>
  [[nodiscard]] bool read(Fixed<T>&) {
    return true;
  }
  template <std::uint32_t Version, class T>
  [[nodiscard]] bool read(Since<Version, T>& field) {
    return version_ < Version || read(field.value);
  }
  template <class T>
  [[nodiscard]] bool read(Box<T>& box);
  template <class T>
  [[nodiscard]] bool read(std::optional<T>& item) {
    bool there = false;
    if (!read(there)) return false;
    item.reset();
    return !there || read(item.emplace());
  }
  template <class A, class B>
  [[nodiscard]] bool read(std::pair<A, B>& pair) {
    return read(pair.first) && read(pair.second);
  }
  template <Sequence C>
  [[nodiscard]] bool read(C& items);
  // Any bytes; whether they are text is the reader's business.
  [[nodiscard]] bool read(std::string& text) {
    std::uint64_t count = 0;
    std::span<const std::uint8_t> bytes;
    if (!read(count) || !read_raw(count, bytes)) return false;
    text.assign(bytes.begin(), bytes.end());
    return true;
  }
  template <class Id>
  [[nodiscard]] bool read(IdSet<Id>& set);
  template <class... Ts>
  [[nodiscard]] bool read(std::variant<Ts...>& choice) {
    std::uint8_t tag = 0;
    return take(tag) && read_alternative<0>(tag, choice);
  }
  template <Record R>
  [[nodiscard]] bool read(R& record) {
    return with_fields(record, [&](auto&... field) { return (read(field) && ...); });
  }

 private:
  static constexpr std::uint64_t kLargestSet = 1 << 24;

  bool take(std::uint8_t& byte) {
    if (rest_.empty()) return false;
    byte = rest_.front();
    rest_ = rest_.subspan(1);
    return true;
  }
  template <std::size_t I, class... Ts>
  bool read_alternative(std::uint8_t tag, std::variant<Ts...>& choice) {
    if constexpr (I < sizeof...(Ts)) {
      using Choice = std::variant_alternative_t<I, std::variant<Ts...>>;
      if (tag == I)
        return first_version<Choice>() <= version_ && read(choice.template emplace<I>());
      return read_alternative<I + 1>(tag, choice);
    } else {
      return false;
    }
  }

  std::span<const std::uint8_t> rest_;
  std::uint32_t version_;
};

template <std::unsigned_integral T>
inline bool Decoder::read(T& value) {
  std::uint64_t sum = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::uint8_t byte = 0;
    if (!take(byte)) return false;
    const std::uint64_t part = byte & 0x7f;
    if (shift == 63 && part > 1) return false;
    sum |= part << shift;
    if ((byte & 0x80) == 0) {
      const bool padded = byte == 0 && shift > 0;
      if (padded || sum > std::numeric_limits<T>::max()) return false;
      value = static_cast<T>(sum);
      return true;
    }
  }
  return false;
}

template <Sequence C>
inline bool Decoder::read(C& items) {
  std::uint64_t count = 0;
  if (!read(count) || count > rest_.size()) return false;  // An item takes at least one byte.
  items.clear();
  items.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!read(items.emplace_back())) return false;
  }
  return true;
}

template <class Id>
inline bool Decoder::read(IdSet<Id>& set) {
  std::uint32_t count = 0;
  if (!read(count) || count > rest_.size()) return false;
  set = {};
  std::uint64_t expected = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t step = 0;
    if (!read(step)) return false;
    const std::uint64_t id = expected + step;
    if (id >= kLargestSet) return false;  // A few bytes must not make us allocate half a gigabyte.
    set.insert(static_cast<Id>(id));
    expected = id + 1;
  }
  return true;
}

template <class T>
inline bool Decoder::read(Box<T>& box) {
  bool there = false;
  if (!read(there)) return false;
  box.reset();
  if (!there) return true;
  box.fill(T{});
  return read(*box);
}

template <class E>
requires std::is_enum_v<E>
inline bool Decoder::read(E& value) {
  std::underlying_type_t<E> raw{};
  if (!read(raw)) return false;
  value = static_cast<E>(raw);
  if constexpr (requires { is_valid(value); }) return is_valid(value);
  return true;
}

template <class T>
void encode_to(Bytes& bytes, const T& value, std::uint32_t version = kEveryVersion) {
  struct Append {
    Bytes& bytes;
    void put(std::uint8_t byte) { bytes.push_back(byte); }
  } append{bytes};
  Encoder{append, version}.write(value);
}

template <class T>
Bytes encode(const T& value) {
  Bytes bytes;
  encode_to(bytes, value);
  return bytes;
}

// The value that `bytes` encode, all of them; nothing if they are not what encode() writes.
template <class T>
std::optional<T> decode(std::span<const std::uint8_t> bytes) {
  std::optional<T> value{std::in_place};
  Decoder decoder{bytes};
  if (!decoder.read(*value) || !decoder.at_end()) return std::nullopt;
  return value;
}

// FNV-1a over the encoding, finished with splitmix64's mixer. For tables and fingerprints of runs;
// never a state's only identity.
template <class T>
std::uint64_t hash_of(const T& value) {
  struct Fnv {
    std::uint64_t sum = 0xcbf29ce484222325;
    void put(std::uint8_t byte) { sum = (sum ^ byte) * 0x100000001b3; }
  } fnv;
  Encoder{fnv}.write(value);
  std::uint64_t z = fnv.sum;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace hapax
