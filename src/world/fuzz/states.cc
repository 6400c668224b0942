// Traces that begin in the middle of a run, or in a state that no run leads to.
#include "base/testing/fuzz.h"
#include "world/testing/stranger.h"

HAPAX_FUZZ(states, 2'000) { hapax::play_stranger(input); }
