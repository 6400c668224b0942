#include "view/unanimity.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hapax {

Unanimity::Unanimity(NodeId self, Life life, std::uint32_t size, Epoch promised)
    : self_(self), lives_(size), promised_(promised) {
  HAPAX_CHECK(number(self) < size);
  HAPAX_CHECK(number(life) != 0u);
  lives_[number(self)] = life;
}

// Two that know different lives would overtake each other for as long as they do. So neither
// follows the other: who is wrong will find out, and then proposes.
bool Unanimity::on_report(const Roll& roll) {
  // Of an epoch that we did not follow, a report was dropped: it would be waited for in vain.
  if (roll.epoch <= std::max(promised_, heard_) || roll.epoch > kHighest) return false;
  if (wanted_ && roll.epoch <= wanted_->epoch) return false;
  if (contradicts(roll)) {
    heard_ = std::max(heard_, roll.epoch);
    return false;
  }
  wanted_ = roll;
  return true;
}

bool Unanimity::contradicts(const Roll& roll) const {
  if (roll.members.size() != lives_.size()) return true;
  for (std::size_t i = 0; i < lives_.size(); ++i) {
    if (lives_[i] != Life{} && lives_[i] != roll.members[i]) return true;
  }
  return false;
}

bool Unanimity::propose(const Roll& current, bool afresh) {
  const bool all_are_here = std::find(lives_.begin(), lives_.end(), Life{}) == lives_.end();
  if (!all_are_here || (current.members == lives_ && !afresh)) return false;
  if (wanted_ && wanted_->members == lives_) return false;
  const Epoch last = std::max({promised_, heard_, wanted_ ? wanted_->epoch : Epoch{}});
  wanted_ = Roll{next(last), lives_};
  return true;
}

std::optional<Roll> Unanimity::promised(Epoch epoch) {
  promised_ = std::max(promised_, epoch);
  if (!wanted_ || wanted_->epoch > promised_) return std::nullopt;
  return std::exchange(wanted_, std::nullopt);
}

}  // namespace hapax
