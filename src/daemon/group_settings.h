// What all members of a group have in common, for those who ask a daemon about it or for others.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "membership/engine_group.h"
#include "membership/group.h"
#include "session/protocol.h"

namespace hapax {

// `engine_group`: the same, if it is on an engine.
std::string settings_json(const Group& group, const EngineGroup* engine_group);
void set_settings(EngineGroup* group, const session::SetSettings& asked, std::string by,
                  std::function<void(Result<std::string>)> done);

void back_up(EngineGroup* group, std::function<void(Result<std::string>)> done);

}  // namespace hapax
