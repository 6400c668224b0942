// Reads of files at a daemon, or of copies of them that are known to be as good
// (session/file_copies.h).
#pragma once

#include <chrono>
#include <system_error>

#include "client/connection.h"
#include "session/protocol.h"

namespace hapax::client {

// Without asking: false if the daemon has to be asked.
bool read_copy(Connection& at, const session::FileGet& asked, session::Answer& told);
// Asks, and keeps a copy if there is a way to know later whether it is good. As Connection::ask.
std::error_code read_file(Connection& at, const session::FileGet& asked,
                          std::chrono::milliseconds patience, session::Answer& told);

}  // namespace hapax::client
