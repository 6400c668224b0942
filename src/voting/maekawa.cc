#include "voting/maekawa.h"

#include "voting/voting_theory.h"

namespace hapax {

Maekawa::Maekawa(const View& view, const Options& options)
    : VotingMutex(view, options, kGridRule) {}

Theory Maekawa::theory(const TheoryInput& input) {
  const VotingRule& rule = VotingRule::in_use(input.choices.voting_sets, kGridRule);
  return theory_of_voting(rule, input.n);
}

}  // namespace hapax
