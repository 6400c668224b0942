// Who is at the daemon's door: not too many, strangers not for long, and nobody over TCP that has
// fallen silent.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/descriptor_limit.h"
#include "session/protocol.h"
#include "visitors/visitor.h"

namespace hapax {

class Visitors {
 public:
  using After = std::function<void(std::chrono::milliseconds, std::function<void()>)>;
  // `most` may take locks; beyond them a few who do not.
  Visitors(After after, std::size_t most) : after_(std::move(after)), most_(most) {}

  std::size_t most() const { return most_; }
  // Not even one who only asks.
  bool is_full() const { return visitors_.size() >= most_ + kForQuestions; }
  // REQUIRES: it has been admitted.
  bool has_room_for_another() const { return visitors_.size() <= most_; }
  void admit(const std::shared_ptr<Visitor>& visitor) {
    visitors_.insert(visitor);
    strangers_.push_back(visitor);
    if (strangers_.size() > kMostStrangers) send_strangers_away();
    if (visitor->is_behind_tcp()) patrol();
  }
  void erase(const std::shared_ptr<Visitor>& visitor) { visitors_.erase(visitor); }
  bool contains(const std::shared_ptr<Visitor>& visitor) const {
    return visitors_.contains(visitor);
  }
  std::size_t size() const { return visitors_.size(); }
  std::vector<std::shared_ptr<Visitor>> all() const { return {visitors_.begin(), visitors_.end()}; }
  void clear() { visitors_.clear(); }

 private:
  static constexpr std::size_t kMostStrangers = 256;  // Who have not introduced themselves yet.
  static constexpr std::chrono::milliseconds kPatrolEvery{500};

  // The oldest go first: a client that means it has introduced itself by now.
  void send_strangers_away() {
    std::erase_if(strangers_, [](const std::weak_ptr<Visitor>& weak) {
      const auto visitor = weak.lock();
      return !visitor || visitor->has_introduced_itself();
    });
    while (strangers_.size() > kMostStrangers) {
      const auto oldest = strangers_.front().lock();
      strangers_.pop_front();
      if (oldest) oldest->close(false);
    }
  }

  // Clients speak once a second. One over TCP that has been silent for so long that it relies on
  // nothing any more is asleep or cut off: others need not wait for it.
  void patrol() {
    if (std::exchange(is_patrolling_, true)) return;
    after_(kPatrolEvery, [this] {
      is_patrolling_ = false;
      bool any = false;
      for (const auto& visitor : all()) {
        if (!visitor->is_behind_tcp()) continue;
        any = true;
        if (visitor->silent_for() < session::kSilence + kPatrolEvery) continue;
        visitor->say_goodbye();  // As good as.
        visitor->close(false);
      }
      if (any) patrol();
    });
  }

  After after_;
  std::size_t most_;
  std::set<std::shared_ptr<Visitor>> visitors_;
  std::deque<std::weak_ptr<Visitor>> strangers_;  // Perhaps: some may have introduced themselves.
  bool is_patrolling_ = false;
};

}  // namespace hapax
