// What went wrong with input from outside, as a value: a sentence that says what to do next.
#pragma once

#include <boost/system/result.hpp>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace hapax {

struct Error {
  std::string message;
};

template <class T>
using Result = boost::system::result<T, Error>;

template <class... Args>
Error error(fmt::format_string<Args...> format, Args&&... args) {
  return Error{fmt::format(format, std::forward<Args>(args)...)};
}

// Taking the value of a failed Result is our own mistake; Boost asks what to throw then.
[[noreturn]] inline void throw_exception_from_error(const Error& e, const boost::source_location&) {
  throw std::logic_error(e.message);
}

}  // namespace hapax
