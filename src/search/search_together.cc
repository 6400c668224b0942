// The search by several threads. In a round each takes slices of states, gathers their steps and
// claims what they lead to, all at once; who claimed first in the order of steps is the one who
// found it. So states get the numbers that one thread alone would have given them. Of a slice only
// what may be new is kept, so that a thread's desk stays in its cache.
#include <algorithm>
#include <atomic>
#include <bit>

#include "search/search.h"

namespace hapax {
namespace {

constexpr std::uint32_t kSharesEach = 256;  // To wake a thread takes long.

}  // namespace

std::uint32_t Search::do_together(std::uint32_t begin, std::uint32_t end) {
  cut_into_shares(begin, end);
  claim_together();
  // What needs writing, and what was found, one after the other.
  Slice& desk = desks_.front();
  bool goes_on = true;
  std::size_t done = 0;
  for (; done < count_ && goes_on; ++done) {
    Share& share = shares_[done];
    if (share.is_claimed) continue;
    desk.begin = share.begin;
    desk.end = share.end;
    gather(desk);
    look_for_finding(desk);
    collect(desk, share);
    claim_alone(done);
    share.end = desk.end;
    goes_on = !finding_ && !desk.is_too_narrow;
  }
  settle_together(done);
  if (!goes_on && !finding_) model_.widen(states_);
  return shares_[done - 1].end;
}

void Search::cut_into_shares(std::uint32_t begin, std::uint32_t end) {
  count_ = std::min(kSharesEach * team_.size(), (end - begin + kSlice - 1) / kSlice);
  if (shares_.size() < count_) shares_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i, begin += kSlice) {
    shares_[i].begin = shares_[i].reached = begin;
    shares_[i].end = std::min(end, begin + kSlice);
    shares_[i].is_claimed = false;
  }
}

void Search::for_each_together(std::size_t shares,
                               const std::function<void(Slice& desk, std::size_t nth)>& job) {
  std::atomic<std::size_t> next{0};
  team_.run([&](unsigned thread) {
    for (std::size_t i = next++; i < shares; i = next++) job(desks_[thread], i);
  });
}

// As far as that needs no writing in the model, there is room, and nothing is found. What the model
// did not know it learns, and then it is tried again.
void Search::claim_together() {
  constexpr std::size_t kUsualSteps = 16;  // Of a state. If there are more, it takes longer.
  states_.make_room(count_ * kSlice * kUsualSteps);
  std::atomic<std::int64_t> room{static_cast<std::int64_t>(states_.room())};
  std::atomic<bool> is_all_known{true};
  const auto try_all = [&] {
    model_.freeze(true);
    for_each_together(count_, [&](Slice& desk, std::size_t i) {
      Share& share = shares_[i];
      if (share.is_claimed) return;
      if (!try_to_gather(desk, share)) {
        is_all_known = false;
        return;
      }
      if (has_finding(desk)) return;
      collect(desk, share);
      const auto fresh = static_cast<std::int64_t>(share.fresh.size());
      share.is_claimed =
          share.fresh.size() >> bits_of_claims() == 0 && room.fetch_sub(fresh) >= fresh;
      if (share.is_claimed) claim(i);
    });
    model_.freeze(false);
  };
  try_all();
  if (is_all_known || !learn()) return;
  try_all();
}

// Whether the model knows all steps of all shares now, and rows have room for them.
bool Search::learn() {
  Steps& steps = desks_.front().steps;
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::uint32_t& at = shares_[i].reached; at < shares_[i].end; ++at) {
      steps.clear(states_.width());
      model_.expand(states_[at], steps);
      if (steps.is_too_narrow()) return false;
    }
  }
  return true;
}

bool Search::try_to_gather(Slice& desk, Share& share) {
  desk.begin = share.begin;
  desk.end = share.end;
  try {
    gather(desk);
    share.reached = share.end;
    return true;
  } catch (const Unknown&) {
    share.reached = share.begin + static_cast<std::uint32_t>(desk.expanded.size());
    return false;
  }
}

bool Search::has_finding(const Slice& slice) const {
  for (std::size_t nth = 0; nth < slice.expanded.size(); ++nth) {
    if (is_finding(slice, nth)) return true;
  }
  return false;
}

