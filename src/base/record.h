// One list of fields per record. HAPAX_RECORD(Reply, clock) inside a struct or class names the
// record and lists its fields once; codec, hash, equality and printing are all driven by that list.
//
// The list is a structured binding, so a forgotten or made-up field does not compile.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#define HAPAX_RECORD(Name, ...)                                                                    \
  static constexpr std::string_view kRecordName = #Name;                                           \
  static constexpr std::string_view kFieldNames = #__VA_ARGS__;                                    \
  template <class Record_, class Use_>                                                             \
  static constexpr decltype(auto) with_fields_of([[maybe_unused]] Record_& record_, Use_&& use_) { \
    static_assert(                                                                                 \
        !std::string_view(#__VA_ARGS__).empty() || std::is_empty_v<std::remove_const_t<Record_>>,  \
        #Name " has fields that its record does not list");                                        \
    __VA_OPT__(auto& [__VA_ARGS__] = record_;)                                                     \
    return use_(__VA_ARGS__);                                                                      \
  }

namespace hapax {

template <class T>
concept Record = requires {
  { T::kRecordName } -> std::convertible_to<std::string_view>;
};

// use(field, …) with all fields, in the order of the list. Nothing but this call: no tuple, as the
// compiler has to do it again for each record and each use.
template <Record R, class Use>
constexpr decltype(auto) with_fields(R& record, Use&& use) {
  return R::with_fields_of(record, use);
}

template <Record R>
constexpr auto fields(R& record) {
  return with_fields(record, [](auto&... field) { return std::tie(field...); });
}

template <Record R>
constexpr bool operator==(const R& a, const R& b) {
  return with_fields(a, [&](const auto&... left) {
    return with_fields(b, [&](const auto&... right) { return ((left == right) && ...); });
  });
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

// A field that a record has since that version of its wire. Nobody of an earlier one writes it or
// reads it: there it is T{}. A whole alternative of a variant says so with `kSince`.
template <std::uint32_t Version, class T>
struct Since {
  T value{};

  Since() = default;
  Since(T now) : value(std::move(now)) {}      // NOLINT(google-explicit-constructor)
  operator const T&() const { return value; }  // NOLINT(google-explicit-constructor)
  const T* operator->() const { return &value; }
  friend bool operator==(const Since&, const Since&) = default;
};

// The first of the names, without what is only spelling, taken off them.
constexpr std::string_view next_field_name(std::string_view& names) {
  const std::size_t comma = names.find(',');
  std::string_view name = names.substr(0, comma);
  names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == '_') name.remove_suffix(1);
  return name;
}

// Calls f(name, field) for every field, in the order of the list.
template <Record R, class F>
constexpr void for_each_field(R& record, F&& f) {
  [[maybe_unused]] std::string_view names = R::kFieldNames;
  with_fields(record, [&](auto&... field) { (f(next_field_name(names), field), ...); });
}

}  // namespace hapax
