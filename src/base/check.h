// HAPAX_CHECK(a == b): our own invariants, kept in release builds too. A broken one is a bug of
// ours, so it aborts and prints the expression with the values of both sides. What a peer or a user
// got wrong is never checked this way; it is a value (Reject, Result).
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace hapax {

[[noreturn]] void check_failed(std::string_view expression, std::string_view operands,
                               const char* file, int line);

namespace check_detail {

template <class T>
std::string show(const T& value) {
  if constexpr (requires { name_of(value); }) {
    return std::string{name_of(value)};
  } else if constexpr (fmt::is_formattable<T>::value) {
    return fmt::format("{}", value);
  } else if constexpr (std::is_enum_v<T>) {
    return fmt::format("{}", +static_cast<std::underlying_type_t<T>>(value));
  } else {
    return "…";
  }
}

struct Outcome {
  std::string operands;
};

// `Capture{} << a == b` binds as `(Capture{} << a) == b`, which is how both sides are seen.
template <class L>
struct Left {
  const L& left;

  template <class R>
  Outcome both(std::string_view op, const R& right) const {
    return {fmt::format("{} {} {}", show(left), op, show(right))};
  }
  template <class R>
  Outcome operator==(const R& right) const {
    return both("==", right);
  }
  template <class R>
  Outcome operator!=(const R& right) const {
    return both("!=", right);
  }
  template <class R>
  Outcome operator<(const R& right) const {
    return both("<", right);
  }
  template <class R>
  Outcome operator<=(const R& right) const {
    return both("<=", right);
  }
  template <class R>
  Outcome operator>(const R& right) const {
    return both(">", right);
  }
  template <class R>
  Outcome operator>=(const R& right) const {
    return both(">=", right);
  }
  operator Outcome() const { return {show(left)}; }  // NOLINT(google-explicit-constructor)
};

struct Capture {
  template <class L>
  Left<L> operator<<(const L& left) const {
    return {left};
  }
};

}  // namespace check_detail
}  // namespace hapax

// The condition is evaluated again for its operands only when it has failed: a check that holds
// costs a comparison.
#define HAPAX_CHECK(...)                                                               \
  do {                                                                                 \
    if (!(__VA_ARGS__)) [[unlikely]] {                                                 \
      const ::hapax::check_detail::Outcome outcome_ = ::hapax::check_detail::Capture{} \
                                                      << __VA_ARGS__;                  \
      ::hapax::check_failed(#__VA_ARGS__, outcome_.operands, __FILE__, __LINE__);      \
    }                                                                                  \
  } while (false)
