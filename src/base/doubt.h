// What begins from a state that a stranger wrote down, and nobody vouches for. A HAPAX_CHECK that
// breaks on the way is no bug of ours, and does not end the program:
//
//   const auto done = in_doubt("no run leads to these states", [&] { node.receive(…); });
//
// is an Error of that sentence and of what broke. What was being changed is then half changed:
// REQUIRES that nobody uses it any more. In WebAssembly, where nothing is caught, the instance ends
// with the sentence instead of calling it a bug.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hapax {

Result<void> in_doubt(std::string_view sentence, const std::function<void()>& take);

namespace doubt_detail {

// For check_failed(): does not return if this thread is in doubt.
void end_if_in_doubt(std::string_view expression, std::string_view operands);

}  // namespace doubt_detail
}  // namespace hapax
