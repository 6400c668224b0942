// The search by several threads, in rounds. First each thread expands shares of the states and
// mails every step to the region of the table where its row belongs. Then each looks up what came
// to a region of its own, share by share, so that the first step that leads to a new state is the
// one that found it. Then new states are numbered in the order of those steps (search_regions.cc).
// So they get the numbers that one thread alone would have given them, and no thread waits for
// another at a single step.
#include <algorithm>

#include "search/search.h"

namespace hapax {
namespace {

// Of each thread in a round. With more their mail does not stay in the cache.
constexpr std::uint32_t kSharesEach = 128;

}  // namespace

std::uint32_t Search::do_together(std::uint32_t begin, std::uint32_t end) {
  cut_into_shares(begin, end);
  model_.freeze(true);
  for_each_block([&](unsigned thread, std::size_t first) {
    for (std::size_t i = first; i < end_of_block(first); i += 2) expand_share(thread, i);
  });
  model_.freeze(false);
  const bool is_too_narrow = expand_rest();
  look_up_together();
  number_newcomers();
  const std::uint32_t reached = shares_[count_ - 1].end;
  if (is_too_narrow) widen();
  return reached;
}

// After each share comes an empty one, for what of it is left.
void Search::cut_into_shares(std::uint32_t begin, std::uint32_t end) {
  count_ = 2 * std::min(kSharesEach * team_.size(), (end - begin + kSlice - 1) / kSlice);
  if (shares_.size() < count_)
    shares_.resize(count_, Share{std::vector<Share::Range>(team_.size())});
  for (std::size_t i = 0; i < count_; i += 2) {
    shares_[i].begin = begin;
    begin = std::min(end, begin + kSlice);
    shares_[i].end = shares_[i + 1].begin = shares_[i + 1].end = begin;
  }
  for (Desk& desk : desks_) desk.clear_mail();
}

// As far as that needs no writing in the model, and nothing is found.
void Search::expand_share(unsigned thread, std::size_t nth) {
  Share& share = shares_[nth];
  Share& rest = shares_[nth + 1];
  Slice& slice = desks_[thread].slice;
  slice.begin = share.begin;
  slice.end = share.end;
  gather(slice);
  std::uint32_t expanded = 0;
  while (expanded < slice.expanded.size() && !is_finding(slice, expanded)) ++expanded;
  slice.expanded.resize(expanded);
  share.end = rest.begin = slice.begin + expanded;
  mail(thread, share);
  rest.steps = 0;
  std::fill(rest.mailed.begin(), rest.mailed.end(), Share::Range{});
}

// What is left of each share, one after the other, up to a finding or to where rows are too narrow.
// True if they are.
bool Search::expand_rest() {
  const unsigned desk = team_.size();
  Slice& slice = desks_[desk].slice;
  desks_[desk].recent.clear(states_.width());
  for (std::size_t i = 1; i < count_; i += 2) {
    Share& rest = shares_[i];
    if (rest.begin == rest.end) continue;
    slice.begin = rest.begin;
    slice.end = rest.end;
    gather(slice);
    look_for_finding(slice);
    mail(desk, rest);
    rest.end = slice.end;
    if (!finding_ && !slice.is_too_narrow) continue;
    count_ = i + 1;
    return slice.is_too_narrow;
  }
  return false;
}

void Search::mail(unsigned desk, Share& share) {
  Desk& from = desks_[desk];
  share.desk = desk;
  share.steps = from.slice.size();
  for (std::size_t r = 0; r < regions_.size(); ++r) share.mailed[r].begin = from.mail[r].used;
  from.sift(states_, team_.size());
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    from.mail[r].copy_rows(share.mailed[r].begin, from.slice.steps, states_.width());
    share.mailed[r].end = from.mail[r].used;
  }
}

}  // namespace hapax
