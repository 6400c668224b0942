// A group with one lock: processes, the links between them, and what all share; and how what a
// member does changes them. The members are the product's own (service/member_views.h), and so are
// the frames between them and the register's rules; nothing is left of real time but whose lease is
// over.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/instance.h"
#include "search/parts.h"
#include "view/engine_register.h"
#include "view/keeper.h"
#include "viewcheck/client_word.h"
#include "viewcheck/view_members.h"
#include "viewcheck/view_options.h"
#include "viewcheck/view_parts.h"

namespace hapax {

class ViewStage {
 public:
  using Link = std::vector<Parcel>;

  struct Failure {
    std::string_view property;
    std::string text;
  };

  std::vector<Process> processes;
  std::vector<Link> links;  // From i to j: i * n + j.
  Commons commons;
  // Which of the parts above a step has changed, for the model.
  std::uint64_t touched_processes = 0;
  std::uint64_t touched_links = 0;
  bool touched_commons = false;
  std::optional<Failure> failure;

  // Whether one may ask for different things, and what the plain request is for.
  bool has_modes() const { return algorithm_.modes.size() > 1; }
  Mode first_mode() const { return algorithm_.modes.front(); }
  const Keeper& keeper(std::uint32_t i) const { return members_[processes[i].member].keeper(); }
  const Bytes& frame(const Parcel& parcel) const { return members_.frame(parcel.frame); }

 protected:
  using Reaction = ViewMembers::Reaction;
  using Input = ViewMembers::Input;
  using Kind = Input::Kind;

  ViewStage(const Operations& algorithm, const ViewCheckOptions& options);

  bool leaves_out(ViewRule rule) const { return options_.leaves_out(rule); }
  Life life_of(std::uint32_t i, std::uint32_t life) const { return Life{i + n_ * life + 1}; }
  std::uint32_t process_of(Life life) const;
  Process& touch(std::uint32_t i);
  Commons& touch_commons();
  Link& touch_link(std::uint32_t from, std::uint32_t to);
  template <class... Args>
  void fail(std::string_view property, fmt::format_string<Args...> format, Args... who) {
    if (!failure) failure = Failure{property, fmt::format(format, (who + 1)...)};
  }

  const EngineRegister& engine() const { return engines_[commons.engine]; }
  std::uint32_t number_of(const EngineRegister& engine);
  // change(engine) happens to what the engine holds.
  template <class Change>
  auto change_engine(Change&& change) {
    EngineRegister next = engine();
    const auto outcome = change(next);
    touch_commons().engine = number_of(next);
    return outcome;
  }

  // What the member of i did is done to everything else; or the one that it was before it stopped.
  void take(std::uint32_t i, const Reaction& reaction);
  void take_from_before(std::uint32_t i, const Reaction& reaction);
  // act(member, orders, reaction), and what is added to it where a rule is left out.
  template <class Act>
  const Reaction& react(std::uint32_t i, const Input& input, Act&& act);
  // The same for what(keeper, effects).
  template <class What>
  const Reaction& tell(std::uint32_t i, const Input& input, What&& what);
  // The member hears that the client gives its lock back, and takes the word, if there is one.
  // False: its lock does not know of it.
  bool give_back(std::uint32_t i);
  // The client is inside, with that fence.
  void enter(std::uint32_t i, Fence fence);
  // Paused past its lease: whatever it does next, it notices first.
  bool is_late(std::uint32_t i) const;
  void notice_lease_end(Keeper& keeper, Keeper::Effects& effects) const;
  void be_reborn(std::uint32_t i);
  void leave_ghost(std::uint32_t i);
  void clear_links_to(std::uint32_t i);

  const Operations& algorithm_;
  ViewCheckOptions options_;
  std::uint32_t n_;
  std::uint32_t capacity_;  // How many may be inside at a time, shared.
  std::string lock_;
  ViewMembers members_;

 private:
  void spoil(MemberViews& member, ViewOrders& orders) const;
  void pass_on(std::uint32_t i, Life life, const Reaction& reaction);
  // What has been sent to a life that is over never arrives. What would be dropped on arrival is
  // dropped at once: nobody can tell the difference.
  bool drops_at_once() const;
  bool is_dropped_by(std::uint32_t i, std::uint32_t frame) const;
  void drop_what_is_old(std::uint32_t i);
  void grant(std::uint32_t i, const Grant& grant);
  void see_word(std::uint32_t i, const Reaction& reaction);
  void stop_keeping(std::uint32_t i);
  void check_fence(std::uint32_t i);
  void grant_without_lease(std::uint32_t i);

  Parts<EngineRegister> engines_;
  Bytes key_;
};

template <class Act>
const ViewStage::Reaction& ViewStage::react(std::uint32_t i, const Input& input, Act&& act) {
  const auto spoilt = [&](MemberViews& member, ViewOrders& orders, Reaction& reaction) {
    act(member, orders, reaction);
    if (options_.without) spoil(member, orders);
  };
  const Process& p = processes[i];
  if (!p.is_by_word()) return members_.react(p.member, input, spoilt);
  ClientWord client{p};
  Input seen = input;
  seen.word = client.word.load() << 32 | number(p.fence.turn);
  const auto looked_at = [&](MemberViews& member, ViewOrders& orders, Reaction& reaction) {
    spoilt(member, orders, reaction);
    reaction.word = client.state();
  };
  return members_.react(p.member, seen, looked_at, &client.grant);
}

template <class What>
const ViewStage::Reaction& ViewStage::tell(std::uint32_t i, const Input& input, What&& what) {
  return react(i, input, [&](MemberViews& member, ViewOrders& orders, Reaction& reaction) {
    const Keeper::Effects effects = member.tell_keeper(what, orders);
    reaction.is_due = effects.report || effects.ended || effects.proposal.has_value();
  });
}

}  // namespace hapax
