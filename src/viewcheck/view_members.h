// The members under numbers, and what each does on each input. They are the product's own: since
// they are deterministic, what one in a given state does on a given input is computed once and
// looked up from then on.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fence.h"
#include "kept/word.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "search/parts.h"
#include "service/kept_grant.h"
#include "service/member_views.h"
#include "service/orders.h"
#include "service/view_locks.h"
#include "view/roll.h"
#include "wire/codec.h"

namespace hapax {

class ViewMembers {
 public:
  struct Sent {
    Life to{};
    std::uint32_t frame = 0;
  };
  struct Reaction {
    std::uint32_t member = 0;  // As it is afterwards.
    std::vector<Sent> sends;
    std::optional<Grant> granted;  // To the client, which is the only one.
    bool lost = false;             // By it.
    bool wanted = false;           // What it holds, or is to be given back since the member goes.
    bool ended = false;            // This life has.
    kept::State word{};            // The client's, afterwards, if the member goes by one.
    std::string complaint;         // About another member.
    // For the step to say:
    bool refused = false;  // What the client wants to be done cannot be.
    bool is_due = false;   // There was something to learn, or to propose.
  };
  // What happens to a member. Equal inputs do the same to it.
  struct Input {
    enum class Kind : std::uint8_t {
      set_out,
      announce,
      learn,
      propose,
      proposed,
      beat,
      lease_ended,
      leave,
      be_born,
      acquire,
      release,
      abandon,
      on_frame,
      handle
    };
    Kind kind{};
    std::uint32_t what = 0;  // The number of a frame, or of what the engine holds; an outcome.
    std::uint64_t who = 0;   // A life or a waiter.
    std::uint64_t word = 0;  // All of the client's word that the member may come to see.
  };

  explicit ViewMembers(Policy policy) : blank_{std::move(policy), holders_} {}
  ViewMembers(const ViewMembers&) = delete;
  ViewMembers& operator=(const ViewMembers&) = delete;

  // Only without ViewRule::kept_turns_at_loss.
  void forget_turns_at_loss() { holders_.forgets_turns = true; }

  const MemberViews& operator[](std::uint32_t member) const { return members_[member]; }
  const Bytes& frame(std::uint32_t number) const { return frames_[number]; }

  // A new process.
  std::uint32_t born_as(Life life, Epoch above = {}) {
    MemberViews member = blank_;
    member.be_born(life, above);
    return number_of(member);
  }
  // What becomes of that member when act(member, orders, reaction) happens to it. `by_word`: what
  // it has granted by a word, if it has.
  template <class Act>
  const Reaction& react(std::uint32_t member, const Input& input, Act&& act,
                        KeptGrant* by_word = nullptr) {
    const Key key{member, input.kind, input.what, input.who, input.word};
    const auto [at, is_new] = known_.try_emplace(key, reactions_.size());
    if (!is_new) return reactions_[at->second];
    MemberViews next = members_[member];
    orders_.clear();
    Reaction reaction;
    holders_.by_word = by_word;
    act(next, orders_, reaction);
    return reactions_.emplace_back(finish(next, std::move(reaction)));
  }

 private:
  // The only client: inside if it holds the lock, unless its word says that it only keeps it.
  class Client final : public Holders {
   public:
    KeptGrant* by_word = nullptr;
    bool forgets_turns = false;
    bool is_inside(WaiterId) override { return by_word == nullptr || by_word->is_inside(); }
    std::optional<Turn> take_back(WaiterId) override {
      if (by_word == nullptr) return std::nullopt;
      const Turn last = by_word->take_back();
      return forgets_turns ? std::nullopt : std::optional{last};
    }
  };
  using Key = std::tuple<std::uint32_t, Input::Kind, std::uint32_t, std::uint64_t, std::uint64_t>;

  Reaction finish(const MemberViews& next, Reaction reaction);
  std::uint32_t number_of(const MemberViews& member);

  Client holders_;
  MemberViews blank_;
  Parts<MemberViews> members_;
  Parts<Bytes> frames_;
  boost::unordered_flat_map<Key, std::size_t> known_;
  std::deque<Reaction> reactions_;
  ViewOrders orders_;
  Bytes key_;
};

}  // namespace hapax
