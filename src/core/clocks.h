// The clocks and turns within a value, wherever they lie in it. Algorithms compare them with one
// another, take the larger and count on by one; nothing depends on how large they are. So a state
// in which all are smaller by the same amount has the same future, and a search that goes on for
// ever may count from the lowest. 0 is no clock: it says that there is none, or one before all
// others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/box.h"
#include "base/ids.h"
#include "base/record.h"
#include "base/sequence.h"

namespace hapax {

template <class F>
class ClockVisitor {
 public:
  explicit ClockVisitor(F f) : f_(std::move(f)) {}

  void visit(Clock& clock) { f_(clock); }
  void visit(Turn& turn) { f_(turn); }
  template <class T>
  void visit(Box<T>& box) {
    if (box) visit(*box);
  }
  template <class T>
  void visit(std::optional<T>& item) {
    if (item) visit(*item);
  }
  template <class A, class B>
  void visit(std::pair<A, B>& pair) {
    visit(pair.first);
    visit(pair.second);
  }
  template <Sequence C>
  void visit(C& items) {
    for (auto& item : items) visit(item);
  }
  template <class... Ts>
  void visit(std::variant<Ts...>& choice) {
    std::visit([&](auto& value) { visit(value); }, choice);
  }
  template <Record R>
  void visit(R& record) {
    with_fields(record, [&](auto&... field) { (visit(field), ...); });
  }
  template <class T>
  void visit(T&) {}  // Has none.

 private:
  F f_;
};

inline constexpr std::uint64_t kNoClock = std::numeric_limits<std::uint64_t>::max();

template <class T>
std::uint64_t lowest_clock(T value) {
  std::uint64_t lowest = kNoClock;
  ClockVisitor visitor{[&](auto& clock) {
    if (number(clock) != 0) lowest = std::min(lowest, number(clock));
  }};
  visitor.visit(value);
  return lowest;
}

// REQUIRES: by < lowest_clock(value).
template <class T>
T with_clocks_lowered(T value, std::uint64_t by) {
  ClockVisitor visitor{[&]<class Id>(Id& clock) {
    if (number(clock) != 0) clock = Id{number(clock) - by};
  }};
  visitor.visit(value);
  return value;
}

}  // namespace hapax
