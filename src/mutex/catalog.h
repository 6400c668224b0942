// Every mutual-exclusion algorithm there is, as a list of types. Add one here and it is simulated,
// compared, checked and served.
#pragma once

#include <string_view>

#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "mutex/bakery.h"
#include "mutex/carvalho_roucairol.h"
#include "mutex/central.h"
#include "mutex/lamport.h"
#include "mutex/maekawa.h"
#include "mutex/maekawa_basic.h"
#include "mutex/naimi_trehel.h"
#include "mutex/raymond.h"
#include "mutex/readers_writers.h"
#include "mutex/ricart_agrawala.h"
#include "mutex/semaphore_ra.h"
#include "mutex/suzuki_kasami.h"
#include "mutex/token_ring.h"

namespace hapax {

template <MutexAlgorithm... As>
struct MutexList {
  template <class F>
  static void for_each(F&& f) {
    (f.template operator()<As>(), ...);
  }
};

using MutexAlgorithms =
    MutexList<Central, TokenRing, Lamport, RicartAgrawala, CarvalhoRoucairol, MaekawaBasic, Maekawa,
              SuzukiKasami, Raymond, NaimiTrehel, Bakery>;

// Those that let several in at once. They are not compared with the others: they do something else.
using SharedAlgorithms = MutexList<ReadersWriters, SemaphoreRa>;

// Calls f.operator()<A>() for every algorithm that lets in one at a time.
template <class F>
void for_each_mutex(F&& f) {
  MutexAlgorithms::for_each(f);
}

template <class F>
void for_each_shared(F&& f) {
  SharedAlgorithms::for_each(f);
}

// Calls f.operator()<A>() for the algorithm of that name, of either list; false if there is none.
template <class F>
bool with_mutex(std::string_view name, F&& f) {
  bool found = false;
  const auto try_one = [&]<class A>() {
    if (A::kInfo.name != name) return;
    found = true;
    f.template operator()<A>();
  };
  for_each_mutex(try_one);
  for_each_shared(try_one);
  return found;
}

// What a user may choose about algorithms that come in more than one form.
struct MutexChoices {
  const VotingSets* voting_sets = nullptr;  // maekawa, maekawa-basic. Null: the grid.
  bool say_denied = false;                  // central: tell those who have to queue.
  SemaphoreRa::Options semaphore{};         // semaphore-ra.
};

template <MutexAlgorithm A>
typename OptionsOf<A>::Type options_from(const MutexChoices& choices) {
  using Options = typename OptionsOf<A>::Type;
  if constexpr (std::same_as<Options, VotingOptions>) {
    return {.sets = choices.voting_sets};
  } else if constexpr (std::same_as<A, Central>) {
    return {.say_denied = choices.say_denied};
  } else if constexpr (std::same_as<A, SemaphoreRa>) {
    return choices.semaphore;
  } else if constexpr (std::same_as<A, ReadersWriters>) {
    return {};
  } else {
    static_assert(std::same_as<Options, NoOptions>, "an option that nobody can choose");
    return {};
  }
}

}  // namespace hapax
