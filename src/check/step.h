// The steps of a model of mutual exclusion: what happens, where, and with which message.
#pragma once

#include <cstdint>

#include "search/model.h"

namespace hapax {

enum class CheckStep : std::uint8_t {
  request,
  request_shared,
  release,
  deliver,  // from: the sender; to: the receiver; what: the message's number. As of the next two.
  duplicate,
  lose,
  crash,
  act
};

// `from`: the process itself, unless there is a message.
inline SearchStep step_of(CheckStep kind, std::uint32_t from, std::uint32_t to = 0,
                          std::uint32_t message = 0) {
  return {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(from),
          static_cast<std::uint8_t>(to), message};
}
inline CheckStep kind_of(const SearchStep& step) { return static_cast<CheckStep>(step.kind); }

}  // namespace hapax
