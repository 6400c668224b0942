#include "search/search.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hapax {
namespace {

constexpr std::uint32_t kRound = 512;  // States between two looks at memory and observer.
constexpr std::uint32_t kReportEvery = 1 << 14;

}  // namespace

Search::Search(SearchModel& model, std::uint64_t most_bytes, unsigned threads)
    : model_(model),
      most_bytes_(most_bytes),
      team_(model.can_freeze() ? threads : 1),
      states_(model.width()),
      slices_(1) {}

bool Search::run(const SearchObserver& observer) {
  std::vector<std::uint64_t> row(model_.width());
  model_.initial(row.data());
  states_.insert(row.data(), states_.hash(row.data()));
  came_from_.push_back(0);
  std::uint32_t at = 0;
  while (!finding_) {
    if (at == level_end_) {
      if (at == states_.size()) break;
      ++depth_;
      level_end_ = states_.size();
    }
    if (!go_on(at, observer)) return false;
    at = team_.size() > 1 ? do_together(at, level_end_)
                          : do_alone(at, std::min(level_end_, at + kRound));
  }
  return true;
}

std::uint64_t Search::entered() const {
  std::uint64_t entered = 0;
  for (const Slice& slice : slices_) entered |= slice.steps.entered();
  return entered;
}

std::uint64_t Search::bytes() const {
  return states_.bytes() + came_from_.capacity() * sizeof(std::uint32_t);
}

std::vector<SearchStep> Search::way_to(std::uint32_t state) {
  std::vector<SearchStep> way;
  for (; state != 0; state = came_from_[state]) {
    way.push_back(step_between(came_from_[state], state));
  }
  std::reverse(way.begin(), way.end());
  return way;
}

// REQUIRES: there is one.
SearchStep Search::step_between(std::uint32_t from, std::uint32_t to) {
  Steps steps;
  steps.clear(states_.width());
  model_.expand_in_full(states_[from], steps);
  const std::uint64_t* target = states_[to];
  std::size_t at = 0;
  while (at < steps.size() && !std::equal(target, target + states_.width(), steps.row(at))) ++at;
  HAPAX_CHECK(at < steps.size());
  return steps[at];
}

bool Search::go_on(std::uint32_t at, const SearchObserver& observer) {
  if (bytes() > most_bytes_) return false;
  if (!observer || at < next_report_) return true;
  next_report_ = at + kReportEvery;
  return observer({states_.size(), states_.size() - at, bytes(), depth_});
}

std::uint32_t Search::do_alone(std::uint32_t begin, std::uint32_t end) {
  Slice& slice = slices_.front();
  for (std::uint32_t at = begin; at < end && !finding_; at = slice.end) {
    slice.begin = at;
    slice.end = std::min(end, at + kSlice);
    gather(slice);
    look_for_finding(slice);
    insert(slice);
    if (!slice.is_too_narrow) continue;
    model_.widen(states_);
    return slice.end;
  }
  return slice.end;
}

// The steps of its states, up to the first for which the rows are too narrow.
void Search::gather(Slice& slice) {
  Steps& steps = slice.steps;
  steps.clear(states_.width());
  slice.expanded.clear();
  slice.hashes.clear();
  slice.is_too_narrow = false;
  for (std::uint32_t at = slice.begin; at < slice.end; ++at) {
    const std::size_t first = steps.size();
    const std::size_t failures = steps.failures().size();
    model_.expand(states_[at], steps);
    if (steps.is_too_narrow()) {
      steps.keep(first, failures);
      slice.is_too_narrow = true;
      slice.end = at;
      return;
    }
    bool goes_on = false;
    for (std::size_t s = first; s < steps.size(); ++s) {
      goes_on = goes_on || model_.fair_class(steps[s]).has_value();
      slice.hashes.push_back(states_.hash(steps.row(s)));
      states_.announce_slot(slice.hashes.back());
    }
    const bool fails = steps.failures().size() > failures;
    slice.expanded.push_back(
        {steps.size(), fails ? std::optional{failures} : std::nullopt, goes_on});
  }
}

// What comes after it counts for nothing.
void Search::look_for_finding(Slice& slice) {
  for (std::size_t nth = 0; nth < slice.expanded.size(); ++nth) {
    const Expanded& expanded = slice.expanded[nth];
    if (!expanded.failure && expanded.goes_on) continue;
    finding_ = finding_in(slice, nth);
    if (!finding_) continue;
    slice.expanded.resize(nth + 1);
    slice.end = slice.begin + static_cast<std::uint32_t>(nth) + 1;
    slice.is_too_narrow = false;
    return;
  }
}

std::optional<Search::Finding> Search::finding_in(const Slice& slice, std::size_t nth) {
  const std::uint32_t at = slice.begin + static_cast<std::uint32_t>(nth);
  if (const auto failed = slice.expanded[nth].failure) {
    const Steps::Failure& failure = slice.steps.failures()[*failed];
    std::vector<SearchStep> way = way_to(at);
    way.push_back(failure.step);
    return Finding{std::string{failure.property}, failure.text, std::move(way)};
  }
  // Nobody has to ask, and no fault has to strike.
  if (model_.waits(states_[at]) == 0) return std::nullopt;
  return Finding{"progress", model_.dead_end(states_[at]), way_to(at)};
}

void Search::insert(const Slice& slice) {
  states_.make_room(slice.size());
  for (std::size_t s = 0; s < slice.size(); ++s) states_.announce_row(slice.hashes[s]);
  std::size_t s = 0;
  std::uint32_t at = slice.begin;
  for (const Expanded& expanded : slice.expanded) {
    for (; s < expanded.end; ++s) {
      const auto [number, is_new] = states_.insert(slice.steps.row(s), slice.hashes[s]);
      if (is_new) came_from_.push_back(at);
      layered_ &= number >= level_end_;
    }
    ++at;
  }
  transitions_ += slice.size();
}

}  // namespace hapax
