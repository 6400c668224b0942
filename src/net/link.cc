#include "net/link.h"

#include <algorithm>

#include "base/check.h"

namespace hapax::net {
namespace {

// Small messages share a frame up to this size, that of a TLS record: what a connection carried
// before it breaks should count.
constexpr std::size_t kBatch = std::size_t{16} << 10;
constexpr std::size_t kWorthMoving = std::size_t{64} << 10;
constexpr std::uint64_t kAckMessages = 128;
constexpr std::size_t kAckBytes = std::size_t{64} << 10;

// Bytes that the message at the front takes, its length included.
std::size_t front_size(std::span<const std::uint8_t> messages) {
  const std::size_t before = messages.size();
  take_message(messages);
  return before - messages.size();
}

}  // namespace

Link::Link(std::uint64_t own_incarnation, const LinkLimits& limits)
    : own_(own_incarnation), limits_(limits) {
  HAPAX_CHECK(own_incarnation != 0u);
}

bool Link::push(std::span<const std::uint8_t> message) {
  constexpr std::size_t kLongestLength = 10;
  if (message.size() + kDataOverhead > limits_.frame_bytes) return false;
  if (unacknowledged() >= limits_.messages) return false;
  if (unacknowledged_bytes() + message.size() + kLongestLength > limits_.bytes) return false;
  write_message(queue_, message);
  ++pushed_;
  return true;
}

Link::Meeting Link::meet(std::uint64_t incarnation, std::uint64_t seen, std::uint64_t received) {
  const bool is_new = peer_ != 0 && incarnation != peer_;
  // What it has from an earlier process of ours, it does not have from us.
  const std::uint64_t has = seen == own_ ? received : 0;
  const bool possible = is_new ? has == 0 : acked_ <= has && has <= ever_written_;
  if (!possible) return Meeting::impossible;
  const Meeting meeting = is_new       ? Meeting::forgotten
                          : peer_ == 0 ? Meeting::first
                                       : Meeting::again;
  if (is_new) forget();
  peer_ = incarnation;
  drop_through(has);
  written_ = acked_;
  cursor_ = head_;
  announced_ = received_;  // Our Hello said it.
  unannounced_bytes_ = 0;
  return meeting;
}

std::size_t Link::write(Bytes& out, std::size_t budget) {
  const std::size_t start = out.size();
  const std::size_t batch = std::min(kBatch, limits_.frame_bytes - kDataOverhead);
  std::size_t frames = 0;
  while (written_ < pushed_ && (frames == 0 || out.size() - start < budget)) {
    const std::span<const std::uint8_t> rest = std::span{queue_}.subspan(cursor_);
    const std::uint64_t first = written_ + 1;
    std::size_t size = 0;
    do {
      size += front_size(rest.subspan(size));
      ++written_;
    } while (written_ < pushed_ && size + front_size(rest.subspan(size)) <= batch);
    write_frame(out, Data{first, received_}, rest.first(size));
    cursor_ += size;
    ++frames;
    if (first <= ever_written_) resent_ += std::min(written_, ever_written_) - first + 1;
    ever_written_ = std::max(ever_written_, written_);
  }
  if (frames == 0 && is_ack_due()) {
    write_frame(out, Ack{received_});
    ++frames;
  }
  if (frames > 0) {
    announced_ = received_;
    unannounced_bytes_ = 0;
  }
  return frames;
}

void Link::write_ack(Bytes& out) {
  write_frame(out, Ack{received_});
  announced_ = received_;
  unannounced_bytes_ = 0;
}

std::optional<std::uint64_t> Link::receive(const Data& data, std::uint64_t count,
                                           std::size_t bytes) {
  const std::uint64_t expected = received_ + 1;
  if (data.first == 0 || data.first > expected) return std::nullopt;
  if (!receive(Ack{data.ack})) return std::nullopt;
  const std::uint64_t known = std::min(expected - data.first, count);
  received_ += count - known;
  unannounced_bytes_ += bytes;
  return known;
}

// The peer may have more than we wrote in this connection: what came late over the one before.
bool Link::receive(const Ack& ack) {
  if (ack.ack < acked_ || ack.ack > ever_written_) return false;
  drop_through(ack.ack);
  return true;
}

// We assume that peers have the same limits; so that they do not run into theirs while we have
// nothing to say, we leave no more than a quarter of ours unacknowledged.
bool Link::is_ack_due() const {
  const std::uint64_t messages = std::min<std::uint64_t>(kAckMessages, limits_.messages / 4);
  const std::size_t bytes = std::min(kAckBytes, limits_.bytes / 4);
  return received_ != announced_ &&
         (received_ - announced_ >= messages || unannounced_bytes_ >= bytes);
}

void Link::drop_through(std::uint64_t sequence) {
  for (; acked_ < sequence; ++acked_) head_ += front_size(std::span{queue_}.subspan(head_));
  if (written_ < acked_) {
    written_ = acked_;
    cursor_ = head_;
  }
  if (head_ == queue_.size()) {
    queue_.clear();
    head_ = cursor_ = 0;
  } else if (head_ > kWorthMoving && head_ > queue_.size() / 2) {
    // Each byte is moved at most once for every byte that was dropped.
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
    cursor_ -= head_;
    head_ = 0;
  }
}

void Link::forget() {
  acked_ = written_ = ever_written_ = pushed_ = 0;
  received_ = announced_ = 0;
  unannounced_bytes_ = 0;
  queue_.clear();
  head_ = cursor_ = 0;
}

}  // namespace hapax::net
