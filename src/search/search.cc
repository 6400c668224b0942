#include "search/search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "base/check.h"

namespace hapax {
namespace {

constexpr std::uint32_t kRound = 512;           // States whose steps are gathered at a time …
constexpr std::uint32_t kRoundTogether = 8192;  // … for each thread: to wake one takes long.
constexpr std::uint32_t kSlice = 32;            // Of them, for one thread at a time.
constexpr std::size_t kBatch = 64;              // Lookups whose cache misses overlap.
constexpr std::uint32_t kReportEvery = 1 << 14;

}  // namespace

Search::Search(SearchModel& model, std::uint64_t most_bytes, unsigned threads)
    : model_(model),
      most_bytes_(most_bytes),
      team_(model.can_freeze() ? threads : 1),
      states_(model.width(), std::bit_ceil(team_.size())),
      gathered_(team_.size() + 1) {}

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
    const std::uint32_t most = team_.size() == 1 ? kRound : kRoundTogether * team_.size();
    at = do_round(at, std::min(level_end_, at + most));
  }
  return true;
}

std::uint64_t Search::entered() const {
  std::uint64_t entered = 0;
  for (const Gathered& g : gathered_) entered |= g.steps.entered();
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

// Expands the states from `begin` up to `end`, or up to the one returned.
std::uint32_t Search::do_round(std::uint32_t begin, std::uint32_t end) {
  begin_ = begin;
  shares_.assign(end - begin, {});
  for (Gathered& g : gathered_) {
    g.steps.clear(states_.width());
    g.lookups.clear();
  }
  if (team_.size() > 1) gather_together();
  bool too_narrow = false;
  std::uint32_t at = begin;
  for (; at < end && !finding_; ++at) {
    if (!shares_[at - begin].is_known) too_narrow = !gather(team_.size(), at);
    if (too_narrow) break;
    look_for_failure(at);
  }
  shares_.resize(at - begin);
  team_.size() > 1 ? insert_together() : insert_alone();
  if (too_narrow) model_.widen(states_);
  return at;
}

// The steps of one state. False if the rows are too narrow for them.
bool Search::gather(std::uint32_t gatherer, std::uint32_t at) {
  Gathered& gathered = gathered_[gatherer];
  Steps& steps = gathered.steps;
  Share& share = shares_[at - begin_];
  share = {gatherer, steps.size(), 0, steps.failures().size(), false, false, true};
  model_.expand(states_[at], steps);
  if (steps.is_too_narrow()) {
    steps.keep(share.first, share.failures);
    return false;
  }
  share.count = steps.size() - share.first;
  share.fails = steps.failures().size() > share.failures;
  for (std::size_t s = share.first; s < steps.size(); ++s) {
    share.goes_on = share.goes_on || model_.fair_class(steps[s]).has_value();
    gathered.lookups.push_back({states_.hash(steps.row(s))});
  }
  return true;
}

// All threads expand, as far as that needs no writing.
void Search::gather_together() {
  std::atomic<std::uint32_t> next{begin_};
  const std::uint32_t end = begin_ + static_cast<std::uint32_t>(shares_.size());
  model_.freeze(true);
  team_.run([&](unsigned t) {
    for (std::uint32_t from = next.fetch_add(kSlice); from < end; from = next.fetch_add(kSlice)) {
      for (std::uint32_t at = from; at < std::min(end, from + kSlice); ++at) {
        gather_if_known(t, at);
      }
    }
  });
  model_.freeze(false);
}

void Search::gather_if_known(std::uint32_t gatherer, std::uint32_t at) {
  Share& share = shares_[at - begin_];
  try {
    if (gather(gatherer, at)) return;
  } catch (const Unknown&) {
    gathered_[gatherer].steps.keep(share.first, share.failures);
  }
  share.is_known = false;
}

void Search::look_for_failure(std::uint32_t at) {
  const Share& share = shares_[at - begin_];
  if (share.fails) {
    const Steps::Failure& failure = gathered_[share.gatherer].steps.failures()[share.failures];
    std::vector<SearchStep> way = way_to(at);
    way.push_back(failure.step);
    finding_ = Finding{std::string{failure.property}, failure.text, std::move(way)};
  } else if (!share.goes_on && model_.waits(states_[at]) != 0) {
    // Nobody has to ask, and no fault has to strike.
    finding_ = Finding{"progress", model_.dead_end(states_[at]), way_to(at)};
  }
}

void Search::insert_alone() {
  const Gathered& all = gathered_.back();
  const std::size_t steps = all.steps.size();
  states_.make_room(steps);
  std::uint32_t at = begin_;
  std::size_t left = shares_.empty() ? 0 : shares_.front().count;
  for (std::size_t first = 0; first < steps; first += kBatch) {
    const std::size_t end = std::min(first + kBatch, steps);
    for (std::size_t s = first; s < end; ++s) states_.announce_slot(all.lookups[s].hash);
    for (std::size_t s = first; s < end; ++s) states_.announce_row(all.lookups[s].hash);
    for (std::size_t s = first; s < end; ++s, --left) {
      while (left == 0) left = shares_[++at - begin_].count;
      const auto [number, is_new] = states_.insert(all.steps.row(s), all.lookups[s].hash);
      if (is_new) came_from_.push_back(at);
      layered_ &= number >= level_end_;
    }
  }
  transitions_ += steps;
}

void Search::insert_together() {
  order_.clear();  // As one thread alone would have found them.
  for (std::uint32_t i = 0; i < shares_.size(); ++i) {
    const Share& share = shares_[i];
    for (std::size_t s = share.first; s < share.first + share.count; ++s) {
      order_.push_back({begin_ + i, share.gatherer, s});
    }
  }
  states_.make_room(order_.size());
  team_.run([&](unsigned t) { look_up_mine(t); });
  const std::uint32_t before = states_.size();
  std::uint32_t fresh = 0;
  for (const Ordered& o : order_) {
    Lookup& found = lookup(o);
    if (found.is_new) {
      found.number = before + fresh++;
      came_from_.push_back(o.state);
    } else if (!States::is_reserved(found.number)) {
      layered_ &= found.number >= level_end_;
    }
  }
  states_.append(fresh);
  team_.run([&](unsigned t) {
    for (const Ordered& o : order_) {
      const Lookup& found = lookup(o);
      if (!found.is_new || !is_mine(t, found.hash)) continue;
      states_.settle(found.slot, found.hash, found.number, gathered_[o.gatherer].steps.row(o.step));
    }
  });
  transitions_ += order_.size();
}

void Search::look_up_mine(unsigned t) {
  std::array<std::uint32_t, kBatch> batch;
  std::size_t count = 0;
  const auto do_batch = [&] {
    for (std::size_t b = 0; b < count; ++b) states_.announce_row(lookup(order_[batch[b]]).hash);
    for (std::size_t b = 0; b < count; ++b) look_up(batch[b]);
    count = 0;
  };
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    const std::uint64_t hash = lookup(order_[k]).hash;
    if (!is_mine(t, hash)) continue;
    states_.announce_slot(hash);
    batch[count++] = k;
    if (count == kBatch) do_batch();
  }
  do_batch();
}

void Search::look_up(std::uint32_t k) {
  Lookup& found = lookup(order_[k]);
  const States::Place place =
      states_.look_up(row_at(k), found.hash, [&](std::uint32_t other) { return row_at(other); });
  found.slot = place.slot;
  found.number = place.number;
  found.is_new = !place.is_known;
  if (found.is_new) states_.reserve(place.slot, found.hash, k);
}

}  // namespace hapax
