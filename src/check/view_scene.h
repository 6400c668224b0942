// Members, links and the register of a group that changes its views, with one lock inside. What can
// happen is here, step by step; view_model.h lets the search do all of it in every order.
//
// The keepers and algorithms are the real ones. Around them is what a driver does with them, and
// real time, of which only this is kept: whose lease is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "check/view_options.h"
#include "check/view_parts.h"
#include "core/effects.h"
#include "core/fence.h"
#include "core/make.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"
#include "view/keeper.h"

namespace hapax {

template <MutexAlgorithm A>
class ViewScene {
 public:
  using Message = typename A::Message;
  using Link = std::vector<Parcel<Message>>;
  using Handling = Keeper::Handling;

  struct Failure {
    std::string_view property;
    std::string text;
  };

  explicit ViewScene(const ViewCheckOptions& options) : options_(options), n_(options.n) {
    commons.faults = static_cast<std::uint8_t>(options.faults);
    Roll roll{Epoch{1}, {}};
    for (std::uint32_t i = 0; i < n_; ++i) {
      const Life life = life_of(i, 0);
      processes.push_back(Process<A>{.keeper = Keeper{life}});
      processes.back().left = static_cast<std::uint8_t>(options.entries);
      if (i >= n_ - options.joiners) continue;
      roll.members.push_back(life);
      commons.reg.beats.push_back({life, 1});
    }
    links.resize(n_ * n_);
    commons.reg.version = 1;
    commons.reg.roll = roll;
    for (std::uint32_t i = 0; i < n_ - options.joiners; ++i) set_out(i);
  }

  std::vector<Process<A>> processes;
  std::vector<Link> links;  // From i to j: i * n + j.
  Commons commons;
  // Which of the parts above a step has changed, for the model.
  std::uint64_t touched_processes = 0;
  std::uint64_t touched_links = 0;
  bool touched_commons = false;
  std::optional<Failure> failure;

  Link& link(std::uint32_t from, std::uint32_t to) { return links[from * n_ + to]; }

  // --- what can happen to process i, alive and not late unless said otherwise ---

  bool can_ask(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return p.client == Phase::idle && p.left > 0 && !p.going && !p.gone && !p.pen &&
           p.keeper.standing() != Standing::outside;
  }
  void ask(std::uint32_t i) {
    Process<A>& p = touch(i);
    --p.left;
    p.client = Phase::waiting;
    if (p.lock && may_request(p)) request(i);
  }

  bool can_exit(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return p.client == Phase::inside && (!options_.gate || p.written);
  }
  void exit(std::uint32_t i) {
    Process<A>& p = touch(i);
    p.stop_working();
    give_back(i);
  }

  bool can_read(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return options_.gate && p.client == Phase::inside && !p.written && !p.pen;
  }
  void read(std::uint32_t i) {
    Process<A>& p = touch(i);
    Commons& c = touch_commons();
    if (p.fence < c.mark) {
      p.written = true;  // Refused: nothing to do but leave.
      return;
    }
    if (!options_.leaves_out(ViewRule::gate_minds_reads)) c.mark = p.fence;
    p.pen = Pen{p.fence, c.value};
  }
  // Late or not, alive or not: a client that sleeps may wake up here.
  bool can_write(std::uint32_t i) const { return processes[i].pen.has_value(); }
  void write(std::uint32_t i) {
    Process<A>& p = touch(i);
    Commons& c = touch_commons();
    const Pen pen = *p.pen;
    p.pen.reset();
    p.written = p.client == Phase::inside;
    if (pen.fence < c.mark) return;
    c.mark = pen.fence;
    if (pen.value != c.value) fail("updates", "P{} writes over an update that it has not read", i);
    ++c.value;
  }

