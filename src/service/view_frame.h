// What members send each other inside and between views: which view it belongs to, and either part
// of a report or a lock's message.
//
//   tag    1 byte    tags::kReport, tags::kInView
//   epoch  8 bytes   little endian
//   rest             a ReportPart as the codec writes it, or a payload of the lock table
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "view/roll.h"
#include "wire/codec.h"
#include "wire/tags.h"

namespace hapax {

// The locks that the sender holds as a view of these members starts, or some of the locks.
struct ReportPart {
  std::vector<Life> members;
  std::vector<std::string> held;
  bool last = true;
  HAPAX_RECORD(ReportPart, members, held, last)
};
inline constexpr std::size_t kReportPartBytes = std::size_t{32} << 10;  // About so many a part.

struct ViewFrame {
  bool is_report = false;
  Epoch epoch{};
  std::span<const std::uint8_t> rest;
};

inline constexpr std::size_t kViewHeader = 9;

inline void append_view_header(Bytes& bytes, std::uint8_t tag, Epoch epoch) {
  bytes.push_back(tag);
  for (int shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(number(epoch) >> shift));
  }
}

inline bool is_view_frame(std::span<const std::uint8_t> bytes) {
  return !bytes.empty() && (bytes[0] == tags::kReport || bytes[0] == tags::kInView);
}

// Whether it is about a lock, rather than about the view.
inline bool is_in_view(std::span<const std::uint8_t> bytes) {
  return !bytes.empty() && bytes[0] == tags::kInView;
}

// Nothing if no member would write it. What it shows lives as long as `bytes`.
inline std::optional<ViewFrame> divide_view_frame(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kViewHeader || !is_view_frame(bytes)) return std::nullopt;
  std::uint64_t epoch = 0;
  for (std::size_t i = 0; i < 8; ++i) epoch |= std::uint64_t{bytes[1 + i]} << (8 * i);
  return ViewFrame{bytes[0] == tags::kReport, Epoch{epoch}, bytes.subspan(kViewHeader)};
}

}  // namespace hapax
