#include "viewcheck/view_scene.h"

#include <optional>
#include <utility>

#include "base/check.h"

namespace hapax {

ViewScene::ViewScene(const Operations& algorithm, const ViewCheckOptions& options)
    : ViewDriver(algorithm, options) {
  commons.faults = static_cast<std::uint8_t>(options.faults);
  Roll roll{Epoch{1}, {}};
  for (std::uint32_t i = 0; i < n_; ++i) {
    const Life life = life_of(i, 0);
    processes.push_back(Process{{.keeper = Keeper{life}}, {}});
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

bool ViewScene::can_ask(std::uint32_t i) const {
  const Process& p = processes[i];
  return p.client == Phase::idle && p.left > 0 && !p.going && !p.gone && !p.pen &&
         p.keeper.standing() != Standing::outside;
}

void ViewScene::ask(std::uint32_t i, Mode mode) {
  Process& p = touch(i);
  --p.left;
  p.client = Phase::waiting;
  p.mode = mode;
  if (!p.lock.empty() && may_request(p)) request(i);
}

bool ViewScene::can_exit(std::uint32_t i) const {
  const Process& p = processes[i];
  return p.client == Phase::inside && (!options_.gate || p.written);
}

void ViewScene::exit(std::uint32_t i) {
  Process& p = touch(i);
  p.stop_working();
  give_back(i);
}

bool ViewScene::can_read(std::uint32_t i) const {
  const Process& p = processes[i];
  return options_.gate && p.client == Phase::inside && !p.written && !p.pen;
}

void ViewScene::read(std::uint32_t i) {
  Process& p = touch(i);
  Commons& c = touch_commons();
  if (p.fence < c.mark) {
    p.written = true;  // Refused: nothing left to do but leave.
    return;
  }
  if (!options_.leaves_out(ViewRule::gate_minds_reads)) c.mark = p.fence;
  p.pen = Pen{p.fence, c.value};
}

void ViewScene::write(std::uint32_t i) {
  Process& p = touch(i);
  Commons& c = touch_commons();
  const Pen pen = *p.pen;
  p.pen.reset();
  p.written = p.client == Phase::inside;
  if (pen.fence < c.mark) return;
  c.mark = pen.fence;
  if (pen.value != c.value) fail("updates", "P{} writes over an update that it has not read", i);
  ++c.value;
}

Keeper::Handling ViewScene::handling(std::uint32_t from, std::uint32_t i) const {
  const Parcel& parcel = links[from * n_ + i].front();
  const Process& p = processes[i];
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
  if (options_.leaves_out(ViewRule::messages_stop) && !parcel.is_report && !p.lock.empty() &&
      standing == Standing::changing && parcel.epoch == p.view.epoch) {
    handling = Handling::handle;
  }
  if (options_.leaves_out(ViewRule::later_kept) && handling == Handling::keep) {
    handling = Handling::drop;
  }
  return handling;
}

bool ViewScene::can_deliver(std::uint32_t from, std::uint32_t i) const {
  return !links[from * n_ + i].empty() && handling(from, i) != Handling::keep;
}

void ViewScene::deliver(std::uint32_t from, std::uint32_t i, bool again) {
  const Handling what = handling(from, i);
  const Parcel parcel = link(from, i).front();
  if (!again) pop(from, i);
  if (what == Handling::drop) return;
  Process& p = touch(i);
  if (!parcel.is_report) {
    const NodeId from_place{number(parcel.from) % p.view.size};
    const bool understood = p.lock.receive(from_place, parcel.message, fx_);
    HAPAX_CHECK(understood);
    return settle(i);
  }
  if (parcel.held) p.holders.push_back(parcel.life);
  Keeper::Effects effects;
  p.keeper.on_report(parcel.life, p.keeper.roll().epoch, effects);
  carry_out(i, effects);
}

bool ViewScene::can_learn(std::uint32_t i) const {
  Keeper keeper = processes[i].keeper;
  if (keeper.standing() == Standing::outside) return false;
  Keeper::Effects effects;
  keeper.on_register(commons.reg, effects);
  return effects.report || effects.ended;
}

void ViewScene::learn(std::uint32_t i) {
  Keeper::Effects effects;
  touch(i).keeper.on_register(commons.reg, effects);
  carry_out(i, effects);
}

bool ViewScene::can_propose(std::uint32_t i) const {
  const Keeper& keeper = processes[i].keeper;
  const Standing standing = keeper.standing();
  if (standing == Standing::outside || standing == Standing::ended) return false;
  return !keeper.is_proposing() && watching(i).is_due(commons.reg);
}

void ViewScene::propose(std::uint32_t i) {
  Process& p = touch(i);
  p.keeper = watching(i);
  Keeper::Effects effects;
  p.keeper.propose(effects);
  p.keeper.on_register(commons.reg, effects);
  carry_out(i, effects);
}

void ViewScene::commit(std::uint32_t i, bool answered, bool done) {
  Process& p = touch(i);
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

void ViewScene::wake(std::uint32_t i) {
  Keeper::Effects effects;
  touch(i).keeper.lease_ended(effects);
  carry_out(i, effects);
}

bool ViewScene::can_beat(std::uint32_t i) const {
  const Process& p = processes[i];
  const Standing standing = p.keeper.standing();
  if (standing == Standing::outside || standing == Standing::ended) return false;
  if (p.keeper.is_leaving()) return false;
  return p.expired || is_marked(p.keeper.self()) || commons.reg.beat_of(p.keeper.self()) == nullptr;
}

void ViewScene::beat(std::uint32_t i) {
  Process& p = touch(i);
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

bool ViewScene::can_announce(std::uint32_t i) const {
  return processes[i].keeper.standing() == Standing::outside && !processes[i].gone;
}

void ViewScene::announce(std::uint32_t i) {
  Process& p = touch(i);
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

bool ViewScene::can_expire(std::uint32_t i) const {
  const Process& p = processes[i];
  return !p.expired && commons.reg.beat_of(p.keeper.self()) != nullptr;
}

void ViewScene::expire_ghost(std::uint32_t i) {
  Process& p = touch(i);
  p.ghost.reset();
  p.ghost_inside = false;
}

void ViewScene::crash(std::uint32_t i) {
  Process& p = touch(i);
  p.alive = false;
  if (p.client == Phase::waiting) p.client = Phase::idle;
  if (!options_.restart) p.left = 0;
  forget_view(i);
}

void ViewScene::restart(std::uint32_t i) {
  Process& p = touch(i);
  p.alive = true;
  if (!p.expired && commons.reg.beat_of(p.keeper.self()) != nullptr) {
    leave_ghost(i);
  }
  if (p.client == Phase::inside && !options_.leaves_out(ViewRule::rejoin_empty)) {
    p.stop_working();
  }
  be_reborn(i);
}

bool ViewScene::can_leave(std::uint32_t i) const {
  const Process& p = processes[i];
  return p.client != Phase::waiting && p.keeper.standing() == Standing::running && !p.going;
}

void ViewScene::leave(std::uint32_t i) {
  Process& p = touch(i);
  Keeper::Effects effects;
  p.going = true;
  p.keeper.leave(effects);
  carry_out(i, effects);
}

bool ViewScene::can_be_evicted(std::uint32_t i) const {
  const Life life = processes[i].keeper.self();
  return commons.reg.roll.has(life) && !is_marked(life);
}

void ViewScene::evict(std::uint32_t i) {
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

void ViewScene::give_way(std::uint32_t i) {
  Keeper::Effects effects;
  touch(i).keeper.leave(effects);
  carry_out(i, effects);
}

bool ViewScene::can_forget(std::uint32_t i) const {
  const Process& p = processes[i];
  return !p.lock.empty() && p.lock.phase() == Phase::idle &&
         p.keeper.standing() == Standing::running;
}

void ViewScene::forget(std::uint32_t i) {
  Process& p = touch(i);
  p.lock = make_lock(p.view, {});
}

void ViewScene::set_out(std::uint32_t i) {
  Keeper::Effects effects;
  Keeper& keeper = processes[i].keeper;
  keeper.announce(effects);
  keeper.on_announced(Outcome::committed, effects);
  keeper.on_register(commons.reg, effects);
  for (const Life life : commons.reg.roll.members) keeper.on_report(life, Epoch{1}, effects);
  begin(i);
}

Keeper ViewScene::watching(std::uint32_t i) const {
  Keeper keeper = processes[i].keeper;
  for (const Beat& beat : commons.reg.beats) {
    const std::uint32_t j = process_of(beat.life);
    const Process& other = processes[j];
    const bool is_over =
        other.keeper.self() == beat.life ? other.expired : other.ghost != beat.life;
    if (j != i && (is_over || options_.leaves_out(ViewRule::lease_before_removal))) {
      keeper.on_overdue(beat);
    }
    if (j == i && beat.life != keeper.self() && is_over) keeper.on_overdue(beat);
  }
  return keeper;
}

bool ViewScene::apply(Proposal& proposal) {
  Commons& c = touch_commons();
  const bool unconditional =
      options_.leaves_out(ViewRule::one_proposer_wins) || options_.leaves_out(ViewRule::fresh_list);
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

}  // namespace hapax