  Handling handling(std::uint32_t from, std::uint32_t i) const {
    const Parcel<Message>& parcel = links[from * n_ + i].front();
    const Process<A>& p = processes[i];
    Handling handling = parcel.is_report ? p.keeper.what_to_do_with_report(parcel.epoch)
                                         : p.keeper.what_to_do_with_message(parcel.epoch);
    const Standing standing = p.keeper.standing();
    if (options_.leaves_out(ViewRule::old_epoch_dropped) && handling == Handling::drop &&
        !parcel.is_report && standing == Standing::running) {
      handling = Handling::handle;
    }
    if (options_.leaves_out(ViewRule::report_for_its_view) && handling == Handling::drop &&
        parcel.is_report && standing == Standing::changing) {
      handling = Handling::handle;
    }
    if (options_.leaves_out(ViewRule::messages_stop) && !parcel.is_report && p.lock &&
        standing == Standing::changing && parcel.epoch == p.view.epoch) {
      handling = Handling::handle;
    }
    if (options_.leaves_out(ViewRule::later_kept) && handling == Handling::keep) {
      handling = Handling::drop;
    }
    return handling;
  }
  bool can_deliver(std::uint32_t from, std::uint32_t i) const {
    return !links[from * n_ + i].empty() && handling(from, i) != Handling::keep;
  }
  void deliver(std::uint32_t from, std::uint32_t i, bool again = false) {
    const Handling what = handling(from, i);
    const Parcel<Message> parcel = link(from, i).front();
    if (!again) pop(from, i);
    if (what == Handling::drop) return;
    Process<A>& p = touch(i);
    if (!parcel.is_report) {
      const NodeId from_place{number(parcel.from) % p.view.size};
      p.lock->receive(from_place, *parcel.message, fx_);
      return settle(i);
    }
    if (parcel.held) p.holders.push_back(parcel.life);
    Keeper::Effects effects;
    p.keeper.on_report(parcel.life, p.keeper.roll().epoch, effects);
    carry_out(i, effects);
  }
  void lose(std::uint32_t from, std::uint32_t i) { pop(from, i); }

  bool can_learn(std::uint32_t i) const {
    Keeper keeper = processes[i].keeper;
    if (keeper.standing() == Standing::outside) return false;
    Keeper::Effects effects;
    keeper.on_register(commons.reg, effects);
    return effects.report || effects.ended;
  }
  void learn(std::uint32_t i) {
    Keeper::Effects effects;
    touch(i).keeper.on_register(commons.reg, effects);
    carry_out(i, effects);
  }

  bool can_propose(std::uint32_t i) const {
    const Keeper& keeper = processes[i].keeper;
    const Standing standing = keeper.standing();
    if (standing == Standing::outside || standing == Standing::ended) return false;
    return !keeper.is_proposing() && watching(i).is_due(commons.reg);
  }
  // Reads, and has its proposal ready.
  void propose(std::uint32_t i) {
    Process<A>& p = touch(i);
    p.keeper = watching(i);
    Keeper::Effects effects;
    p.keeper.propose(effects);
    p.keeper.on_register(commons.reg, effects);
    carry_out(i, effects);
  }
  bool can_commit(std::uint32_t i) const { return processes[i].keeper.pending().has_value(); }
  // `answered`: what became of it is told. `done`: it reached the engine.
  void commit(std::uint32_t i, bool answered, bool done) {
    Process<A>& p = touch(i);
    Proposal proposal = *p.keeper.pending();
    const bool committed = done && apply(proposal);
    Outcome outcome = committed ? Outcome::committed : Outcome::conflict;
    // The keeper thinks of another epoch than it got.
    const bool renumbered = committed && options_.leaves_out(ViewRule::fresh_list);
    if (!answered || renumbered) outcome = Outcome::unknown;
    Keeper::Effects effects;
    p.keeper.on_proposed(outcome, effects);
    if (renumbered) p.keeper.on_register(commons.reg, effects);
    carry_out(i, effects);
  }

