// A group of lock tables joined by FIFO links in memory, watched: whoever enters while another is
// inside, or with a fence that does not grow, fails the test; so does any complaint.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/fence.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "wire/codec.h"

namespace hapax {

// Every lock by the algorithm of that name.
inline Policy all_by(std::string_view algorithm) {
  Policy policy;
  EXPECT_TRUE(policy.set_default(algorithm).has_value()) << algorithm;
  return policy;
}

class TableGroup {
 public:
  struct Waiter {
    std::uint32_t node = 0;
    std::string name;
    WaiterId id{};
  };

  TableGroup(std::uint32_t size, const Policy& policy, Epoch epoch = Epoch{7})
      : links_(size, std::vector<std::deque<Bytes>>(size)) {
    for (std::uint32_t i = 0; i < size; ++i) {
      const Membership membership{epoch, size, NodeId{i}};
      tables_.push_back(std::make_unique<LockTable>(membership, policy));
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(tables_.size()); }
  LockTable& table(std::uint32_t node) { return *tables_[node]; }
  void replace_by_copies() {
    for (auto& table : tables_) {
      auto copy = std::make_unique<LockTable>(*table);
      Bytes before, after;
      table->encode_to(before);
      copy->encode_to(after);
      EXPECT_EQ(before, after);
      table = std::move(copy);
    }
  }
  void forget_table(std::uint32_t node) { tables_[node].reset(); }
  const std::vector<Waiter>& waiting() const { return waiting_; }
  const std::vector<Waiter>& inside() const { return inside_; }
  Fence highest(const std::string& name) { return highest_[name]; }
  std::uint64_t entries() const { return entries_; }
  std::uint64_t messages() const { return messages_; }
  bool is_inside(const Waiter& waiter) const { return index_of(inside_, waiter).has_value(); }

  Waiter acquire(std::uint32_t node, const std::string& name) {
    Waiter waiter{node, name, WaiterId{++last_waiter_}};
    waiting_.push_back(waiter);
    const auto done = tables_[node]->acquire(name, waiter.id, out_);
    EXPECT_TRUE(done.has_value());
    collect(node);
    return waiter;
  }
  void release(const Waiter& waiter) {
    const auto at = index_of(inside_, waiter);
    ASSERT_TRUE(at.has_value());
    inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(*at));
    EXPECT_TRUE(tables_[waiter.node]->release(waiter.name, waiter.id, out_).has_value());
    collect(waiter.node);
  }
  void abandon(const Waiter& waiter) {
    const auto at = index_of(waiting_, waiter);
    ASSERT_TRUE(at.has_value());
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(*at));
    EXPECT_TRUE(tables_[waiter.node]->abandon(waiter.name, waiter.id, out_).has_value());
    EXPECT_TRUE(out_.empty()) << "giving up costs a message";
    collect(waiter.node);
  }

  // A lock that is held at `node` as the view starts, known to all.
  Waiter begin_held(std::uint32_t node, const std::string& name, Fence fence) {
    const Waiter waiter{node, name, WaiterId{++last_waiter_}};
    for (std::uint32_t i = 0; i < size(); ++i) {
      std::optional<LockHolder> here;
      if (i == node) here = LockHolder{waiter.id, fence};
      EXPECT_TRUE(tables_[i]->begin(name, NodeId{node}, true, here).has_value());
    }
    highest_[name] = fence;
    inside_.push_back(waiter);
    return waiter;
  }

  // Links with something under way.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> busy_links() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> busy;
    for (std::uint32_t from = 0; from < size(); ++from) {
      for (std::uint32_t to = 0; to < size(); ++to) {
        if (!links_[from][to].empty()) busy.emplace_back(from, to);
      }
    }
    return busy;
  }
  void deliver(std::uint32_t from, std::uint32_t to) {
    const Bytes payload = std::move(links_[from][to].front());
    links_[from][to].pop_front();
    seen_.push_back(payload);
    tables_[to]->receive(NodeId{from}, payload, out_);
    collect(to);
  }
  // Delivers until nothing is under way; false if there is no end to it.
  bool drain() {
    for (std::uint64_t left = 1'000'000; left > 0; --left) {
      const auto busy = busy_links();
      if (busy.empty()) return true;
      deliver(busy.front().first, busy.front().second);
    }
    return false;
  }
  // Lets everybody enter and leave until nobody waits; false if somebody waits for ever.
  bool serve_all() {
    while (true) {
      if (!drain()) return false;
      if (inside_.empty()) return waiting_.empty();
      release(Waiter{inside_.front()});
    }
  }

  // Every payload delivered so far.
  const std::vector<Bytes>& seen() const { return seen_; }

 private:
  static std::optional<std::size_t> index_of(const std::vector<Waiter>& list, const Waiter& which) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].id == which.id) return i;
    }
    return std::nullopt;
  }

  void collect(std::uint32_t node) {
    for (const auto& send : out_.sends()) {
      const auto bytes = out_.bytes(send);
      links_[node][number(send.to)].emplace_back(bytes.begin(), bytes.end());
      ++messages_;
    }
    for (const auto& grant : out_.grants()) on_grant(node, grant);
    for (const auto& complaint : out_.complaints()) {
      ADD_FAILURE() << "node " << node << " complains of " << number(complaint.peer) << ": "
                    << name_of(complaint.kind) << ", " << complaint.text;
    }
    out_.clear();
  }
  void on_grant(std::uint32_t node, const Grant& grant) {
    const auto asked = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiter& w) {
      return w.node == node && w.id == grant.waiter;
    });
    ASSERT_NE(asked, waiting_.end()) << "a grant for nobody";
    const Waiter waiter = *asked;
    const std::string& name = waiter.name;
    for (const Waiter& other : inside_) {
      EXPECT_NE(other.name, name) << "two inside: nodes " << other.node << " and " << node;
    }
    // First come, first served among the waiters of one node.
    const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiter& w) {
      return w.node == node && w.name == name;
    });
    EXPECT_EQ(first->id, grant.waiter);
    EXPECT_GT(grant.fence, highest_[name]) << "the fence does not grow";
    highest_[name] = grant.fence;
    waiting_.erase(first);
    inside_.push_back(waiter);
    ++entries_;
  }

  std::vector<std::unique_ptr<LockTable>> tables_;
  std::vector<std::vector<std::deque<Bytes>>> links_;  // From, to.
  Outbox out_;
  std::vector<Waiter> waiting_;  // In the order of asking.
  std::vector<Waiter> inside_;
  std::map<std::string, Fence> highest_;
  std::vector<Bytes> seen_;
  std::uint64_t last_waiter_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace hapax
