// Every election algorithm: a new one is added here and nowhere else.
#pragma once

#include <string_view>
#include <tuple>

#include "core/election_algorithm.h"
#include "election/bully.h"
#include "election/chang_roberts.h"
#include "election/ring_election.h"

namespace hapax {

using ElectionAlgorithms = std::tuple<Bully, RingElection, ChangRoberts>;

namespace election_catalog_detail {
template <class Tuple>
struct Each;
template <ElectionAlgorithm... As>
struct Each<std::tuple<As...>> {
  template <class F>
  static void call(F&& f) {
    (f.template operator()<As>(), ...);
  }
  template <class F>
  static bool call_named(std::string_view name, F&& f) {
    return ((As::kInfo.name == name && (f.template operator()<As>(), true)) || ...);
  }
};
}  // namespace election_catalog_detail

// for_each_election([]<class A>() { … });
template <class F>
void for_each_election(F&& f) {
  election_catalog_detail::Each<ElectionAlgorithms>::call(f);
}

// Calls f for the algorithm of that name. False if there is none.
template <class F>
bool with_election(std::string_view name, F&& f) {
  return election_catalog_detail::Each<ElectionAlgorithms>::call_named(name, f);
}

}  // namespace hapax