  // Late ones only.
  void wake(std::uint32_t i) {
    Keeper::Effects effects;
    touch(i).keeper.lease_ended(effects);
    carry_out(i, effects);
  }
  // As long as all is well, beats change nothing: only those are steps that end a silence, or are
  // refused.
  bool can_beat(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    const Standing standing = p.keeper.standing();
    if (standing == Standing::outside || standing == Standing::ended) return false;
    return p.expired || is_marked(p.keeper.self()) ||
           commons.reg.beat_of(p.keeper.self()) == nullptr;
  }
  void beat(std::uint32_t i) {
    Process<A>& p = touch(i);
    Keeper::Effects effects;
    if (commons.reg.beat_of(p.keeper.self()) == nullptr || is_marked(p.keeper.self())) {
      p.keeper.on_beat(Outcome::conflict, effects);
      return carry_out(i, effects);
    }
    for (Beat& beat : touch_commons().reg.beats) {
      if (beat.life == p.keeper.self()) ++beat.version;
    }
    p.expired = false;
    p.keeper.on_beat(Outcome::committed, effects);
    carry_out(i, effects);
    if (p.entered && p.keeper.may_grant()) grant(i, *std::exchange(p.entered, std::nullopt));
  }

  bool can_announce(std::uint32_t i) const {
    return processes[i].keeper.standing() == Standing::outside && !processes[i].gone;
  }
  void announce(std::uint32_t i) {
    Process<A>& p = touch(i);
    Commons& c = touch_commons();
    Keeper::Effects effects;
    p.keeper.announce(effects);
    if (c.reg.beat_of(p.keeper.self()) == nullptr) {
      c.reg.beats.push_back({p.keeper.self(), 1});
      p.keeper.on_announced(Outcome::committed, effects);
    } else {
      p.keeper.on_announced(Outcome::conflict, effects);
      p.keeper.on_register(c.reg, effects);
    }
    carry_out(i, effects);
  }

  // --- real time ---

  // The lease of i runs out. Its clients no longer count as inside, whatever they believe.
  bool can_expire(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return !p.expired && commons.reg.beat_of(p.keeper.self()) != nullptr;
  }
  void expire(std::uint32_t i) { touch(i).expired = true; }
  void expire_ghost(std::uint32_t i) {
    Process<A>& p = touch(i);
    p.ghost.reset();
    p.ghost_inside = false;
  }

  // --- faults, and what people do ---

  void spend() { --touch_commons().faults; }

  void crash(std::uint32_t i) {
    Process<A>& p = touch(i);
    p.alive = false;
    if (p.client == Phase::waiting) p.client = Phase::idle;
    if (!options_.restart) p.left = 0;
    forget_view(i);
  }
  void restart(std::uint32_t i) {
    Process<A>& p = touch(i);
    p.alive = true;
    if (!p.expired && commons.reg.beat_of(p.keeper.self()) != nullptr) {
      p.ghost = p.keeper.self();
      p.ghost_inside = p.client == Phase::inside;
    }
    if (p.client == Phase::inside && !options_.leaves_out(ViewRule::rejoin_empty)) {
      p.stop_working();
    }
    be_reborn(i);
  }
  bool can_leave(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return p.client == Phase::idle && p.keeper.standing() == Standing::running && !p.going;
  }
  void leave(std::uint32_t i) {
    Process<A>& p = touch(i);
    Keeper::Effects effects;
    p.going = true;
    p.keeper.leave(effects);
    carry_out(i, effects);
  }
  bool can_be_evicted(std::uint32_t i) const {
    const Life life = processes[i].keeper.self();
    return commons.reg.roll.has(life) && !is_marked(life);
  }
  void evict(std::uint32_t i) {
    Commons& c = touch_commons();
    const Life life = processes[i].keeper.self();
    if (options_.leaves_out(ViewRule::evict_waits)) {
      std::erase(c.reg.roll.members, life);
      std::erase_if(c.reg.beats, [&](const Beat& b) { return b.life == life; });
      c.reg.roll.epoch = next(c.reg.roll.epoch);
      ++c.reg.version;
    } else {
      c.marked.push_back(life);
    }
  }
  // Cut off from another member for too long: it gives way, and comes back.
  void give_way(std::uint32_t i) {
    Keeper::Effects effects;
    touch(i).keeper.leave(effects);
    carry_out(i, effects);
  }
  // Only without ViewRule::instance_kept.
  bool can_forget(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return p.lock && p.lock->phase() == Phase::idle && p.keeper.standing() == Standing::running;
  }
  void forget(std::uint32_t i) {
    Process<A>& p = touch(i);
    p.lock = make<A>(p.view);
  }

