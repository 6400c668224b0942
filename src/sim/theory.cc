#include "sim/theory.h"

#include <fmt/format.h>

#include "base/check.h"

namespace hapax {
namespace {

// Alone, a process asks nobody and waits for nothing.
Theory alone(Theory theory) {
  for (Expected* e :
       {&theory.messages, &theory.client_delay, &theory.sync_delay, &theory.sync_delay_high}) {
    *e = {0, "0 (N=1)"};
  }
  theory.messages_at_saturation = false;
  theory.pairs = {};
  return theory;
}

}  // namespace

Theory theory_of(const MutexInfo& algorithm, std::uint32_t n, const MutexChoices& choices) {
  HAPAX_CHECK(n > 0);
  HAPAX_CHECK(algorithm.theory != nullptr);
  if (n == 1) {
    const MutexChoices own;
    return alone(algorithm.theory({2, own}));
  }
  return algorithm.theory({n, choices});
}

Theory theory_with_uniform_draw(const MutexInfo& algorithm, std::uint32_t n,
                                const MutexChoices& choices) {
  Theory theory = theory_of(algorithm, n, choices);
  if (theory.draw == Draw::uniform || n == 1) return theory;
  const double others = 1 - 1.0 / n;
  for (Expected* e : {&theory.messages, &theory.client_delay}) {
    *e = {e->value * others, e->formula == "N" ? "N-1" : fmt::format("{}(N-1)/N", e->formula),
          false};
  }
  // Of n hand-overs in a round two are between the coordinator and somebody, and cost T, not 2T.
  if (theory.draw == Draw::not_home) {
    theory.sync_delay_high = {2 * others, "2T(N-1)/N", false};
    theory.sync_delay = {2 * others, "2T(N-1)/N", false};
  }
  theory.draw = Draw::uniform;
  return theory;
}

}  // namespace hapax
