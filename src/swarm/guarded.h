// What the locks of a run are for: something behind a gate, that those inside read and write.
#pragma once

#include <string>

#include "core/fence.h"
#include "core/want.h"
#include "swarm/stage.h"

namespace hapax {

// It reads now, and after a while reads again or writes, whatever it has been told meanwhile: it
// may have slept.
void use_what_is_guarded(SwarmStage& stage, const std::string& lock, Fence fence, Want want,
                         Span after);

}  // namespace hapax
