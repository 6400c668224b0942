// A connection of this process to a daemon, in the clear or under TLS, closed with its owner. One
// thread may read while another writes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <sys/types.h>
#include <utility>

#include "client/tls_session.h"
#include "loop/wakefulness.h"
#include "net/address.h"
#include "session/protocol.h"

namespace hapax::client {

// Whom we take for our daemon, and what we are to it.
struct Trust {
  // Over TCP, a member of the group by its certificate. Null: anybody, in the clear.
  std::shared_ptr<TlsIdentity> tls;
  // Behind a Unix socket, this user besides ourselves and root.
  std::optional<uid_t> server_user;
  // Said in the greeting: that we take no locks, and the version of the session.
  bool asks_only = false;
  std::uint32_t version = session::kVersion;
};

// Throws std::system_error for a daemon that TLS keeps us from.
[[noreturn]] void fail_for(const net::Address& address, const HandshakeTrouble& trouble);

class Socket {
 public:
  // Throws std::system_error, after `patience` at the latest.
  Socket(const net::Address& address, const Trust& trust, std::chrono::milliseconds patience);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // All of it, or false.
  bool write(std::span<const std::uint8_t> bytes) noexcept;
  // How many came; 0 if none did in time; -1 if the other side is gone.
  std::ptrdiff_t read(std::span<std::uint8_t> room, std::chrono::milliseconds patience) noexcept;
  // The same without TLS: what is there now, and until the deadline.
  std::ptrdiff_t read_now(std::span<std::uint8_t> room) noexcept;
  std::ptrdiff_t read_until(std::span<std::uint8_t> room,
                            std::chrono::steady_clock::time_point deadline) noexcept;
  bool has_tls() const { return session_ != nullptr; }
  // What came with the bytes read so far, which is the caller's to close; -1: nothing. The thread
  // that reads.
  int take_descriptor() noexcept { return std::exchange(descriptor_, -1); }
  // Ends a read that waits, in whatever thread.
  void shut_down() noexcept;
  int descriptor() const { return fd_; }
  // What TLS has to say about the end of it, if anything. Any thread.
  std::optional<HandshakeTrouble> trouble() {
    return session_ ? session_->trouble() : std::nullopt;
  }

 private:
  std::ptrdiff_t receive(std::span<std::uint8_t> room) noexcept;

  int fd_ = -1;
  Wakefulness wakefulness_;              // Of the one who reads until a deadline.
  int descriptor_ = -1;                  // That was handed to us.
  std::unique_ptr<TlsSession> session_;  // Null: in the clear.
};

}  // namespace hapax::client