  bool is_valid_holder(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return (p.client == Phase::inside && !p.expired) || p.ghost_inside;
  }

 private:
  static constexpr std::uint32_t kHash = 7;  // Of the lock's name: its home is kHash % size.

  Life life_of(std::uint32_t i, std::uint32_t life) const { return Life{i + n_ * life + 1}; }
  std::uint32_t process_of(Life life) const {
    return static_cast<std::uint32_t>((number(life) - 1) % n_);
  }
  bool is_marked(Life life) const {
    return std::find(commons.marked.begin(), commons.marked.end(), life) != commons.marked.end();
  }

  Process<A>& touch(std::uint32_t i) {
    touched_processes |= std::uint64_t{1} << i;
    return processes[i];
  }
  Commons& touch_commons() {
    touched_commons = true;
    return commons;
  }
  Link& touch_link(std::uint32_t from, std::uint32_t to) {
    touched_links |= std::uint64_t{1} << (from * n_ + to);
    return link(from, to);
  }
  void pop(std::uint32_t from, std::uint32_t i) {
    Link& parcels = touch_link(from, i);
    parcels.erase(parcels.begin());
  }
  void clear_links_to(std::uint32_t i) {
    for (std::uint32_t from = 0; from < n_; ++from) {
      if (!link(from, i).empty()) touch_link(from, i).clear();
    }
  }
  template <class... Args>
  void fail(std::string_view property, fmt::format_string<Args...> format, Args... who) {
    if (!failure) failure = Failure{property, fmt::format(format, (who + 1)...)};
  }

  // Runs from the start, as if it had always done so.
  void set_out(std::uint32_t i) {
    Keeper::Effects effects;
    Keeper& keeper = processes[i].keeper;
    keeper.announce(effects);
    keeper.on_announced(Outcome::committed, effects);
    keeper.on_register(commons.reg, effects);
    for (const Life life : commons.reg.roll.members) keeper.on_report(life, Epoch{1}, effects);
    begin(i);
  }

  // A keeper that has seen every beat that stands still long enough.
  Keeper watching(std::uint32_t i) const {
    Keeper keeper = processes[i].keeper;
    for (const Beat& beat : commons.reg.beats) {
      const std::uint32_t j = process_of(beat.life);
      const Process<A>& other = processes[j];
      const bool is_over =
          other.keeper.self() == beat.life ? other.expired : other.ghost != beat.life;
      if (j != i && (is_over || options_.leaves_out(ViewRule::lease_before_removal))) {
        keeper.on_overdue(beat);
      }
      if (j == i && beat.life != keeper.self() && is_over) keeper.on_overdue(beat);
    }
    return keeper;
  }

  bool apply(Proposal& proposal) {
    Commons& c = touch_commons();
    const bool unconditional = options_.leaves_out(ViewRule::one_proposer_wins) ||
                               options_.leaves_out(ViewRule::fresh_list);
    if (proposal.version != c.reg.version && !unconditional) return false;
    for (const Beat& beat : proposal.gone) {
      const Beat* there = c.reg.beat_of(beat.life);
      if (there == nullptr || *there != beat) return false;
    }
    if (options_.leaves_out(ViewRule::fresh_list)) {
      proposal.next.epoch = next(c.reg.roll.epoch);
    }
    c.reg.roll = proposal.next;
    ++c.reg.version;
    for (const Beat& beat : proposal.gone) {
      std::erase(c.reg.beats, beat);
      std::erase(c.marked, beat.life);
    }
    return true;
  }

