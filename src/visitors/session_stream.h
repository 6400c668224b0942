// The connection of a client, in the clear or under TLS: asks in, answers out. All on the thread of
// the loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "loop/timer.h"
#include "session/protocol.h"
#include "streams/stream.h"
#include "tls/tls.h"
#include "wire/codec.h"

namespace hapax {

class SessionStream : public Loop::Gatherer, public std::enable_shared_from_this<SessionStream> {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMostUnread = std::size_t{8} << 20;  // Bytes it may leave unread.
  // How long one client may be served at a go, while others wait.
  static constexpr std::chrono::milliseconds kTurn{10};
  static constexpr std::chrono::seconds kFarewell{1};  // For what is still to be told to it.
  static constexpr std::chrono::seconds kGreeting{5};  // How long it may take to introduce itself.

  // `tls`: only somebody with a client's certificate may speak. May be null.
  SessionStream(net::Socket socket, std::shared_ptr<net::TlsContext> tls);
  ~SessionStream() override;

  void start();
  // Queues the answer; everything of one turn leaves in one write.
  void tell(const session::Answer& answer);
  // Nothing is read any more; what is queued is still written if `kindly`.
  void close(bool kindly);

  bool is_behind_tcp() const { return !is_unix_; }
  bool has_introduced_itself() const { return has_introduced_itself_; }
  std::uint32_t version() const { return version_; }
  Clock::duration silent_for() const { return Clock::now() - last_heard_; }

 protected:
  // A Hello comes first, and once.
  virtual void on_ask(session::Ask&& ask) = 0;
  virtual void on_end() = 0;
  // TLS, or its certificate, keeps it out: why, for people.
  virtual void on_refused(const std::string& why) = 0;

  // What is told now leaves at once: it reads what it is told.
  bool reads_along();
  // Goes out with what is queued now, if it can. REQUIRES: it is queued, reads_along(), and the
  // socket is a Unix socket; once.
  void hand_over(int descriptor) { descriptor_ = descriptor; }
  int socket() const { return stream_.fd(); }
  const std::string& certified() const { return certified_; }
  bool was_hung_up_on() const { return was_hung_up_on_; }

 private:
  void shook_hands(const boost::system::error_code& failed);
  void read();
  void serve();
  // False if it says what no client does.
  bool take_frames();
  void on_end_of_turn() override;
  void flush();
  // What is on its way, from that byte on.
  void write_from(std::size_t first);
  void write_with_descriptor();
  void hang_up();
  void end();

  std::shared_ptr<net::TlsContext> tls_;
  net::Stream stream_;
  Timer patience_;
  Bytes incoming_;
  std::size_t filled_ = 0;
  Bytes outgoing_;             // Queued …
  Bytes writing_;              // … and on its way.
  int descriptor_ = -1;        // Goes with the first of these.
  bool is_flush_due_ = false;  // At the end of the turn.
  bool has_more_ = false;      // Frames that have come, for the next turn.
  bool overflown_ = false;     // It does not read its answers, and will be hung up on.
  bool has_introduced_itself_ = false;
  std::uint32_t version_ = session::kOldestVersion;  // Of the session; its Hello says it.
  bool is_unix_ = false;
  bool was_hung_up_on_ = false;  // By us.
  bool closing_ = false;
  bool ended_ = false;
  Clock::time_point last_heard_ = Clock::now();
  std::string certified_;  // Its name, if its certificate says one.
};

}  // namespace hapax
