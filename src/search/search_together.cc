// The search by several threads. In a round each takes slices of states, gathers their steps and
// claims what they lead to, all at once; who claimed first in the order of steps is the one who
// found it. So states get the numbers that one thread alone would have given them.
#include <algorithm>
#include <atomic>

#include "search/search.h"

namespace hapax {
namespace {

constexpr std::uint32_t kStepBits = 18;  // Of a claim: a step of a slice; above, the slice.
constexpr std::uint32_t kMostSlices = States::kMostClaims >> kStepBits;
constexpr std::uint32_t kSlicesEach = 64;  // To wake a thread takes long.

}  // namespace

std::uint32_t Search::do_together(std::uint32_t begin, std::uint32_t end) {
  cut_into_slices(begin, end);
  gather_and_claim_together();
  std::size_t claims = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (slices_[i].is_claimed) claims += slices_[i].hashes.size();
  }
  // What needs writing, one after the other.
  std::size_t done = 0;
  for (bool goes_on = true; done < count_ && goes_on; ++done) {
    Slice& slice = slices_[done];
    if (!slice.is_claimed) {
      if (!slice.is_known) gather(slice);
      claims += slice.hashes.size();
      states_.make_room(claims);
      claim(done);
    }
    look_for_finding(slice);
    goes_on = !finding_ && !slice.is_too_narrow;
  }
  settle_together(done);
  const Slice& last = slices_[done - 1];
  if (last.is_too_narrow) model_.widen(states_);
  return last.end;
}

void Search::cut_into_slices(std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t most = std::min(kMostSlices, kSlicesEach * team_.size());
  count_ = std::min(most, (end - begin + kSlice - 1) / kSlice);
  if (slices_.size() < count_) slices_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i, begin += kSlice) {
    slices_[i].begin = begin;
    slices_[i].end = std::min(end, begin + kSlice);
  }
}

void Search::for_each_together(std::size_t slices, const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  team_.run([&](unsigned) {
    for (std::size_t i = next++; i < slices; i = next++) job(i);
  });
}

// As far as that needs no writing in the model, and there is room.
void Search::gather_and_claim_together() {
  constexpr std::size_t kUsualSteps = 16;  // Of a state. If there are more, it takes longer.
  states_.make_room(count_ * kSlice * kUsualSteps);
  std::atomic<std::int64_t> room{static_cast<std::int64_t>(states_.room())};
  model_.freeze(true);
  for_each_together(count_, [&](std::size_t i) {
    Slice& slice = slices_[i];
    gather_if_known(slice);
    const auto steps = static_cast<std::int64_t>(slice.hashes.size());
    slice.is_claimed = slice.is_known && room.fetch_sub(steps) >= steps;
    if (slice.is_claimed) claim(i);
  });
  model_.freeze(false);
}

void Search::gather_if_known(Slice& slice) {
  const std::uint32_t end = slice.end;
  try {
    gather(slice);
    slice.is_known = !slice.is_too_narrow;
  } catch (const Unknown&) {
    slice.is_known = false;
  }
  slice.end = end;
}

void Search::claim(std::size_t nth) {
  Slice& slice = slices_[nth];
  HAPAX_CHECK(slice.hashes.size() < std::size_t{1} << kStepBits);
  slice.fresh.clear();
  slice.is_layered = true;
  for (const std::uint64_t hash : slice.hashes) states_.announce_row(hash);
  for (std::uint32_t s = 0; s < slice.hashes.size(); ++s) {
    const auto mine = static_cast<std::uint32_t>(nth) << kStepBits | s;
    const auto known =
        states_.claim(slice.steps.row(s), slice.hashes[s], mine, [&](std::uint32_t claim) {
          return slices_[claim >> kStepBits].steps.row(claim & ((1u << kStepBits) - 1));
        });
    if (!known) {
      slice.fresh.push_back({s, 0});
    } else {
      slice.is_layered &= *known >= level_end_;
    }
  }
}

// Numbers what the first so many slices found.
void Search::settle_together(std::size_t slices) {
  for_each_together(slices, [&](std::size_t i) { find_fresh(i); });
  std::uint32_t fresh = 0;
  for (std::size_t i = 0; i < slices; ++i) {
    Slice& slice = slices_[i];
    slice.first = states_.size() + fresh;
    fresh += static_cast<std::uint32_t>(slice.fresh.size());
    transitions_ += slice.size();
    layered_ &= slice.is_layered;
  }
  states_.append(fresh);
  came_from_.resize(states_.size());
  for_each_together(slices, [&](std::size_t i) { settle(slices_[i]); });
}

void Search::find_fresh(std::size_t nth) {
  Slice& slice = slices_[nth];
  std::size_t count = 0;
  for (const Fresh& f : slice.fresh) {
    if (f.step >= slice.size()) break;
    const auto claim = static_cast<std::uint32_t>(nth) << kStepBits | f.step;
    if (const auto slot = states_.find_claim(slice.hashes[f.step], claim)) {
      slice.fresh[count++] = {f.step, *slot};
    }
  }
  slice.fresh.resize(count);
}

void Search::settle(const Slice& slice) {
  std::uint32_t number = slice.first;
  std::size_t nth = 0;
  for (const Fresh& f : slice.fresh) {
    while (slice.expanded[nth].end <= f.step) ++nth;
    states_.settle(f.slot, slice.hashes[f.step], number, slice.steps.row(f.step));
    came_from_[number++] = slice.begin + static_cast<std::uint32_t>(nth);
  }
}

}  // namespace hapax
