// What one answer tells about locks. Anybody can wait a million times, and an answer is a frame of
// limited size; so the first that fit are listed, and the others are counted.
//
// Locks and people have room of their own: no crowd at one lock hides another lock, or a
// holder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/protocol.h"

namespace hapax {

class LockList {
 public:
  struct Limits {
    std::size_t locks = 0;
    std::size_t lock_bytes = 0;
    std::size_t people_bytes = 0;
  };
  // What a member tells another: less than a message of the mesh.
  static constexpr Limits kOfMember{1'000, std::size_t{512} << 10, std::size_t{256} << 10};
  // Of all members together. A holder may come when its lock is already listed, and is listed in
  // any case: at most a little over a kilobyte for each lock. So it is less than kLargestAnswer.
  static constexpr Limits kOfAll{1'000, std::size_t{1} << 20, std::size_t{1} << 20};

  // Of a member, when all of its locks are told page by page: a page has room for what is told of
  // so many, however long their names are, …
  static constexpr std::size_t kPage = 400;
  // … and all pages together are no frame.
  static constexpr Limits kOfPages{10'000, std::size_t{4} << 20, std::size_t{4} << 20};

  explicit LockList(const Limits& limits) : limits_(limits) {}

  // Adds what somebody knows of a lock to what others know. REQUIRES: is_sound(lock).
  void add(const session::Lock& lock);
  bool has_room_for_locks() const { return locks_.size() < limits_.locks; }
  void count_more_locks(std::uint64_t count) { more_locks_ += count; }

  // The locks by name, each member's people together.
  std::vector<session::Lock> take();
  std::uint64_t more_locks() const { return more_locks_; }

  // No longer anywhere than members make it.
  static bool is_sound(const session::Lock& lock);

 private:
  void add_people(const std::vector<session::Person>& from, std::uint64_t more_from,
                  std::vector<session::Person>& to, std::uint64_t& more);

  const Limits limits_;
  std::size_t lock_bytes_ = 0;
  std::size_t people_bytes_ = 0;
  std::map<std::string, session::Lock> locks_;
  std::uint64_t more_locks_ = 0;
};

}  // namespace hapax
