// A trace taken apart for a reader who goes through it step by step, and changes it: one command
// for each step, what it did, and how all members stand afterwards.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "world/script.h"

namespace hapax {

// {"scenes": [{"algorithm", "nodes": […], "rests", "theory": {"messages", "formula"},
//   "begin": "nodes …", "comments": […], "members": […], "steps": [{"command", "comments": […],
//   "lines": […], "error", "happenings": [from, to], "members": [[i, …]]}], "happenings": […]}]}
//
// `stabilize` becomes the deliveries that it makes. The happenings are as in chronicle_json(), but
// for comments, which stand beside their steps. `members`: how each stands, in a sentence, as all
// begin; of a step, those whose sentence it has changed. A command that cannot be carried out has
// an `error`; with `forgiving` it is left out instead, as what a change has taken the ground from.
//
// `deliver A->B sent=3` (drop and dup alike) means the third message that ever was put on that
// link, copies included, wherever it stands: so a step keeps its meaning when others around it
// change.
//
// `on_steps` is told now and then how many there are so far.
Result<std::string> steps_json(const Script& script, bool forgiving,
                               const std::function<void(std::size_t)>& on_steps);

}  // namespace hapax
