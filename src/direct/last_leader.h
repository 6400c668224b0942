// What an observer of an election has been told, so that it is told only what is new.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "hapax/election.h"

namespace hapax::direct {

class LastLeader {
 public:
  void tell(std::optional<Leader> leader, const std::function<void(std::optional<Leader>)>& then) {
    const bool is_known =
        has_told_ && leader.has_value() == last_.has_value() &&
        (!leader || (leader->fence == last_->fence && leader->value == last_->value));
    if (is_known) return;
    has_told_ = true;
    last_ = leader;
    then(std::move(leader));
  }

 private:
  bool has_told_ = false;
  std::optional<Leader> last_;
};

}  // namespace hapax::direct
