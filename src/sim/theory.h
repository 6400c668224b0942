// The theory of an algorithm, for the workload that a run draws.
#pragma once

#include <cstdint>

#include "core/mutex_choices.h"
#include "core/mutex_info.h"
#include "core/theory.h"

namespace hapax {

// REQUIRES: the algorithm has one. The choices outlive the Theory.
Theory theory_of(const MutexInfo& algorithm, std::uint32_t n, const MutexChoices& choices);

// The same when anybody may ask, also the coordinator or whoever has the token already, for
// nothing.
Theory theory_with_uniform_draw(const MutexInfo& algorithm, std::uint32_t n,
                                const MutexChoices& choices);

}  // namespace hapax
