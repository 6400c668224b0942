#include "sim/monitor.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "wire/codec.h"

namespace hapax {

void Monitor::starts_inside(NodeId node) {
  // A unit is shared; anything else that a view's holder has, it has alone.
  const bool unit = capacity_ > 1 && capacity_ != kAnyNumber;
  inside_[number(node)] = {std::nullopt, unit ? Mode::shared : Mode::exclusive};
}

void Monitor::asked(NodeId node, Nanos at) {
  if (quiet()) {
    alone_ = node;
    last_progress_ = at;
  } else {
    alone_.reset();
  }
  waiting_[number(node)] = {++requests_, at};
  open_.push_back({node, requests_, at});
}

void Monitor::check_entry(NodeId node, Fence fence, Nanos at, Mode mode) {
  const bool fits = mode == Mode::shared && inside_.size() < capacity_;
  for (const auto& [other, its] : inside_) {
    if (fits && its.mode == Mode::shared) continue;
    violated(Violation::Kind::exclusion, at,
             fmt::format("{} entered while {} was inside", number(node), other));
  }
  const bool alone = excludes_all(mode, capacity_);
  const std::optional<Fence>& before = alone ? last_fence_ : last_alone_;
  if (before && !(*before < fence)) {
    violated(Violation::Kind::fence, at,
             fmt::format("{} entered with fence {} after {}", number(node), fence, *before));
  }
  last_fence_ = std::max(last_fence_.value_or(fence), fence);
  if (alone) last_alone_ = fence;
}

void Monitor::entered(NodeId node, Fence fence, Nanos at, Mode mode) {
  check_entry(node, fence, at, mode);

  const auto found = waiting_.find(number(node));
  const Waiting own = found == waiting_.end() ? Waiting{0, at} : found->second;
  note_order(node, own);
  if (found != waiting_.end()) waiting_.erase(found);
  inside_[number(node)] = {own.asked, mode};

  const Nanos waited = at - own.asked;
  report_.wait.add(waited);
  if (alone_ == node) report_.client_delay.add(waited);
  alone_.reset();
  if (last_exit_ && own.asked + 2 * t_ <= *last_exit_) report_.sync_delay.add(at - *last_exit_);
  last_exit_.reset();

  if (report_.entries == 0) first_entry_ = at;
  last_entry_ = last_progress_ = at;
  ++report_.entries;
  ++entries_of_[number(node)];
  report_.fingerprint = hash_of(std::pair{
      std::pair{report_.fingerprint, static_cast<std::uint64_t>(at)}, std::pair{node, fence}});
}

// Overtakes somebody who asked so much earlier that the news could have reached everybody.
void Monitor::note_order(NodeId node, const Waiting& own) {
  const auto granted = [&](const Open& open) {
    const auto w = waiting_.find(number(open.node));
    return w == waiting_.end() || w->second.request != open.request;
  };
  while (!open_.empty() && (granted(open_.front()) || open_.front().node == node)) {
    open_.pop_front();
  }
  if (!open_.empty() && open_.front().asked + t_ < own.asked) ++report_.overtakes;
}

void Monitor::left(NodeId node, Nanos at) {
  const auto found = inside_.find(number(node));
  if (found != inside_.end()) {
    if (found->second.asked) report_.response_time.add(at - *found->second.asked);
    inside_.erase(found);
  }
  last_exit_ = at;
  last_progress_ = at;
}

void Monitor::crashed(NodeId node) {
  waiting_.erase(number(node));
  inside_.erase(number(node));
}

void Monitor::violated(Violation::Kind kind, Nanos at, std::string text) {
  std::uint64_t& count = report_.violations_by_kind[static_cast<std::size_t>(kind)];
  if (count++ < kInWords) report_.violations.push_back({kind, at, std::move(text)});
  ++report_.violation_count;
}

SimReport Monitor::report(std::uint64_t requesters) const {
  SimReport report = report_;
  if (report.entries > 1 && last_entry_ > first_entry_) {
    report.throughput = static_cast<double>(report.entries - 1) * static_cast<double>(kSecond) /
                        static_cast<double>(last_entry_ - first_entry_);
  }
  double sum = 0;
  double squares = 0;
  for (const auto& [node, count] : entries_of_) {
    sum += static_cast<double>(count);
    squares += static_cast<double>(count) * static_cast<double>(count);
  }
  if (squares > 0) report.fairness = sum * sum / (static_cast<double>(requesters) * squares);
  return report;
}

}  // namespace hapax
