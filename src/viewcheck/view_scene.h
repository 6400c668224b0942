// A group that changes its views, with one lock inside: what can happen to it, step by step.
// view_model.h lets the search do all of it in every order. The keepers and algorithms are the real
// ones.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "viewcheck/view_driver.h"

namespace hapax {

template <MutexAlgorithm A>
class ViewScene : public ViewDriver<A> {
 public:
  using Driver = ViewDriver<A>;
  using Driver::commons;
  using Driver::link;
  using Driver::links;
  using Driver::processes;
  using typename Driver::Message;
  using Handling = Keeper::Handling;

  explicit ViewScene(const ViewCheckOptions& options) : Driver(options) {
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

  // --- what can happen to process i, alive and not late unless said otherwise ---

  bool can_ask(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return p.client == Phase::idle && p.left > 0 && !p.going && !p.gone && !p.pen &&
           p.keeper.standing() != Standing::outside;
  }
  void ask(std::uint32_t i, Mode mode) {
    Process<A>& p = touch(i);
    --p.left;
    p.client = Phase::waiting;
    p.mode = mode;
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
    if (p.keeper.is_leaving()) return false;
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
      leave_ghost(i);
    }
    if (p.client == Phase::inside && !options_.leaves_out(ViewRule::rejoin_empty)) {
      p.stop_working();
    }
    be_reborn(i);
  }
  bool can_leave(std::uint32_t i) const {
    const Process<A>& p = processes[i];
    return p.client != Phase::waiting && p.keeper.standing() == Standing::running && !p.going;
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
    p.lock = make_lock(p.view, {});
  }

 private:
  using Driver::be_reborn;
  using Driver::begin;
  using Driver::carry_out;
  using Driver::fail;
  using Driver::forget_view;
  using Driver::fx_;
  using Driver::give_back;
  using Driver::grant;
  using Driver::is_marked;
  using Driver::leave_ghost;
  using Driver::life_of;
  using Driver::make_lock;
  using Driver::may_request;
  using Driver::n_;
  using Driver::options_;
  using Driver::pop;
  using Driver::process_of;
  using Driver::request;
  using Driver::settle;
  using Driver::touch;
  using Driver::touch_commons;

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
};

}  // namespace hapax
