// A request of a connection that has no answer yet.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "client/connection.h"
#include "session/protocol.h"

namespace hapax::client {

struct Connection::Pending {
  std::condition_variable_any answered;
  std::optional<session::Answer> answer;
  std::stop_token lost{};  // Of what it was granted.
  std::uint64_t request = 0;
  Later* later = nullptr;   // Nobody waits: the reader tells it.
  bool is_reading = false;  // Who waits reads meanwhile, and need not be woken.
};

}  // namespace hapax::client
