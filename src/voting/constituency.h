// Whom one member of an algorithm that votes must win over: its voting set, by seats. Small, so
// that a million idle members stay cheap; the sets themselves are shared and must outlive every
// member.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/ids.h"
#include "base/text.h"
#include "core/view.h"
#include "voting/voting_rule.h"
#include "voting/voting_sets.h"

namespace hapax {

class Constituency {
 public:
  Constituency() = default;
  // By the sets that were chosen, or else by the algorithm's own rule. Both outlive the member.
  Constituency(const View& view, const VotingSets* chosen, const VotingRule& own)
      : rule_(&VotingRule::in_use(chosen, own)), self_(view.self), processes_(view.size) {
    if (chosen != nullptr) HAPAX_CHECK(chosen->processes() == view.size);
  }

  NodeId self() const { return self_; }
  bool includes_self() const { return contains(self_, self_); }
  std::uint32_t size() const { return rule_->size(self_, processes_); }
  std::optional<VoterSeat> seat_of(NodeId voter) const {
    return rule_->seat(self_, voter, processes_);
  }
  NodeId voter(VoterSeat seat) const { return rule_->voter(self_, seat, processes_); }
  // Who has these seats, {#0,#2}.
  std::string voters_text(const VoterSeats& seats) const {
    std::string text;
    for (const VoterSeat seat : seats) {
      // A state that a stranger wrote may have seats that are none.
      const bool is_one = static_cast<std::uint32_t>(seat) < size();
      text += (text.empty() ? "" : ",") + (is_one ? to_text(voter(seat)) : to_text(seat));
    }
    return '{' + text + '}';
  }
  // Whether `voter` is in the voting set of `member`.
  bool contains(NodeId member, NodeId voter) const {
    return rule_->contains(member, voter, processes_);
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
        if (seat_ < size_) voter_ = of_->voter(VoterSeat{seat_});
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
  const VotingRule* rule_ = &kGridRule;
  NodeId self_{};
  std::uint32_t processes_ = 1;
};

}  // namespace hapax
