// One member's end of a reliable FIFO channel to a peer, across as many connections as it takes.
//
// Each pair of incarnations numbers its messages from 1 in either direction, acknowledges
// cumulatively and keeps what is unacknowledged. A new connection begins with both saying what they
// have; then exactly what is missing is sent again, and what comes twice is dropped. A peer that
// comes back as a new incarnation knows nothing: the link forgets too, and says so.
//
// Pure: no sockets, no clock. What a peer gets wrong is a value; the connection then ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "net/frame.h"
#include "wire/codec.h"

namespace hapax::net {

struct LinkLimits {
  std::size_t frame_bytes = std::size_t{1} << 20;
  std::size_t bytes = std::size_t{16} << 20;  // Unacknowledged, with the length before each.
  std::size_t messages = std::size_t{1} << 18;
};

class Link {
 public:
  // REQUIRES: incarnation != 0.
  Link(std::uint64_t own_incarnation, const LinkLimits& limits);

  // Queues a message; false if it would go beyond the limits, and then nothing has changed.
  [[nodiscard]] bool push(std::span<const std::uint8_t> message);

  // What a Hello to the peer says.
  std::uint64_t seen() const { return peer_; }
  std::uint64_t received() const { return received_; }

  // A connection begins: the peer says who it is and what it has of us. `again` and `first` go on
  // with what is queued; `forgotten` has dropped it, `impossible` has changed nothing.
  enum class Meeting { first, again, forgotten, impossible };
  Meeting meet(std::uint64_t incarnation, std::uint64_t seen, std::uint64_t received);

  // Appends frames with what has not been written in this connection, up to about `budget` bytes
  // (at least one message if there is one), or the acknowledgement if one is due and nothing else
  // carries it. Returns the number of frames.
  std::size_t write(Bytes& out, std::size_t budget);
  void write_ack(Bytes& out);
  bool wants_to_write() const { return written_ < pushed_ || is_ack_due(); }

  // How many of the messages of `frame` have come before, and are to be skipped; nothing if the
  // frame is impossible: it leaves a gap, or acknowledges what was never sent.
  std::optional<std::uint64_t> receive(const Data& data, std::uint64_t count, std::size_t bytes);
  [[nodiscard]] bool receive(const Ack& ack);

  std::uint64_t unacknowledged() const { return pushed_ - acked_; }
  std::size_t unacknowledged_bytes() const { return queue_.size() - head_; }
  std::uint64_t resent() const { return resent_; }

 private:
  bool is_ack_due() const;
  void drop_through(std::uint64_t sequence);
  void forget();

  std::uint64_t own_;
  LinkLimits limits_;
  std::uint64_t peer_ = 0;  // The incarnation at the other end; 0: never met.

  // Invariant: acked_ <= written_ <= ever_written_ <= pushed_.
  std::uint64_t acked_ = 0;
  std::uint64_t written_ = 0;       // In this connection.
  std::uint64_t ever_written_ = 0;  // In any.
  std::uint64_t pushed_ = 0;
  std::uint64_t resent_ = 0;
  // The messages acked_+1 … pushed_ as they stand in a Data, from head_ on; cursor_ is where
  // written_+1 begins. Invariant: head_ <= cursor_ <= queue_.size().
  Bytes queue_;
  std::size_t head_ = 0;
  std::size_t cursor_ = 0;

  std::uint64_t received_ = 0;
  std::uint64_t announced_ = 0;        // The last acknowledgement that we wrote.
  std::size_t unannounced_bytes_ = 0;  // Received since.
};

}  // namespace hapax::net
