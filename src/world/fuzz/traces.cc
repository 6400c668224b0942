// Traces from anywhere.
#include "base/testing/fuzz.h"
#include "world/testing/stranger.h"

HAPAX_FUZZ(traces, 2'000) { hapax::play_stranger(input); }
