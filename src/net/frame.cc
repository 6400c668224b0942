#include "net/frame.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace hapax::net {
namespace {

// How many messages there are, one after the other and nothing else.
std::optional<std::uint64_t> count_messages(std::span<const std::uint8_t> messages) {
  Decoder decoder{messages};
  std::uint64_t count = 0;
  while (!decoder.at_end()) {
    std::uint64_t length = 0;
    std::span<const std::uint8_t> message;
    if (!decoder.read(length) || !decoder.read_raw(length, message)) return std::nullopt;
    ++count;
  }
  return count;
}

bool makes_sense(const Content& content) {
  if (const auto* bye = std::get_if<Bye>(&content)) return bye->text.size() <= kLongestBye;
  if (const auto* yes = std::get_if<Confirm>(&content)) {
    return yes->release.value.size() <= kLongestRelease;
  }
  const auto* hello = std::get_if<Hello>(&content);
  return hello == nullptr || (!hello->group.empty() && hello->group.size() <= kLongestGroup &&
                              hello->settings.size() <= kLongestSettings &&
                              hello->release.value.size() <= kLongestRelease &&
                              hello->incarnation != 0 && hello->nonce != 0);
}

}  // namespace

std::optional<Frame> decode_frame(std::span<const std::uint8_t> body, std::uint32_t version) {
  Decoder decoder{body, version};
  std::optional<Frame> frame{std::in_place};
  if (!decoder.read(frame->content) || !makes_sense(frame->content)) return std::nullopt;
  if (!std::holds_alternative<Data>(frame->content)) {
    if (!decoder.at_end()) return std::nullopt;
    return frame;
  }
  const std::optional<std::uint64_t> count = count_messages(decoder.rest());
  if (!count || *count == 0) return std::nullopt;
  frame->messages = decoder.rest();
  frame->count = *count;
  return frame;
}

std::span<const std::uint8_t> take_message(std::span<const std::uint8_t>& messages) {
  Decoder decoder{messages};
  std::uint64_t length = 0;
  std::span<const std::uint8_t> message;
  const bool whole = decoder.read(length) && decoder.read_raw(length, message);
  HAPAX_CHECK(whole);
  messages = decoder.rest();
  return message;
}

void write_frame(Bytes& out, const Content& content, std::span<const std::uint8_t> messages,
                 std::uint32_t version) {
  const std::size_t start = out.size();
  out.resize(start + kLengthBytes);
  encode_to(out, content, version);
  out.insert(out.end(), messages.begin(), messages.end());
  const std::size_t length = out.size() - start - kLengthBytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    out[start + i] = static_cast<std::uint8_t>(length >> (8 * i));
  }
}

void write_message(Bytes& out, std::span<const std::uint8_t> message) {
  encode_to(out, std::uint64_t{message.size()});
  out.insert(out.end(), message.begin(), message.end());
}

FrameReader::FrameReader(std::size_t largest_frame) : largest_(largest_frame) {
  buffer_.resize(std::min(largest_, kRoom) + kLengthBytes);
}

void FrameReader::allow(std::size_t largest_frame) {
  HAPAX_CHECK(largest_frame >= largest_);
  largest_ = largest_frame;
  buffer_.resize(std::max(buffer_.size(), std::min(largest_, kRoom) + kLengthBytes));
}

std::span<std::uint8_t> FrameReader::room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (buffer_.size() - end_ < buffer_.size() / 2) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    buffer_.resize(std::min(buffer_.size() * 2, largest_ + kLengthBytes));
  }
  HAPAX_CHECK(end_ < buffer_.size());
  return std::span{buffer_}.subspan(end_);
}

void FrameReader::commit(std::size_t count) {
  HAPAX_CHECK(count <= buffer_.size() - end_);
  end_ += count;
}

FrameReader::Found FrameReader::next(std::span<const std::uint8_t>& body) {
  const std::span<const std::uint8_t> there = std::span{buffer_}.subspan(begin_, end_ - begin_);
  if (there.size() < kLengthBytes) return Found::more;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) length |= std::size_t{there[i]} << (8 * i);
  if (length > largest_) return Found::oversized;
  if (length == 0) return Found::empty;
  if (there.size() - kLengthBytes < length) return Found::more;
  body = there.subspan(kLengthBytes, length);
  begin_ += kLengthBytes + length;
  return Found::frame;
}

}  // namespace hapax::net
