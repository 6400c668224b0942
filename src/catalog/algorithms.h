// Every mutual-exclusion algorithm there is, as a list of types. Add one here and it is simulated,
// compared, checked, drawn and served. Heavy to include: only for what has to be compiled for each
// algorithm, as the simulator's inner loop is; everybody else asks catalog/catalog.h.
#pragma once

#include <string_view>

#include "core/mutex_algorithm.h"
#include "core/mutex_choices.h"
#include "core/shared_algorithm.h"
#include "mutex/bakery.h"
#include "mutex/carvalho_roucairol.h"
#include "mutex/central.h"
#include "mutex/lamport.h"
#include "voting/maekawa.h"
#include "voting/maekawa_basic.h"
#include "mutex/naimi_trehel.h"
#include "mutex/raymond.h"
#include "mutex/readers_writers.h"
#include "mutex/ricart_agrawala.h"
#include "mutex/semaphore_ra.h"
#include "mutex/suzuki_kasami.h"
#include "mutex/token_ring.h"
#include "voting/tree_quorum.h"

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
              SuzukiKasami, Raymond, NaimiTrehel, Bakery, TreeQuorum>;

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

}  // namespace hapax
