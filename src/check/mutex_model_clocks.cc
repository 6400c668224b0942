// The model of mutual exclusion without end: clocks and turns counted from the lowest, so that
// equal situations are equal states.
#include <algorithm>
#include <utility>

#include "check/mutex_model.h"
#include "core/clocks.h"

namespace hapax {

bool MutexModel::lower_clocks(std::uint64_t* row, Steps& steps) {
  std::uint64_t lowest = kNoClock;
  for (std::uint32_t i = 0; i < n_; ++i) {
    lowest = std::min(lowest, members_.lowest_in_local(i, layout_.get(row, i)));
  }
  for (std::uint32_t l = n_; l < shared(); ++l) {
    for (const std::uint32_t message : links_.messages(layout_.get(row, l))) {
      lowest = std::min(lowest, members_.lowest_in_message(message));
    }
  }
  if (lowest == kNoClock || lowest == 1) return true;
  const std::uint64_t by = lowest - 1;
  HAPAX_CHECK(by < 1u << 16);
  for (std::uint32_t f = 0; f < fields_; ++f) {
    const std::uint32_t before = layout_.get(row, f);
    const std::uint64_t kind = f < n_ ? f : f < shared() ? n_ : n_ + 1;
    const std::uint64_t key = by << 48 | kind << 32 | before;
    auto known = lowered_.find(key);
    if (known == lowered_.end() && frozen_) {
      steps.find_unknown();
      return false;
    }
    if (known == lowered_.end()) known = lowered_.emplace(key, lowered(f, before, by)).first;
    layout_.change(row, f, before, known->second);
  }
  return true;
}

void MutexModel::lower_clocks(std::vector<std::uint32_t>& locals, UnderWay& under_way) {
  std::uint64_t lowest = kNoClock;
  for (std::uint32_t i = 0; i < n_; ++i) {
    lowest = std::min(lowest, members_.lowest_in_local(i, locals[i]));
  }
  for (const auto& messages : under_way) {
    for (const std::uint32_t message : messages) {
      lowest = std::min(lowest, members_.lowest_in_message(message));
    }
  }
  if (lowest == kNoClock) return;
  for (std::uint32_t i = 0; i < n_; ++i) {
    locals[i] = members_.lower_local(i, locals[i], lowest - 1);
  }
  for (auto& messages : under_way) {
    for (std::uint32_t& message : messages) message = members_.lower_message(message, lowest - 1);
  }
}

std::uint32_t MutexModel::lowered(std::uint32_t field, std::uint32_t part, std::uint64_t by) {
  if (field < n_) return members_.lower_local(field, part, by);
  if (field < shared()) {
    std::vector<std::uint32_t> messages = links_.messages(part);
    for (std::uint32_t& message : messages) message = members_.lower_message(message, by);
    return links_.number_of(std::move(messages));
  }
  // A last turn that is below every clock there is stays below every turn to come: 0 says as much.
  Shared common = shared_[part];
  const std::uint64_t turns = info_.turns_are_stamps ? by * n_ : by;
  common.last_turn = common.last_turn > turns ? common.last_turn - turns : 0;
  common.last_lone = common.last_lone > turns ? common.last_lone - turns : 0;
  return number_of(common);
}

}  // namespace hapax
