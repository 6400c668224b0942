// The search by several threads: steps that were mailed are looked up, each region of the table by
// one thread, and what was new there gets its numbers.
#include <algorithm>
#include <atomic>

#include "search/search.h"

namespace hapax {

void Search::for_each_block(const std::function<void(unsigned thread, std::size_t first)>& job) {
  std::atomic<std::size_t> next{0};
  team_.run([&](unsigned thread) {
    for (std::size_t i = next.fetch_add(kBlock); i < count_; i = next.fetch_add(kBlock)) {
      job(thread, i);
    }
  });
}

template <class Use>
void Search::for_each_mailed(unsigned region, std::size_t share, Use&& use) const {
  const Share::Range mailed = shares_[share].mailed[region];
  const Mail& mail = desks_[shares_[share].desk].mail[region];
  const std::uint64_t* row = mail.rows.data() + std::size_t{mailed.begin} * states_.width();
  for (std::uint32_t s = mailed.begin; s < mailed.end; ++s, row += states_.width()) {
    use(mail.steps[s], row);
  }
}

void Search::look_up_together() {
  std::size_t most = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    for (const Share::Range& mailed : shares_[i].mailed) most += mailed.end - mailed.begin;
    transitions_ += shares_[i].steps;
  }
  if (states_.take_room(most)) {
    team_.run([&](unsigned region) { states_.fill(region, team_.size()); });
  }
  team_.run([&](unsigned region) { look_up_region(region); });
  for (const Region& region : regions_) layered_ &= region.is_layered;
}

// Block by block, so that the misses of many steps overlap.
void Search::look_up_region(unsigned r) {
  Region& region = regions_[r];
  region.newcomers.clear();
  region.ends.clear();
  region.is_layered = true;
  announce_slots(r, 0);
  for (std::size_t first = 0; first < count_; first += kBlock) {
    announce_slots(r, first + kBlock);
    announce_rows(r, first);
    const States::Mark* likely = region.marks.data();
    for (std::size_t i = first; i < end_of_block(first); ++i) {
      for_each_mailed(r, i, [&](const Mail::Step& step, const std::uint64_t* row) {
        look_up(region, step, row, *likely++);
      });
      region.ends.push_back(static_cast<std::uint32_t>(region.newcomers.size()));
    }
  }
}

void Search::announce_slots(unsigned r, std::size_t first) const {
  for (std::size_t i = first; i < end_of_block(first); ++i) {
    for_each_mailed(r, i, [&](const Mail::Step& step, const std::uint64_t*) {
      states_.announce_slot(step.hash);
    });
  }
}

void Search::announce_rows(unsigned r, std::size_t first) {
  Region& region = regions_[r];
  region.marks.clear();
  for (std::size_t i = first; i < end_of_block(first); ++i) {
    for_each_mailed(r, i, [&](const Mail::Step& step, const std::uint64_t*) {
      region.marks.push_back(states_.announce_row(step.hash, region.rows.data()));
    });
  }
  const std::size_t words = (region.newcomers.size() + region.marks.size()) * states_.width();
  if (region.rows.size() < words) region.rows.resize(2 * words);
}

void Search::look_up(Region& region, const Mail::Step& step, const std::uint64_t* row,
                     States::Mark likely) {
  if (states_.is_row(likely, row, region.rows.data())) {
    region.is_layered &= States::number_in(likely) >= level_end_;
    return;
  }
  const auto mine = static_cast<std::uint32_t>(region.newcomers.size());
  const States::Claim claim = states_.claim(row, step.hash, mine, region.rows.data());
  region.is_layered &= States::number_in(claim.mark) >= level_end_;
  if (!claim.is_new) return;
  copy_row(region.rows.data() + std::size_t{mine} * states_.width(), row, states_.width());
  region.newcomers.push_back({claim.slot, step.nth, step.from});
}

void Search::number_newcomers() {
  std::uint32_t number = states_.size();
  for (std::size_t i = 0; i < count_; ++i) {
    shares_[i].first = number;
    for (const Region& region : regions_) number += region.ends[i] - region.begin(i);
  }
  states_.append(number - states_.size());
  came_from_.extend(number);
  for_each_block([&](unsigned thread, std::size_t first) {
    for (const Region& region : regions_) {
      for (std::uint32_t i = region.begin(first); i < region.begin(end_of_block(first)); ++i) {
        states_.announce_settling(region.newcomers[i].slot);
      }
    }
    for (std::size_t i = first; i < end_of_block(first); ++i) settle(desks_[thread].next, i);
  });
}

// In each region a share's newcomers are in the order of its steps, and so they are numbered.
void Search::settle(std::vector<std::uint32_t>& next, std::size_t share) {
  for (std::size_t r = 0; r < regions_.size(); ++r) next[r] = regions_[r].begin(share);
  const std::uint32_t end = share + 1 < count_ ? shares_[share + 1].first : states_.size();
  for (std::uint32_t number = shares_[share].first; number < end; ++number) {
    std::size_t of = regions_.size();
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (next[r] == regions_[r].ends[share]) continue;
      const bool is_lower = of == regions_.size() || regions_[r].newcomers[next[r]].nth <
                                                         regions_[of].newcomers[next[of]].nth;
      if (is_lower) of = r;
    }
    const std::uint32_t at = next[of]++;
    const Region::Newcomer& newcomer = regions_[of].newcomers[at];
    const std::uint64_t* row = regions_[of].rows.data() + std::size_t{at} * states_.width();
    states_.settle(newcomer.slot, number, row);
    *came_from_[number] = newcomer.from;
  }
}

}  // namespace hapax
