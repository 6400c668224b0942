// The instances that are in memory, by name. They are in blocks that never move; the index holds
// four bytes for each, so that a hundred thousand locks do not pay for a hash table's doubling.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/fence.h"
#include "core/instance.h"
#include "core/lock_name.h"
#include "locks/outbox.h"
#include "locks/waiter_queue.h"

namespace hapax {

struct LockEntry {
  std::string name;
  Instance mutex;     // Empty: the place is free.
  Fence fence;        // Of the local holder. Meaningful while held.
  WaiterId holder{};  // Meaningful while held.
  // Invariant: empty while the mutex is idle.
  WaiterQueue waiters;
  std::uint32_t slot = 0;
  std::uint32_t hash = 0;  // Of the name.
  NodeId home{};           // The view's holder for this lock.
  std::uint8_t sets = 0;   // LockKind::sets.
  bool held = false;       // By a local waiter. Invariant: exactly while the mutex is inside.
  // It began elsewhere than a new instance would, so it must not be dropped.
  bool pinned : 1 = false;
  // How many more local waiters this entry of the algorithm serves. Invariant: 0 unless held.
  std::uint8_t served_next : 7 = 0;
  // A WAKE came since the token left. Invariant: false unless the token may rest, this is its
  // home, and it is out or in use.
  bool woken = false;
};

// A hundred thousand held locks have to fit in 20 MB, names, index and all.
static_assert(sizeof(LockEntry) <= 152);

class LockStore {
 public:
  LockStore() : index_(0, Hash{this}, Equal{this}) {}
  // Every entry keeps its slot. Its waiters lie in the WaiterPool, which is copied with it.
  LockStore(const LockStore& other)
      : free_(other.free_), used_(other.used_), index_(0, Hash{this}, Equal{this}) {
    for (const auto& block : other.blocks_) blocks_.push_back(std::make_unique<Block>(*block));
    for (const std::uint32_t slot : other.index_) index_.insert(slot);
  }
  LockStore& operator=(const LockStore&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(index_.size()); }
  // One past the highest slot ever used.
  std::uint32_t slots() const { return used_; }
  LockEntry& at(std::uint32_t slot) { return (*blocks_[slot / kBlock])[slot % kBlock]; }
  const LockEntry& at(std::uint32_t slot) const { return (*blocks_[slot / kBlock])[slot % kBlock]; }

  LockEntry* find(std::string_view name) {
    sought_ = short_hash(name);
    const auto found = index_.find(Sought{name, sought_});
    return found == index_.end() ? nullptr : &at(*found);
  }
  const LockEntry* find(std::string_view name) const {
    const auto found = index_.find(Sought{name, short_hash(name)});
    return found == index_.end() ? nullptr : &at(*found);
  }

  // An entry with nothing but its name. REQUIRES: the last find() was of that name, and found none.
  LockEntry& insert(std::string_view name) {
    const std::uint32_t slot = take();
    LockEntry& entry = at(slot);
    entry.name = name;
    entry.slot = slot;
    entry.hash = sought_;
    index_.insert(slot);
    return entry;
  }

  void erase(LockEntry& entry) {
    const std::uint32_t slot = entry.slot;
    index_.erase(slot);
    entry = LockEntry{};
    free_.push_back(slot);
  }

 private:
  static constexpr std::uint32_t kBlock =
      8;  // A table with one lock is copied often, by a checker.
  using Block = std::array<LockEntry, kBlock>;

  static std::uint32_t short_hash(std::string_view name) {
    return static_cast<std::uint32_t>(hash_of_lock(name) >> 32);
  }

  struct Sought {
    std::string_view name;
    std::uint32_t hash;
  };

  struct Hash {
    using is_transparent = void;
    using is_avalanching = void;
    const LockStore* store;
    std::size_t operator()(const Sought& sought) const { return spread(sought.hash); }
    std::size_t operator()(std::uint32_t slot) const { return spread(store->at(slot).hash); }
    static std::size_t spread(std::uint32_t hash) {
      return hash * std::uint64_t{0x9e3779b97f4a7c15};
    }
  };
  struct Equal {
    using is_transparent = void;
    const LockStore* store;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(const Sought& sought, std::uint32_t slot) const {
      return store->at(slot).name == sought.name;
    }
    bool operator()(std::uint32_t slot, const Sought& sought) const {
      return store->at(slot).name == sought.name;
    }
  };

  std::uint32_t take() {
    if (!free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      return slot;
    }
    if (used_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Block>());
    return used_++;
  }

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
  std::uint32_t sought_ = 0;  // The hash that the last find() looked for.
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> index_;
};

}  // namespace hapax
