#include "locks/lock_payload.h"

#include "core/lock_name.h"

namespace hapax {

std::optional<LockPayload> divide_payload(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kBeforeName = 3;
  if (bytes.size() < kBeforeName || bytes.size() > kLargestPayload) return std::nullopt;
  const std::size_t length = bytes[1] | static_cast<std::size_t>(bytes[2]) << 8;
  if (length == 0 || length > kLongestLockName || length > bytes.size() - kBeforeName) {
    return std::nullopt;
  }
  const auto name = bytes.subspan(kBeforeName, length);
  return LockPayload{.tag = static_cast<std::uint8_t>(bytes[0] & ~tags::kWakeBit),
                     .wake = (bytes[0] & tags::kWakeBit) != 0,
                     .name = {reinterpret_cast<const char*>(name.data()), name.size()},
                     .message = bytes.subspan(kBeforeName + length)};
}

void append_header(Bytes& bytes, AlgorithmId algorithm, bool wake, std::string_view name) {
  bytes.push_back(static_cast<std::uint8_t>(number(algorithm) | (wake ? tags::kWakeBit : 0)));
  bytes.push_back(static_cast<std::uint8_t>(name.size() & 0xff));
  bytes.push_back(static_cast<std::uint8_t>(name.size() >> 8));
  bytes.insert(bytes.end(), name.begin(), name.end());
}

}  // namespace hapax
