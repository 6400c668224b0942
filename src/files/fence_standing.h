// Whether a fence is still that of the present holder, by what members say who holds the lock.
// Pure.
#pragma once

#include <string_view>

#include "core/fence.h"
#include "session/protocol.h"

namespace hapax {

// `told`: by all members who answered; the others are silent, and so is whoever cannot know now.
// The request is left to whoever asked.
session::FenceTold standing_of(Fence fence, std::string_view name, const session::Locks& told);

}  // namespace hapax
