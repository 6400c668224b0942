// to_text(x): any record, container or number as a person reads it: REQUEST(clock=5), {#1,#3}.
#pragma once

#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/box.h"
#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "base/sequence.h"

namespace hapax {

// Overloads call one another across types, so all are declared before any is defined.
template <class T>
requires std::is_arithmetic_v<T> std::string to_text(T value);
template <class E>
requires std::is_enum_v<E> std::string to_text(E value);
template <class T>
std::string to_text(const Box<T>& box);
template <class Id>
std::string to_text(const IdSet<Id>& set);
template <Sequence C>
std::string to_text(const C& items);
template <class T>
std::string to_text(const std::optional<T>& item);
template <class A, class B>
std::string to_text(const std::pair<A, B>& pair);
template <class... Ts>
std::string to_text(const std::variant<Ts...>& choice);
template <Record R>
std::string to_text(const R& record);

template <class T>
requires std::is_arithmetic_v<T> std::string to_text(T value) { return fmt::format("{}", value); }

// An enum prints by its name_of(), where it has one.
template <class E>
requires std::is_enum_v<E> std::string to_text(E value) {
  if constexpr (requires { name_of(value); }) {
    return std::string{name_of(value)};
  } else if constexpr (fmt::is_formattable<E>::value) {
    return fmt::format("{}", value);
  } else {
    return fmt::format("{}", +static_cast<std::underlying_type_t<E>>(value));
  }
}

template <class T>
std::string to_text(const Box<T>& box) {
  return box ? to_text(*box) : "-";
}

namespace text_detail {
template <class Range>
std::string list(const Range& range, char open, char close) {
  std::string text{open};
  for (const auto& item : range) {
    if (text.size() > 1) text += ',';
    text += to_text(item);
  }
  return text + close;
}
}  // namespace text_detail

template <class Id>
std::string to_text(const IdSet<Id>& set) {
  return text_detail::list(set, '{', '}');
}

template <Sequence C>
std::string to_text(const C& items) {
  return text_detail::list(items, '[', ']');
}

template <class T>
std::string to_text(const std::optional<T>& item) {
  return item ? to_text(*item) : "-";
}

template <class A, class B>
std::string to_text(const std::pair<A, B>& pair) {
  return to_text(pair.first) + ":" + to_text(pair.second);
}

template <class... Ts>
std::string to_text(const std::variant<Ts...>& choice) {
  return std::visit([](const auto& value) { return to_text(value); }, choice);
}

// Messages are spoken of in capitals, as in the lectures: a record Request is shown as REQUEST.
inline std::string shout(std::string_view name) {
  std::string loud;
  for (const char c : name) loud += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return loud;
}

template <class T>
inline constexpr bool kIsFixed = false;
template <class T>
inline constexpr bool kIsFixed<Fixed<T>> = true;

inline void add_field(std::string& text, std::string_view name, std::string_view value) {
  if (!text.empty()) text += ' ';
  text += name;
  text += '=';
  text += value;
}

// The fields of a record, clock=5 phase=idle; without those that never change. Those that `words`
// takes are told by it.
template <Record R, class Words>
std::string fields_text(const R& record, const Words& words) {
  std::string text;
  for_each_field(record, [&]<class T>([[maybe_unused]] std::string_view name, const T& value) {
    if constexpr (std::is_invocable_v<const Words&, const T&>) {
      add_field(text, name, words(value));
    } else if constexpr (!kIsFixed<T>) {
      add_field(text, name, to_text(value));
    }
  });
  return text;
}
template <Record R>
std::string fields_text(const R& record) {
  return fields_text(record, [] {});
}

// A record that is a list prints as one, and one with a short form of its own by that: a stamp is
// (5,#2). In this order, since including fmt's ranges would make a short form of every list.
template <Record R>
std::string to_text(const R& record) {
  if constexpr (requires { record.begin(); })
    return text_detail::list(record, '[', ']');
  else if constexpr (fmt::is_formattable<R>::value)
    return fmt::format("{}", record);
  const std::string inner = fields_text(record);
  const std::string name = shout(R::kRecordName);
  return inner.empty() ? name : fmt::format("{}({})", name, inner);
}

}  // namespace hapax
