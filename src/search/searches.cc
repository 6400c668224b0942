#include "search/searches.h"

#include "search/endings.h"

namespace hapax {

bool Searches::run(const SearchObserver& observer) {
  do {
    search_.reset();  // Its memory, before the next one takes some.
    every_run_ends_.reset();
    search_.emplace(model_, most_bytes_, threads_);
    ++count_;
    if (!search_->run(observer)) return false;
  } while (!is_enough());
  return true;
}

bool Searches::every_run_ends() {
  if (!every_run_ends_) {
    every_run_ends_ = search_->is_layered() || hapax::every_run_ends(model_, search_->states());
  }
  return *every_run_ends_;
}

// What was found is true whatever was left out.
bool Searches::is_enough() {
  if (!model_.leaves_out() || search_->finding()) return true;
  if (model_.left_out_too_much()) return false;
  if (every_run_ends()) return true;
  model_.leave_nothing_out();  // A step that is put off could be put off for ever.
  return false;
}

}  // namespace hapax
