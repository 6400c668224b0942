// The voters that a member must win in Maekawa's algorithms: its voting set, by seats. Small, so a
// million idle members stay cheap; the sets themselves are shared and must outlive every member.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>

#include "base/check.h"
#include "base/ids.h"
#include "core/view.h"
#include "voting/voting_sets.h"

namespace hapax {

class Constituency {
  template <class F>
  auto with_sets(F&& f) const {
    return sets_ != nullptr ? f(*sets_) : f(VotingSets::grid(processes_));
  }

 public:
  Constituency() = default;
  // Null: the grid of the view's size.
  Constituency(const View& view, const VotingSets* sets)
      : sets_(sets), self_(view.self), processes_(view.size) {
    if (sets_ != nullptr) HAPAX_CHECK(sets_->processes() == view.size);
  }

  NodeId self() const { return self_; }
  bool includes_self() const { return contains(self_, self_); }
  std::uint32_t size() const {
    return with_sets([&](const VotingSets& sets) { return sets.size(self_); });
  }
  std::optional<Seat> seat_of(NodeId voter) const {
    return with_sets([&](const VotingSets& sets) { return sets.seat(self_, voter); });
  }
  NodeId voter(Seat seat) const {
    return with_sets([&](const VotingSets& sets) { return sets.voter(self_, seat); });
  }
  // Whether `voter` is in the voting set of `member`.
  bool contains(NodeId member, NodeId voter) const {
    return with_sets([&](const VotingSets& sets) { return sets.contains(member, voter); });
  }

  // The voters other than the member itself, in the order of their seats.
  class Others {
   public:
    class Iterator {
     public:
      Iterator(const Constituency* of, std::uint32_t seat, std::uint32_t size)
          : of_(of), seat_(seat), size_(size) {
        look();
      }
      NodeId operator*() const { return voter_; }
      Iterator& operator++() {
        ++seat_;
        look();
        return *this;
      }
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.seat_ == b.seat_; }

     private:
      void look() {
        if (seat_ < size_) voter_ = of_->voter(Seat{seat_});
        if (seat_ < size_ && voter_ == of_->self_) {
          ++seat_;
          look();
        }
      }
      const Constituency* of_;
      std::uint32_t seat_;
      std::uint32_t size_;
      NodeId voter_{};
    };
    explicit Others(const Constituency* of) : of_(of) {}
    Iterator begin() const { return {of_, 0, of_->size()}; }
    Iterator end() const { return {of_, of_->size(), of_->size()}; }

   private:
    const Constituency* of_;
  };
  Others others() const { return Others{this}; }

  friend bool operator==(const Constituency&, const Constituency&) = default;

 private:
  const VotingSets* sets_ = nullptr;
  NodeId self_{};
  std::uint32_t processes_ = 1;
};

}  // namespace hapax
