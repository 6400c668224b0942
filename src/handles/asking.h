// What every call about a lock begins and ends with: a name that a lock can have, a deadline, and
// an error code in place of exceptions.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>

#include "core/lock_name.h"
#include "hapax/error.h"

namespace hapax::detail {

// Throws std::system_error if no lock can have that name.
inline std::string_view checked_name(std::string_view name) {
  if (!check_lock_name(name)) {
    throw std::system_error{make_error_code(Errc::bad_name), std::string{name.substr(0, 40)}};
  }
  return name;
}

// For waits without end: far enough away for anybody, near enough for every clock to
// reach.
inline std::chrono::steady_clock::time_point never() {
  return std::chrono::steady_clock::now() + std::chrono::hours{24 * 365 * 10};
}

// What `call` returns, or the code of what it throws.
template <class Call>
std::error_code without_throwing(Call&& call) noexcept {
  try {
    return call();
  } catch (const std::system_error& e) {
    return e.code();
  } catch (...) {
    return std::make_error_code(std::errc::not_enough_memory);
  }
}

// Whether it was granted: false only because somebody else has it. Throws std::system_error for
// whatever else went wrong; `why` says more about it.
inline bool is_granted(std::error_code error, const std::string& why) {
  if (error && error != Errc::timed_out) throw std::system_error{error, why};
  return !error;
}

}  // namespace hapax::detail
