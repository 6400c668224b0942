// One list of fields per record. HAPAX_RECORD(Reply, clock) inside a struct or class names the
// record and lists its fields once; codec, hash, equality and printing are all driven by that list.
//
// The list is a structured binding, so a forgotten or made-up field does not compile.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#define HAPAX_RECORD(Name, ...)                                                                   \
  static constexpr std::string_view kRecordName = #Name;                                          \
  static constexpr std::string_view kFieldNames = #__VA_ARGS__;                                   \
  template <class Record_>                                                                        \
  static constexpr auto fields_of([[maybe_unused]] Record_& record_) {                            \
    static_assert(                                                                                \
        !std::string_view(#__VA_ARGS__).empty() || std::is_empty_v<std::remove_const_t<Record_>>, \
        #Name " has fields that its record does not list");                                       \
    __VA_OPT__(auto& [__VA_ARGS__] = record_;)                                                    \
    return std::tie(__VA_ARGS__);                                                                 \
  }

namespace hapax {

template <class T>
concept Record = requires(const T& record) {
  { T::kRecordName } -> std::convertible_to<std::string_view>;
  T::fields_of(record);
};

template <Record R>
constexpr auto fields(R& record) {
  return std::remove_const_t<R>::fields_of(record);
}

template <Record R>
constexpr bool operator==(const R& a, const R& b) {
  return fields(a) == fields(b);
}

// Part of a record that stays as it was made for a whole view: who I am, how many we are, shared
// tables. It tells nodes apart but says nothing about what happened, so codec and hash leave it
// out.
template <class T>
struct Fixed {
  T value{};

  constexpr operator const T&() const { return value; }  // NOLINT(google-explicit-constructor)
  constexpr const T& operator->() const { return value; }
  friend constexpr bool operator==(const Fixed&, const Fixed&) = default;
};

// Calls f(name, field) for every field, in the order of the list.
template <Record R, class F>
constexpr void for_each_field(R& record, F&& f) {
  std::string_view names = std::remove_const_t<R>::kFieldNames;
  std::apply(
      [&](auto&... field) {
        [[maybe_unused]] const auto one = [&](auto& value) {
          const std::size_t comma = names.find(',');
          std::string_view name = names.substr(0, comma);
          names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
          while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
          while (!name.empty() && name.back() == '_') name.remove_suffix(1);
          f(name, value);
        };
        (one(field), ...);
      },
      fields(record));
}

}  // namespace hapax
