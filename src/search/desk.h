// Where one thread expands slices of the states, and lays out which of their steps are to be looked
// up in the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/recent_rows.h"
#include "search/slice.h"
#include "search/states.h"

namespace hapax {

// Steps that are to be looked up in one region of the table. Those of slices before may still be
// there. If it is another thread that looks them up, they have copies of their rows with them: a
// line that one core writes and another reads costs both of them more than the rest of a step, so
// what the slice holds is for its own thread alone.
struct alignas(64) SearchMail {
  struct Step {
    std::uint64_t hash;
    std::uint32_t nth;  // Of its slice.
    std::uint32_t from;
  };

  std::vector<Step> steps;
  std::vector<std::uint64_t> rows;
  std::uint32_t used = 0;  // So many of the steps are there; the others are room.

  void copy_rows(std::uint32_t first, const Steps& from, std::uint32_t width);
};

// On lines of its own, as its mail is: each thread writes to one all the time.
struct alignas(64) SearchDesk {
  explicit SearchDesk(unsigned regions) : mail(regions), next(regions) {}

  void clear_mail();
  // Mails the slice's steps, without those that lead where one shortly before led. REQUIRES: of
  // slices that were sifted since recent.clear(), each comes after the one before.
  void sift(const States& states, unsigned regions);

  SearchSlice slice;
  RecentRows recent;
  std::vector<SearchMail> mail;     // By region.
  std::vector<std::uint32_t> next;  // When states are numbered: the next newcomer, by region.
};

}  // namespace hapax