  // --- a driver ---

  void carry_out(std::uint32_t i, const Keeper::Effects& effects) {
    Process<A>& p = touch(i);
    if (effects.lost && p.client == Phase::inside &&
        !(effects.ended && options_.leaves_out(ViewRule::rejoin_empty))) {
      p.stop_working();
      if (options_.leaves_out(ViewRule::loss_releases) && p.lock) {
        p.lock = make<A>(p.view);
      } else {
        give_back(i);
      }
    }
    if (effects.stop) stop(i);
    if (effects.report) report(i);
    if (effects.begin) begin(i);
    if (effects.ended) {
      p.gone = p.going;
      be_reborn(i);
    }
  }

  bool keeps_instance() const {
    return options_.leaves_out(ViewRule::messages_stop) ||
           options_.leaves_out(ViewRule::entries_stop);
  }
  void stop(std::uint32_t i) {
    Process<A>& p = processes[i];
    p.entered.reset();
    if (!keeps_instance()) p.lock.reset();
  }

  void report(std::uint32_t i) {
    Process<A>& p = processes[i];
    const Roll& roll = p.keeper.roll();
    const bool held = p.client == Phase::inside || p.owes_release;
    p.holders.clear();
    if (held) p.holders.push_back(p.keeper.self());
    for (const Life life : roll.members) {
      if (life == p.keeper.self()) continue;
      send(
          i, life,
          {roll.epoch, *roll.place_of(p.keeper.self()), p.keeper.self(), true, held, std::nullopt});
    }
    drop_what_is_old(i);
    if (options_.leaves_out(ViewRule::barrier)) {
      Keeper::Effects effects;
      for (const Life life : roll.members) p.keeper.on_report(life, roll.epoch, effects);
      if (effects.begin) begin(i);
    }
  }

  void begin(std::uint32_t i) {
    Process<A>& p = processes[i];
    const Roll& roll = p.keeper.roll();
    if (p.holders.size() > 1) fail("exclusion", "P{} hears of two holders", i);
    View view{roll.epoch, static_cast<std::uint32_t>(roll.members.size()),
              *roll.place_of(p.keeper.self()), NodeId{}, false};
    view.holder = NodeId{kHash % view.size};
    view.held = options_.leaves_out(ViewRule::home_is_idle);
    if (!p.holders.empty()) {
      if (const auto place = roll.place_of(p.holders.front())) view.holder = *place;
      view.held = true;
    }
    p.holders.clear();
    p.view = view;
    p.lock = make<A>(view);
    start(*p.lock, fx_);
    settle(i);
    if (std::exchange(p.owes_release, false) && p.lock->phase() == Phase::inside) give_back(i);
    if (p.client == Phase::waiting && p.lock->phase() == Phase::idle &&
        !options_.leaves_out(ViewRule::asked_again)) {
      request(i);
    }
  }

  void be_reborn(std::uint32_t i) {
    Process<A>& p = processes[i];
    const bool same = options_.leaves_out(ViewRule::new_life);
    p.keeper = Keeper{same ? p.keeper.self() : life_of(i, p.lives)};
    ++p.lives;
    p.expired = false;
    forget_view(i);
  }
  void forget_view(std::uint32_t i) {
    Process<A>& p = processes[i];
    p.view = View{};
    p.lock.reset();
    p.entered.reset();
    p.owes_release = false;
    p.holders.clear();
    clear_links_to(i);
  }

