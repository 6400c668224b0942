// Every mutual-exclusion algorithm there is, as a list of types. Add one here and it is simulated,
// compared, checked and served.
#pragma once

#include <string_view>

#include "core/mutex_algorithm.h"
#include "mutex/bakery.h"
#include "mutex/carvalho_roucairol.h"
#include "mutex/central.h"
#include "mutex/lamport.h"
#include "mutex/maekawa.h"
#include "mutex/maekawa_basic.h"
#include "mutex/naimi_trehel.h"
#include "mutex/raymond.h"
#include "mutex/ricart_agrawala.h"
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

// Calls f.operator()<A>() for every algorithm.
template <class F>
void for_each_mutex(F&& f) {
  MutexAlgorithms::for_each(f);
}

// Calls f.operator()<A>() for the algorithm of that name; false if there is none.
template <class F>
bool with_mutex(std::string_view name, F&& f) {
  bool found = false;
  for_each_mutex([&]<class A>() {
    if (A::kInfo.name != name) return;
    found = true;
    f.template operator()<A>();
  });
  return found;
}

// What a user may choose about algorithms that come in more than one form.
struct MutexChoices {
  const VotingSets* voting_sets = nullptr;  // maekawa, maekawa-basic. Null: the grid.
  bool say_denied = false;                  // central: tell those who have to queue.
};

template <MutexAlgorithm A>
typename OptionsOf<A>::Type options_from(const MutexChoices& choices) {
  using Options = typename OptionsOf<A>::Type;
  if constexpr (std::same_as<Options, VotingOptions>) {
    return {.sets = choices.voting_sets};
  } else if constexpr (std::same_as<A, Central>) {
    return {.say_denied = choices.say_denied};
  } else {
    static_assert(std::same_as<Options, NoOptions>, "an option that nobody can choose");
    return {};
  }
}

}  // namespace hapax