// What of the slice has to be claimed. All rows are there before the first is, since then others
// may read them.
void Search::collect(Slice& desk, Share& share) {
  const std::uint32_t width = states_.width();
  share.rows.resize(desk.size() * width);
  share.fresh.resize(desk.size());
  share.is_layered = true;
  share.steps = desk.size();
  look_up(desk, desk.size());
  std::uint32_t from = desk.begin;
  std::uint32_t count = 0;
  std::size_t s = 0;
  for (const Slice::Expanded& expanded : desk.expanded) {
    for (; s < expanded.end; ++s) {
      const std::uint64_t* row = desk.steps.row(s);
      const std::uint32_t likely = desk.likely[s];
      if (likely != States::kNone && states_.is_row(likely, row)) {
        share.is_layered &= likely >= level_end_;
        continue;
      }
      states_.announce_claim(desk.hashes[s]);
      copy_row(share.rows.data() + std::size_t{count} * width, row, width);
      Share::Fresh& fresh = share.fresh[count];
      fresh.from = from;
      fresh.nth = count++;
      fresh.hash = desk.hashes[s];
    }
    ++from;
  }
  share.fresh.resize(count);
}

// Of the numbers that there are for claims each share has as many.
std::uint32_t Search::bits_of_claims() const {
  return static_cast<std::uint32_t>(std::bit_width(states_.most_claims() / std::bit_ceil(count_)) -
                                    1);
}

void Search::claim(std::size_t nth) {
  Share& share = shares_[nth];
  const std::uint32_t bits = bits_of_claims();
  const std::uint32_t mask = (1u << bits) - 1;
  const std::uint32_t width = states_.width();
  const auto row_of = [&](std::uint32_t claim) {
    return shares_[claim >> bits].rows.data() + (claim & mask) * width;
  };
  std::size_t count = 0;
  for (const Share::Fresh& fresh : share.fresh) {
    const auto mine = static_cast<std::uint32_t>(nth << bits | fresh.nth);
    const States::Looked looked = states_.claim(row_of(mine), fresh.hash, mine, row_of);
    share.is_layered &= looked.number >= level_end_;
    if (looked.number != States::kMine) continue;
    share.fresh[count] = fresh;
    share.fresh[count++].slot = looked.slot;
  }
  share.fresh.resize(count);
}

// While all others wait, so that the table can grow. Then what was claimed has to be claimed again.
void Search::claim_alone(std::size_t nth) {
  std::size_t claims = shares_[nth].fresh.size();
  for (std::size_t i = 0; i < count_; ++i) {
    if (shares_[i].is_claimed) claims += shares_[i].fresh.size();
  }
  bool has_grown = states_.make_room(claims);
  while (shares_[nth].fresh.size() >> bits_of_claims() != 0) {
    has_grown |= states_.make_room(states_.room() + 1);
  }
  shares_[nth].is_claimed = true;
  for (std::size_t i = 0; i < count_; ++i) {
    if (i == nth || (has_grown && shares_[i].is_claimed)) claim(i);
  }
}

// Numbers what the first so many shares found.
void Search::settle_together(std::size_t shares) {
  for_each_together(shares, [&](Slice&, std::size_t i) { find_fresh(i); });
  std::uint32_t fresh = 0;
  for (std::size_t i = 0; i < shares; ++i) {
    Share& share = shares_[i];
    share.first = states_.size() + fresh;
    fresh += static_cast<std::uint32_t>(share.fresh.size());
    transitions_ += share.steps;
    layered_ &= share.is_layered;
  }
  states_.append(fresh);
  came_from_.extend(states_.size());
  for_each_together(shares, [&](Slice&, std::size_t i) { settle(shares_[i]); });
}

void Search::find_fresh(std::size_t nth) {
  Share& share = shares_[nth];
  const std::uint32_t bits = bits_of_claims();
  std::erase_if(share.fresh, [&](const Share::Fresh& fresh) {
    return !states_.is_claimed(fresh.slot, static_cast<std::uint32_t>(nth << bits | fresh.nth));
  });
}

void Search::settle(const Share& share) {
  std::uint32_t number = share.first;
  for (const Share::Fresh& fresh : share.fresh) {
    states_.settle(fresh.slot, number, share.rows.data() + fresh.nth * states_.width());
    *came_from_[number++] = fresh.from;
  }
}

}  // namespace hapax