  bool may_request(const Process<A>& p) const {
    return p.lock->phase() == Phase::idle && (p.keeper.standing() == Standing::running ||
                                              options_.leaves_out(ViewRule::entries_stop));
  }
  void request(std::uint32_t i) {
    processes[i].lock->request(fx_);
    settle(i);
  }
  // The client has left, or has been told that it is lost.
  void give_back(std::uint32_t i) {
    Process<A>& p = processes[i];
    if (p.keeper.standing() == Standing::running) {
      if (p.lock->phase() != Phase::inside) {
        return fail("exclusion", "P{}'s client is inside, and its lock does not know", i);
      }
      p.lock->release(fx_);
      settle(i);
    } else {
      p.owes_release = !options_.leaves_out(ViewRule::release_remembered);
    }
  }

  // What a step of the algorithm left to do.
  void settle(std::uint32_t i) {
    Process<A>& p = processes[i];
    fx_.for_each_message(p.view.self, p.view.size, [&](NodeId to, const Message& message) {
      const Roll& roll = p.keeper.roll();
      if (number(to) >= roll.members.size()) return;  // Only if it kept the instance of a view.
      send(i, roll.members[number(to)],
           {p.view.epoch, p.view.self, p.keeper.self(), false, false, message});
    });
    const std::optional<Turn> entered = fx_.entered();
    if (fx_.rejected() != Reject::none) {
      fail("protocol", "P{} is sent what the algorithm does not allow", i);
    }
    fx_.clear();
    if (!entered) return;
    const bool is_leased = p.keeper.is_leased() || options_.leaves_out(ViewRule::lease_at_entry);
    const bool runs = p.keeper.standing() == Standing::running || keeps_instance();
    if (is_leased && runs && !p.keeper.is_leaving()) {
      grant(i, *entered);
    } else {
      p.entered = entered;
    }
  }

  void grant(std::uint32_t i, Turn turn) {
    Process<A>& p = processes[i];
    p.client = Phase::inside;
    p.fence = {options_.leaves_out(ViewRule::epoch_in_fence) ? Epoch{} : p.view.epoch, turn};
    if (p.expired) fail("lease", "P{} lets a client in after its lease is over", i);
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j != i && is_valid_holder(j)) fail("exclusion", "P{} enters while P{} is inside", i, j);
    }
    if (p.ghost_inside) fail("exclusion", "P{} enters while its former life is inside", i);
    if (p.fence <= commons.last) fail("fences", "the fence of P{} is not the highest", i);
    touch_commons().last = p.fence;
  }

  // What has been sent to a life that is over never arrives. What would be dropped on arrival is
  // dropped at once: nobody can tell the difference.
  bool drops_at_once() const {
    return !options_.leaves_out(ViewRule::old_epoch_dropped) &&
           !options_.leaves_out(ViewRule::report_for_its_view) &&
           !options_.leaves_out(ViewRule::messages_stop);
  }
  void send(std::uint32_t i, Life to, Parcel<Message> parcel) {
    const std::uint32_t j = process_of(to);
    const Process<A>& other = processes[j];
    if (!other.alive || other.keeper.self() != to) return;
    if (drops_at_once() && parcel.epoch < epoch_of(j)) return;
    touch_link(i, j).push_back(std::move(parcel));
  }
  Epoch epoch_of(std::uint32_t i) const {
    const Standing standing = processes[i].keeper.standing();
    const bool has = standing == Standing::changing || standing == Standing::running;
    return has ? processes[i].keeper.roll().epoch : Epoch{};
  }
  void drop_what_is_old(std::uint32_t i) {
    if (!drops_at_once()) return;
    for (std::uint32_t from = 0; from < n_; ++from) {
      const auto is_old = [&](const auto& parcel) { return parcel.epoch < epoch_of(i); };
      const Link& parcels = link(from, i);
      if (std::none_of(parcels.begin(), parcels.end(), is_old)) continue;
      std::erase_if(touch_link(from, i), is_old);
    }
  }

  ViewCheckOptions options_;
  std::uint32_t n_;
  Effects<Message> fx_;
};

}  // namespace hapax
