#include "viewcheck/view_scene.h"

#include <algorithm>
#include <utility>

#include "service/view_frame.h"

namespace hapax {
namespace {

// A report of another view as if it were of this one; a message as it is.
Bytes as_if_for(const Roll& roll, const Bytes& frame) {
  if (is_in_view(frame)) return frame;
  ReportPart part = *decode<ReportPart>(divide_view_frame(frame)->rest);
  part.members = roll.members;
  Bytes forged;
  append_view_header(forged, tags::kReport, roll.epoch);
  encode_to(forged, part);
  return forged;
}

}  // namespace

ViewScene::ViewScene(const Operations& algorithm, const ViewCheckOptions& options)
    : ViewClients(algorithm, options) {
  EngineRegister engine;
  engine.reg.version = 1;
  engine.reg.roll.epoch = Epoch{1};
  for (std::uint32_t i = 0; i < n_ - options.joiners; ++i) {
    const Life life = life_of(i, 0);
    engine.enlist(life);
    engine.beat(life);
    engine.reg.roll.members.push_back(life);
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    Process p;
    const Life life = life_of(i, 0);
    p.member =
        engine.reg.roll.has(life) ? member_in(engine.reg.roll, life) : members_.born_as(life);
    p.left = static_cast<std::uint8_t>(options.entries);
    processes.push_back(p);
  }
  links.resize(n_ * n_);
  commons.engine = first_engine_ = number_of(engine);
  commons.faults = static_cast<std::uint8_t>(options.faults);
}

std::uint32_t ViewScene::member_in(const Roll& roll, Life life) {
  Register reg{1, roll, {}};
  for (const Life other : roll.members) reg.beats.push_back({other, 1});
  const auto set_out = [&](Keeper& keeper, Keeper::Effects& effects) {
    keeper.announce(effects);
    keeper.on_announced(Outcome::committed, effects);
    keeper.on_register(reg, effects);
    for (const Life other : roll.members) keeper.on_report(other, roll.epoch, effects);
  };
  const Input input{Kind::set_out, number_of(EngineRegister{reg, {}, {}}), number(life)};
  const auto act = [&](MemberViews& member, ViewOrders& orders, auto&) {
    member.tell_keeper(set_out, orders);
  };
  return members_.react(members_.born_as(life), input, act).member;
}

// --- frames ---

bool ViewScene::is_for_before(std::uint32_t i, const Parcel& parcel) const {
  const Process& p = processes[i];
  return leaves_out(ViewRule::messages_stop) && p.before && is_in_view(frame(parcel)) &&
         members_[*p.before].what_to_do_with(frame(parcel)) == Handling::handle;
}

Keeper::Handling ViewScene::handling(std::uint32_t i, const Parcel& parcel) const {
  const Handling handling = members_[processes[i].member].what_to_do_with(frame(parcel));
  const Standing standing = keeper(i).standing();
  if (handling == Handling::drop && is_in_view(frame(parcel)) &&
      leaves_out(ViewRule::old_epoch_dropped) && standing == Standing::running) {
    return Handling::handle;
  }
  if (handling == Handling::drop && !is_in_view(frame(parcel)) &&
      leaves_out(ViewRule::report_for_its_view) && standing == Standing::changing &&
      keeper(i).roll().has(parcel.from)) {
    return Handling::handle;
  }
  if (handling == Handling::keep && leaves_out(ViewRule::later_kept)) return Handling::drop;
  return handling;
}

bool ViewScene::can_deliver(std::uint32_t from, std::uint32_t i) const {
  return !links[from * n_ + i].empty();
}

void ViewScene::deliver(std::uint32_t from, std::uint32_t i, bool again) {
  const Parcel parcel = links[from * n_ + i].front();
  if (!again) pop(from, i);
  const Handling what = handling(i, parcel);
  const auto handle = [&](MemberViews& member, ViewOrders& orders, auto&) {
    member.handle(parcel.from, as_if_for(member.keeper().roll(), frame(parcel)), orders);
  };
  const auto on_frame = [&](MemberViews& member, ViewOrders& orders, auto&) {
    member.on_frame(parcel.from, frame(parcel), orders);
  };
  const Input handled{Kind::handle, parcel.frame, number(parcel.from)};
  if (is_for_before(i, parcel)) {
    take_from_before(i, members_.react(*processes[i].before, handled, handle));
  } else if (what == members_[processes[i].member].what_to_do_with(frame(parcel))) {
    take(i, react(i, {Kind::on_frame, parcel.frame, number(parcel.from)}, on_frame));
  } else if (what == Handling::handle) {
    take(i, react(i, handled, handle));
  }
}

void ViewScene::pop(std::uint32_t from, std::uint32_t i) {
  Link& parcels = touch_link(from, i);
  parcels.erase(parcels.begin());
}

// --- the register ---

// A member that is to follow any later view is told that it comes after its own.
Register ViewScene::read_by(const Keeper& keeper) const {
  Register reg = engine().reg;
  if (leaves_out(ViewRule::back_ends)) reg.roll.after.push_back(keeper.roll().epoch);
  if (leaves_out(ViewRule::settings_by_view)) reg.roll.algorithms = keeper.roll().algorithms;
  return reg;
}

const ViewScene::Reaction& ViewScene::learning(std::uint32_t i) {
  const auto read = [&](Keeper& k, auto& fx) { k.on_register(read_by(k), fx); };
  return tell(i, {Kind::learn, commons.engine, 0}, read);
}

bool ViewScene::can_learn(std::uint32_t i) {
  return keeper(i).standing() != Standing::outside && learning(i).is_due;
}

void ViewScene::learn(std::uint32_t i) { take(i, learning(i)); }

std::vector<Beat> ViewScene::sights() const {
  const Register& reg = engine().reg;
  std::vector<Beat> sights = reg.beats;
  for (const Life life : reg.roll.members) {
    if (reg.beat_of(life) == nullptr) sights.push_back(reg.sight_of(life));
  }
  return sights;
}

bool ViewScene::has_forgotten_a_lease() const {
  const Register& reg = engine().reg;
  const auto knows = [&](Life life) { return reg.beat_of(life) != nullptr || reg.roll.has(life); };
  for (std::uint32_t j = 0; j < n_; ++j) {
    const Process& p = processes[j];
    const bool relies =
        p.alive ? keeper(j).is_leased() : p.client == Phase::inside || p.word == kept::State::kept;
    if (relies && !p.expired && !knows(keeper(j).self())) return true;
    if (p.ghost && !knows(*p.ghost)) return true;
  }
  return false;
}

Epoch ViewScene::by_the_clock() const {
  if (!options_.engine_forgets() || leaves_out(ViewRule::later_epoch)) return {};
  Epoch highest = commons.last.epoch;
  for (std::uint32_t i = 0; i < n_; ++i) highest = std::max(highest, keeper(i).roll().epoch);
  return highest;
}

std::uint64_t ViewScene::overdue_for(std::uint32_t i) const {
  std::uint64_t overdue = 0;
  if (options_.engine_forgets() && has_forgotten_a_lease()) return overdue;
  std::uint64_t bit = 1;
  for (const Beat& beat : sights()) {
    const std::uint32_t j = process_of(beat.life);
    const bool is_own = beat.life == keeper(i).self();
    const bool is_over =
        keeper(j).self() == beat.life ? processes[j].expired : processes[j].ghost != beat.life;
    const bool is_given_up = (j != i && leaves_out(ViewRule::lease_before_removal)) ||
                             (beat.version == 0 && leaves_out(ViewRule::missing_waits));
    if (!is_own && (is_over || is_given_up)) overdue |= bit;
    bit <<= 1;
  }
  return overdue;
}

// Gives up on every beat that stands still long enough, reads, and has its proposal ready.
const ViewScene::Reaction& ViewScene::proposing(std::uint32_t i) {
  const std::uint64_t overdue = overdue_for(i);
  const bool may_found = engine().reg.roll.members.empty() &&
                         (!has_forgotten_a_lease() || leaves_out(ViewRule::first_view_waits));
  const Epoch clock = by_the_clock();
  const Input input{Kind::propose, commons.engine,
                    overdue | number(clock) << 32 | std::uint64_t{may_found} << 63};
  return react(i, input, [&](MemberViews& member, ViewOrders& orders, Reaction& reaction) {
    const auto give_up = [&](Keeper& keeper, auto&) {
      const std::vector<Beat> beats = sights();
      for (std::size_t b = 0; b < beats.size(); ++b) {
        if ((overdue >> b & 1) != 0) keeper.on_overdue(beats[b]);
      }
      if (may_found) keeper.may_found();
    };
    member.tell_keeper(give_up, orders);
    reaction.is_due = member.keeper().is_due(engine().reg);
    const auto propose = [&](Keeper& keeper, Keeper::Effects& effects) {
      keeper.propose(effects);
      keeper.on_register(read_by(keeper), effects, clock);
    };
    member.tell_keeper(propose, orders);
  });
}

bool ViewScene::can_propose(std::uint32_t i) {
  const Standing standing = keeper(i).standing();
  if (standing == Standing::outside || standing == Standing::ended) return false;
  return !keeper(i).is_proposing() && proposing(i).is_due;
}

void ViewScene::propose(std::uint32_t i) { take(i, proposing(i)); }

void ViewScene::commit(std::uint32_t i, bool answered, bool done) {
  Proposal proposal = *keeper(i).pending();
  const bool is_renumbered = leaves_out(ViewRule::fresh_list);
  if (is_renumbered) {
    proposal.next.epoch = next(engine().reg.roll.epoch);
    proposal.next.after = engine().reg.roll.next(proposal.next.epoch).after;
  }
  if (is_renumbered || leaves_out(ViewRule::one_proposer_wins)) {
    proposal.version = engine().reg.version;
  }
  Outcome outcome = Outcome::conflict;
  if (done) outcome = change_engine([&](EngineRegister& e) { return e.commit(proposal); });
  // The keeper thinks of another epoch than it got.
  const bool reads = is_renumbered && outcome == Outcome::committed;
  if (!answered || reads) outcome = Outcome::unknown;
  const Input input{Kind::proposed, reads ? commons.engine : 0,
                    static_cast<std::uint64_t>(outcome)};
  tell_and_take(i, input, [&](Keeper& k, auto& fx) {
    k.on_proposed(outcome, fx);
    if (reads) k.on_register(engine().reg, fx);
  });
}

void ViewScene::wake(std::uint32_t i) {
  tell_and_take(i, {Kind::lease_ended, 0, 0},
                [&](Keeper& k, auto& fx) { notice_lease_end(k, fx); });
}

bool ViewScene::can_beat(std::uint32_t i) const {
  const Life self = keeper(i).self();
  const Standing standing = keeper(i).standing();
  if (standing == Standing::outside || standing == Standing::ended) return false;
  if (keeper(i).is_leaving() || keeper(i).has_lapsed()) return false;
  return processes[i].expired || engine().is_evicted(self) || engine().reg.beat_of(self) == nullptr;
}

void ViewScene::beat(std::uint32_t i) {
  const Life self = keeper(i).self();
  const Outcome outcome = change_engine([&](EngineRegister& e) { return e.beat(self); });
  if (outcome == Outcome::committed) touch(i).expired = false;
  const Input input{Kind::beat, static_cast<std::uint32_t>(outcome), 0};
  tell_and_take(i, input, [&](Keeper& k, auto& fx) { k.on_beat(outcome, fx); });
}

bool ViewScene::can_announce(std::uint32_t i) const {
  return keeper(i).standing() == Standing::outside && !processes[i].gone;
}

void ViewScene::announce(std::uint32_t i) {
  const Life self = keeper(i).self();
  const Outcome outcome = change_engine([&](EngineRegister& e) {
    if (e.reg.beat_of(self) == nullptr) e.enlist(self);
    return e.beat(self);
  });
  const bool reads = outcome == Outcome::conflict;
  const Input input{Kind::announce, reads ? commons.engine : 0,
                    static_cast<std::uint64_t>(outcome)};
  tell_and_take(i, input, [&](Keeper& k, auto& fx) {
    k.announce(fx);
    k.on_announced(outcome, fx);
    if (reads) k.on_register(engine().reg, fx);
  });
}

// --- real time ---

bool ViewScene::can_expire(std::uint32_t i) const {
  const Register& reg = engine().reg;
  const Life self = keeper(i).self();
  if (processes[i].expired) return false;
  if (reg.beat_of(self) != nullptr || reg.roll.has(self)) return true;
  // The engine has forgotten it; its lease runs out all the same.
  return options_.engine_forgets() && (!processes[i].alive || keeper(i).is_leased());
}

void ViewScene::expire_ghost(std::uint32_t i) {
  Process& p = touch(i);
  p.ghost.reset();
  p.ghost_inside = false;
  p.ghost_mode = Mode::exclusive;
}

// --- faults, and what people do ---

void ViewScene::crash(std::uint32_t i) {
  Process& p = touch(i);
  p.alive = false;
  if (p.client == Phase::waiting) p.client = Phase::idle;
  if (p.gives_back) p.stop_working();  // Nobody hears it.
  if (!options_.restart) p.left = 0;
  // Nothing is left but whose beat it was; and, where that matters, what it has written down.
  const Epoch written = options_.engine_forgets() ? keeper(i).roll().epoch : Epoch{};
  p.member = members_.born_as(keeper(i).self(), written);
  p.before.reset();
  clear_links_to(i);
}

void ViewScene::restart(std::uint32_t i) {
  Process& p = touch(i);
  p.alive = true;
  if (!p.expired && engine().reg.beat_of(keeper(i).self()) != nullptr) leave_ghost(i);
  const bool holds = p.client == Phase::inside || p.is_by_word();
  if (holds && !leaves_out(ViewRule::rejoin_empty)) p.stop_working();
  be_reborn(i);
}

bool ViewScene::can_leave(std::uint32_t i) const {
  const Process& p = processes[i];
  return p.client != Phase::waiting && keeper(i).standing() == Standing::running && !p.going;
}

void ViewScene::leave(std::uint32_t i) {
  touch(i).going = true;
  give_way(i);
}

void ViewScene::give_way(std::uint32_t i) {
  tell_and_take(i, {Kind::leave, 0, 0}, [&](Keeper& k, auto& fx) {
    k.leave(fx);
    if (leaves_out(ViewRule::promise_kept)) k.drained();
  });
}

bool ViewScene::can_be_evicted(std::uint32_t i) const {
  const Life life = keeper(i).self();
  return engine().reg.roll.has(life) && !engine().is_evicted(life);
}

void ViewScene::evict(std::uint32_t i) {
  const Life life = keeper(i).self();
  change_engine([&](EngineRegister& e) {
    if (!leaves_out(ViewRule::evict_waits)) return e.evict(life);
    std::erase(e.reg.roll.members, life);
    std::erase_if(e.reg.beats, [&](const Beat& beat) { return beat.life == life; });
    const std::vector<Life> members = e.reg.roll.members;
    e.reg.roll = e.reg.roll.next(next(e.reg.roll.epoch));
    e.reg.roll.members = members;
    ++e.reg.version;
    return Outcome::committed;
  });
}

bool ViewScene::can_be_deleted(std::uint32_t i) const {
  return engine().reg.roll.has(keeper(i).self()) &&
         engine().reg.beat_of(keeper(i).self()) != nullptr;
}

void ViewScene::delete_record(std::uint32_t i) {
  const Life life = keeper(i).self();
  change_engine([&](EngineRegister& e) {
    e.remove(life);
    return Outcome::committed;
  });
}

void ViewScene::set() {
  change_engine([&](EngineRegister& e) {
    Roll& roll = e.reg.roll;
    const std::vector<Life> members = roll.members;
    if (!leaves_out(ViewRule::settings_by_view)) {
      roll = roll.next(next(roll.epoch));
      roll.members = members;
      ++e.reg.version;
    }
    roll.algorithms = other_than(algorithm_.info.name);
    return Outcome::committed;
  });
}

bool ViewScene::can_follow(std::uint32_t i) const {
  const Roll& roll = engine().reg.roll;
  return can_forget(i) && roll.epoch == keeper(i).roll().epoch &&
         roll.algorithms != keeper(i).roll().algorithms;
}

void ViewScene::follow(std::uint32_t i) {
  touch(i).member = member_in(engine().reg.roll, keeper(i).self());
}

bool ViewScene::can_forget(std::uint32_t i) const {
  const Keeper& k = keeper(i);
  const Process& p = processes[i];
  return p.client == Phase::idle && !p.is_by_word() && k.may_grant() && !k.is_proposing();
}

// The view begins anew, for this member alone.
void ViewScene::forget(std::uint32_t i) {
  touch(i).member = member_in(keeper(i).roll(), keeper(i).self());
}

}  // namespace hapax
