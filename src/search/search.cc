#include "search/search.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hapax {
namespace {

constexpr std::uint32_t kRound = 512;          // States between two looks at memory and observer.
constexpr std::uint32_t kWorthSharing = 1024;  // States left of a level.
constexpr std::uint32_t kReportEvery = 1 << 14;

}  // namespace

Search::Search(SearchModel& model, std::uint64_t most_bytes, unsigned threads)
    : model_(model),
      most_bytes_(most_bytes),
      team_(model.can_freeze() ? threads : 1),
      states_(model.width()),
      desks_(team_.size() + 1, Desk{team_.size()}),
      regions_(team_.size()),
      came_from_(1) {}

bool Search::run(const SearchObserver& observer) {
  std::vector<std::uint64_t> row(model_.width());
  model_.initial(row.data());
  states_.insert(row.data(), states_.hash(row.data()));
  came_from_.extend(1);
  forget_recent();
  std::uint32_t at = 0;
  while (!finding_) {
    if (at == level_end_) {
      if (at == states_.size()) break;
      ++depth_;
      level_end_ = states_.size();
      forget_recent();
    }
    if (!go_on(at, observer)) return false;
    at = team_.size() > 1 && level_end_ - at > kWorthSharing
             ? do_together(at, level_end_)
             : do_alone(at, std::min(level_end_, at + kRound));
  }
  return true;
}

std::uint64_t Search::entered() const {
  std::uint64_t entered = 0;
  for (const Desk& desk : desks_) entered |= desk.slice.steps.entered();
  return entered;
}

std::uint64_t Search::bytes() const { return states_.bytes() + came_from_.bytes(); }

std::vector<SearchStep> Search::way_to(std::uint32_t state) {
  std::vector<SearchStep> way;
  for (; state != 0; state = *came_from_[state]) {
    way.push_back(step_between(*came_from_[state], state));
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
  Desk& desk = desks_.back();
  Slice& slice = desk.slice;
  for (std::uint32_t at = begin; at < end && !finding_; at = slice.end) {
    slice.begin = at;
    slice.end = std::min(end, at + kSlice);
    gather(slice);
    look_for_finding(slice);
    desk.clear_mail();
    desk.sift(states_, 1);
    insert(desk);
    if (!slice.is_too_narrow) continue;
    widen();
    return slice.end;
  }
  return slice.end;
}

// The steps of its states, up to the first for which the rows are too narrow, or the model knows
// too little.
void Search::gather(Slice& slice) {
  Steps& steps = slice.steps;
  steps.clear(states_.width());
  slice.expanded.clear();
  slice.is_too_narrow = false;
  for (std::uint32_t at = slice.begin; at < slice.end; ++at) {
    const std::size_t first = steps.size();
    const std::size_t failures = steps.failures().size();
    model_.expand(states_[at], steps);
    if (steps.is_too_narrow() || steps.is_unknown()) {
      slice.is_too_narrow = steps.is_too_narrow();
      steps.keep(first, failures);
      slice.end = at;
      return;
    }
    // What nobody is obliged to do comes first in most models.
    bool goes_on = false;
    for (std::size_t s = steps.size(); s > first && !goes_on; --s) {
      goes_on = model_.fair_class(steps[s - 1]).has_value();
    }
    Slice::Expanded& expanded = slice.expanded.emplace_back();
    expanded.end = static_cast<std::uint32_t>(steps.size());
    expanded.end_of_failures = static_cast<std::uint32_t>(steps.failures().size());
    expanded.goes_on = goes_on;
  }
}

// What comes after it counts for nothing.
void Search::look_for_finding(Slice& slice) {
  for (std::size_t nth = 0; nth < slice.expanded.size(); ++nth) {
    if (!is_finding(slice, nth)) continue;
    finding_ = finding_in(slice, nth);
    slice.expanded.resize(nth + 1);
    slice.end = slice.begin + static_cast<std::uint32_t>(nth) + 1;
    slice.is_too_narrow = false;
    return;
  }
}

// REQUIRES: the states of the slice before it are none.
bool Search::is_finding(const Slice& slice, std::size_t nth) const {
  const Slice::Expanded& expanded = slice.expanded[nth];
  if (expanded.end_of_failures > 0) return true;
  // Nobody has to ask, and no fault has to strike.
  return !expanded.goes_on &&
         model_.waits(states_[slice.begin + static_cast<std::uint32_t>(nth)]) != 0;
}

Search::Finding Search::finding_in(const Slice& slice, std::size_t nth) {
  const std::uint32_t at = slice.begin + static_cast<std::uint32_t>(nth);
  std::vector<SearchStep> way = way_to(at);
  if (slice.expanded[nth].end_of_failures == 0) {
    return {"progress", model_.dead_end(states_[at]), std::move(way)};
  }
  const Steps::Failure& failure = slice.steps.failures().front();
  way.push_back(failure.step);
  return {std::string{failure.property}, failure.text, std::move(way)};
}

void Search::widen() {
  model_.widen(states_);
  forget_recent();
}

// At the beginning of a level too: a step back to the one before has to be noticed.
void Search::forget_recent() {
  for (Desk& desk : desks_) desk.recent.clear(states_.width());
}

void Search::insert(Desk& desk) {
  Mail& mail = desk.mail[0];
  states_.make_room(mail.used);
  if (likely_.size() < mail.used) likely_.resize(2 * mail.used);
  for (std::uint32_t i = 0; i < mail.used; ++i) states_.announce_slot(mail.steps[i].hash);
  for (std::uint32_t i = 0; i < mail.used; ++i) {
    likely_[i] = states_.announce_row(mail.steps[i].hash);
  }
  for (std::uint32_t i = 0; i < mail.used; ++i) {
    const std::uint64_t* row = desk.slice.steps.row(mail.steps[i].nth);
    if (states_.is_row(likely_[i], row)) {
      layered_ &= States::number_in(likely_[i]) >= level_end_;
      continue;
    }
    const auto [number, is_new] = states_.insert(row, mail.steps[i].hash);
    if (is_new) {
      came_from_.extend(number + 1);
      *came_from_[number] = mail.steps[i].from;
    }
    layered_ &= number >= level_end_;
  }
  transitions_ += desk.slice.size();
}

}  // namespace hapax
