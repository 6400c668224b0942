// Frames over one stream. Reads into one reused buffer; writes what has gathered in out() with one
// write at a time. Knows nothing of members or links: its owner does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/seat.h"
#include "net/frame.h"
#include "net/stats.h"
#include "streams/stream.h"
#include "tls/tls.h"

namespace hapax::net {

class Connection;

class ConnectionOwner {
 public:
  virtual void on_open(Connection& connection) = 0;  // Greetings may begin.
  virtual void on_frame(Connection& connection, std::span<const std::uint8_t> body) = 0;
  virtual void on_written(Connection& connection) = 0;  // There is room for more.
  // Not after close(). `fault` if the other side did what no member does.
  virtual void on_lost(Connection& connection, std::optional<Drop> fault, std::string_view why) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Side = Stream::Side;

  // `tls` may be null; shared because operations under way outlive their owner.
  Connection(Socket socket, std::shared_ptr<TlsContext> tls, Side side, ConnectionOwner& owner,
             Stats& stats);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();

  // Frames for the next flush().
  Bytes& out() { return out_; }
  // Writes what has gathered, unless a write is under way; on_written() then calls again. In the
  // clear most writes are over at once. Never calls the owner back from here.
  void flush();
  bool is_writing() const { return is_writing_; }

  // Reads nothing beyond what is under way, until told otherwise.
  void hold(bool on);

  // Ends at once; the owner hears nothing any more.
  void close();
  // Writes what has gathered, then ends; bytes that still come in are thrown away. All that the
  // owner still hears is gone(), once; close() when it takes too long.
  void finish(std::function<void()> gone);
  bool is_closed() const { return state_ == State::closed; }

  // Both know each other: larger frames may come.
  void allow(std::size_t largest_frame) { reader_.allow(largest_frame); }

  // The member at the other end, once its owner knows.
  std::optional<Seat> peer() const { return peer_; }
  void belongs_to(Seat peer) { peer_ = peer; }

  Side side() const { return side_; }
  SSL* session() { return stream_.session(); }
  // Whose process is at the other end of a Unix socket; nothing of any other.
  std::optional<uid_t> user();
  const std::string& remote() const { return remote_; }

  // Whether anything came in, or went out, since the last time this was asked.
  bool has_heard() { return std::exchange(heard_, false); }
  bool has_spoken() { return std::exchange(spoken_, false); }

 private:
  enum class State { opening, open, finishing, closed };

  void read();
  void read_done(const boost::system::error_code& failed, std::size_t count);
  void write_done(const boost::system::error_code& failed, std::size_t count);
  void take_frames();
  std::string words_of(const boost::system::error_code& failed);
  void lose(std::optional<Drop> fault, std::string_view why);

  std::shared_ptr<TlsContext> tls_;
  Stream stream_;
  Side side_;
  ConnectionOwner* owner_;  // Invariant: null from close() or finish() on …
  Stats* stats_;            // … and so is this.
  std::string remote_;
  std::optional<Seat> peer_;
  State state_ = State::opening;
  FrameReader reader_{kLargestGreeting};
  Bytes out_;
  Bytes writing_;  // Invariant: unchanged while is_writing_.
  bool is_writing_ = false;
  bool is_reading_ = false;
  bool is_held_ = false;
  std::function<void()> gone_;
  bool heard_ = true;
  bool spoken_ = true;
};

}  // namespace hapax::net
