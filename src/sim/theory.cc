#include "sim/theory.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/check.h"

namespace hapax {
namespace {

double harmonic(std::uint32_t n) {
  double sum = 0;
  for (std::uint32_t i = n; i >= 1; --i) sum += 1.0 / i;
  return sum;
}

// Mean number of hops between two nodes of the heap-shaped tree, drawn independently. An edge lies
// between them exactly when one is in the subtree below it and the other is not.
double mean_tree_distance(std::uint32_t n) {
  std::vector<double> below(n, 1);
  double sum = 0;
  for (std::uint32_t i = n; i-- > 1;) {
    below[(i - 1) / 2] += below[i];
    sum += 2 * below[i] * (n - below[i]);
  }
  return sum / n / n;
}

Theory central(std::uint32_t n) {
  return {.messages = {3, "3"},
          .client_delay = {2, "2T"},
          .sync_delay = n > 2 ? Expected{2, "2T"} : Expected{1, "T: one of two coordinates"},
          .sync_delay_high = {2, "2T"},
          .in_request_order = true,
          .draw = Draw::not_home};
}

Theory token_ring(double n) {
  return {.messages = {1, "1 at saturation"},
          .client_delay = {(n - 1) / 2, "0 … (N-1)T", false},
          .sync_delay = {n / 2, "T … (N-1)T", false},
          .sync_delay_high = {1, "T"},
          .messages_at_saturation = true};
}

// Everybody is asked, and answers at once or on leaving.
Theory by_asking_all(double messages, std::string formula) {
  return {.messages = {messages, std::move(formula)},
          .client_delay = {2, "2T"},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"},
          .in_request_order = true};
}

// Each pair's permission is with the one of the two that asked last: on average half of them are
// missing, and none only for the one who was inside last.
Theory carvalho_roucairol(double n) {
  return {.messages = {n - 1, "0 … 2(N-1), mean N-1", false},
          .client_delay = {2 * (1 - 1 / n), "0 or 2T, mean 2T(1-1/N)", false},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"}};
}

Theory maekawa(const VotingSets& sets) {
  // K-1 is how many others vote; all of K where a process is not in its own set.
  double others = 0;
  for (std::uint32_t i = 0; i < sets.processes(); ++i) {
    others += sets.size(NodeId{i}) - (sets.contains(NodeId{i}, NodeId{i}) ? 1 : 0);
  }
  others /= sets.processes();
  const double hops = has_arbiter(sets) ? 2 : 1;
  return {.messages = {3 * others, "3(K-1)", sets.proof().equal_size && sets.proof().own_member},
          .client_delay = {others > 0 ? 2.0 : 0.0, "2T"},
          .sync_delay = {hops, hops == 2 ? "2T" : "T: no third votes"},
          .sync_delay_high = {hops, hops == 2 ? "T … 2T" : "T", hops == 1, hops == 2}};
}

Theory suzuki_kasami(double n) {
  return {.messages = {n, "N"},
          .client_delay = {2, "2T"},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"},
          .draw = Draw::not_last};
}

// Under high load the token walks round the tree, every edge once in each direction for n entries.
Theory raymond(std::uint32_t n) {
  const double d = mean_tree_distance(n);
  return {.messages = {2 * d, "2d", false},
          .client_delay = {2 * d, "2dT", false},
          .sync_delay = {n > 1 ? d * n / (n - 1) : 0, "dT", false},
          .sync_delay_high = {2.0 * (n - 1) / n, "2T(N-1)/N", false}};
}

Theory naimi_trehel(std::uint32_t n) {
  const double h = harmonic(n - 1);
  return {.messages = {h, "mean H(N-1)", false},
          .client_delay = {h, "mean H(N-1)T", false},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"}};
}

Theory bakery(double n) {
  Theory theory = by_asking_all(6 * (n - 1), "6(N-1)");
  theory.client_delay = {6, "6T"};
  return theory;
}

// Alone, a process asks nobody and waits for nothing.
Theory alone(Theory theory) {
  for (Expected* e :
       {&theory.messages, &theory.client_delay, &theory.sync_delay, &theory.sync_delay_high}) {
    *e = {0, "0 (N=1)"};
  }
  theory.messages_at_saturation = false;
  return theory;
}

Theory of_many(std::string_view algorithm, std::uint32_t n, const VotingSets& sets) {
  if (algorithm == "central") return central(n);
  if (algorithm == "token-ring") return token_ring(n);
  if (algorithm == "lamport") return by_asking_all(3.0 * (n - 1), "3(N-1)");
  if (algorithm == "ricart-agrawala") return by_asking_all(2.0 * (n - 1), "2(N-1)");
  if (algorithm == "readers-writers") return by_asking_all(2.0 * (n - 1), "2(N-1)");
  if (algorithm == "semaphore-ra") return by_asking_all(2.0 * (n - 1), "2(N-1)");
  if (algorithm == "carvalho-roucairol") return carvalho_roucairol(n);
  if (algorithm == "maekawa") return maekawa(sets);
  if (algorithm == "maekawa-basic") {
    Theory theory = maekawa(sets);
    theory.may_deadlock = true;
    return theory;
  }
  if (algorithm == "suzuki-kasami") return suzuki_kasami(n);
  if (algorithm == "raymond") return raymond(n);
  if (algorithm == "naimi-trehel") return naimi_trehel(n);
  HAPAX_CHECK(algorithm == "bakery");
  return bakery(n);
}

}  // namespace

Theory theory_of(std::string_view algorithm, std::uint32_t n, const VotingSets& sets) {
  HAPAX_CHECK(n > 0);
  const Theory theory = of_many(algorithm, n, sets);
  return n == 1 ? alone(theory) : theory;
}

Theory theory_with_uniform_draw(std::string_view algorithm, std::uint32_t n,
                                const VotingSets& sets) {
  Theory theory = theory_of(algorithm, n, sets);
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

std::uint32_t hops_between(const VotingSets& sets, NodeId first, NodeId second) {
  std::uint32_t most = 0;
  for (std::uint32_t s = 0; s < sets.size(first); ++s) {
    const NodeId voter = sets.voter(first, Seat{s});
    if (!sets.contains(second, voter)) continue;
    most = std::max(most, (voter != first ? 1u : 0u) + (voter != second ? 1u : 0u));
  }
  return most;
}

bool has_arbiter(const VotingSets& sets) {
  for (std::uint32_t i = 0; i < sets.processes(); ++i) {
    for (std::uint32_t j = 0; j < sets.processes(); ++j) {
      if (i != j && hops_between(sets, NodeId{i}, NodeId{j}) == 2) return true;
    }
  }
  return false;
}

}  // namespace hapax
