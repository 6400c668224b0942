// Does every run end? If nothing leads from a state back to it, each run through finitely many
// states does. Needs two numbers a state, unlike a search for cycles that are fair.
#pragma once

#include "search/model.h"
#include "search/states.h"

namespace hapax {

// REQUIRES: every state that the model's steps lead to is there.
bool every_run_ends(SearchModel& model, const States& states);

}  // namespace hapax
