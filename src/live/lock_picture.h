// The locks of a group as they were last seen, what has changed since, and who held what before.
// Pure. Whoever looks once a second does not see what is shorter than that.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "hapax/client.h"

namespace hapax::live {

using Time = std::chrono::milliseconds;  // Since the epoch of Unix.

// Somebody got a lock, or has it no more.
struct Turnover {
  Time time{};
  std::string lock;
  bool is_taken = false;
  Person who;
};

class LockPicture {
 public:
  static constexpr std::size_t kMostHistory = 4'096;

  struct Change {
    std::vector<const LockInfo*> changed;  // Good until the next.
    std::vector<std::string> gone;
  };
  // They are like this now.
  Change update(std::vector<LockInfo>&& locks, Time now);
  // Nobody looks any more. What comes next is not compared with what was; history stays.
  void forget();

  const std::map<std::string, LockInfo>& locks() const { return locks_; }
  Time seen() const { return seen_; }  // When it was so.
  std::vector<const Turnover*> history_of(const std::string& lock) const;

 private:
  void note(const LockInfo* before, const LockInfo* after, Time now);

  std::map<std::string, LockInfo> locks_;
  Time seen_{};
  bool is_known_ = false;  // Since somebody looks.
  std::deque<Turnover> history_;
};

}  // namespace hapax::live
