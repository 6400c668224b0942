// An instance of any algorithm in one place of memory, and what a driver needs to run it without
// knowing which it is.
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <variant>

#include "base/check.h"
#include "base/ids.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "locks/algorithm_id.h"
#include "mutex/algorithms.h"

namespace hapax {

namespace any_mutex_detail {
template <class List>
struct Sum;
template <class... As>
struct Sum<MutexList<As...>> {
  using Mutex = std::variant<std::monostate, As...>;
  using EffectsOfAll = std::tuple<Effects<typename As::Message>...>;
  static_assert(sizeof...(As) == kMutexAlgorithms);
};
}  // namespace any_mutex_detail

// Empty, or one of the catalog. No heap but for what the algorithm itself keeps there.
using AnyMutex = any_mutex_detail::Sum<MutexAlgorithms>::Mutex;
// One buffer for each algorithm's messages.
using AnyEffects = any_mutex_detail::Sum<MutexAlgorithms>::EffectsOfAll;

static_assert(sizeof(AnyMutex) <= 72);

// REQUIRES: not empty.
inline AlgorithmId algorithm_of(const AnyMutex& mutex) {
  HAPAX_CHECK(mutex.index() != 0);
  return AlgorithmId{static_cast<std::uint8_t>(mutex.index() - 1)};
}

// Calls f.operator()<A>() for the algorithm of that number, if it lets in one at a time.
template <class F>
void with_algorithm(AlgorithmId id, F&& f) {
  std::uint8_t at = 0;
  for_each_mutex([&]<class A>() {
    if (at++ == number(id)) f.template operator()<A>();
  });
}

// Calls f(algorithm). REQUIRES: not empty.
template <class Mutex, class F>
void with_mutex_in(Mutex& mutex, F&& f) {
  std::visit(
      [&]<class A>(A& a) {
        if constexpr (std::same_as<std::remove_const_t<A>, std::monostate>) {
          HAPAX_CHECK(mutex.index() != 0);
        } else {
          f(a);
        }
      },
      mutex);
}

template <class A>
Effects<typename A::Message>& effects_for(AnyEffects& all) {
  return std::get<Effects<typename A::Message>>(all);
}

// Whether `a` is A{view} but for its counter.
template <MutexAlgorithm A>
bool is_like_new(const A& a, const View& view) {
  if (a.phase() != Phase::idle) return false;
  A fresh{view};
  raise_counter(fresh, counter_of(a));
  return fresh == a;
}

}  // namespace hapax
