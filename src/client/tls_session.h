// TLS as a connection of this process has it. Who speaks over Unix sockets only puts its own
// load_identity() in the place of ours, and starts without OpenSSL (src/programs/hapax.cc).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "handshake/handshake.h"
#include "net/address.h"
#include "tls/tls.h"

namespace hapax::client {

// Of one connection. One thread may read while another writes.
class TlsSession {
 public:
  virtual ~TlsSession() = default;
  // As Socket's.
  virtual bool write(std::span<const std::uint8_t> bytes) noexcept = 0;
  virtual std::ptrdiff_t read(std::span<std::uint8_t> room,
                              std::chrono::milliseconds patience) noexcept = 0;
  virtual std::optional<HandshakeTrouble> trouble() = 0;
};

// Who we are, and whom we believe: what sessions begin with.
class TlsIdentity {
 public:
  virtual ~TlsIdentity() = default;
  // With a member of the group behind `fd`, which outlives the session. Throws std::system_error.
  virtual std::unique_ptr<TlsSession> shake_hands(
      int fd, const net::Address& address, std::chrono::steady_clock::time_point deadline) = 0;
};

// The error names the file.
Result<std::shared_ptr<TlsIdentity>> load_identity(const net::TlsFiles& files);

}  // namespace hapax::client
