// Maekawa, "A √N algorithm for mutual exclusion in decentralized systems", ACM TOCS 3(2), 1985,
// made free of deadlock: win every vote of the own voting set, here a row and a column of a grid,
// or any other sets that meet. How votes are won is in voting_mutex.h.
//
// Needs reliable FIFO channels. 3(K-1) messages an entry without conflict, up to 6(K-1) with.
#pragma once

#include "core/mutex_algorithm.h"
#include "core/theory.h"
#include "core/view.h"
#include "voting/voting_mutex.h"
#include "voting/voting_sets.h"

namespace hapax {

class Maekawa : public VotingMutex {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "maekawa",
      .id = AlgorithmId{6},
      .summary = "win the votes of a small set that meets every other; free of deadlock (1985)",
      .kind = "quorum",
      .needs = Channels::fifo,
      .takes = {.voting_sets = true},
      .voting_sets = &VotingSets::named,
      .never_repeats = "voters that do not meet let their clocks run away from one another",
      .theory = &theory};

  explicit Maekawa(const View& view, const Options& options = {});
};

}  // namespace hapax
