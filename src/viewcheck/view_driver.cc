#include "viewcheck/view_driver.h"

#include <algorithm>
#include <span>
#include <utility>

namespace hapax {

std::uint32_t ViewDriver::process_of(Life life) const {
  return static_cast<std::uint32_t>((number(life) - 1) % n_);
}

bool ViewDriver::is_marked(Life life) const {
  return std::find(commons.marked.begin(), commons.marked.end(), life) != commons.marked.end();
}

Process& ViewDriver::touch(std::uint32_t i) {
  touched_processes |= std::uint64_t{1} << i;
  return processes[i];
}

Commons& ViewDriver::touch_commons() {
  touched_commons = true;
  return commons;
}

ViewDriver::Link& ViewDriver::touch_link(std::uint32_t from, std::uint32_t to) {
  touched_links |= std::uint64_t{1} << (from * n_ + to);
  return link(from, to);
}

void ViewDriver::pop(std::uint32_t from, std::uint32_t i) {
  Link& parcels = touch_link(from, i);
  parcels.erase(parcels.begin());
}

void ViewDriver::clear_links_to(std::uint32_t i) {
  for (std::uint32_t from = 0; from < n_; ++from) {
    if (!link(from, i).empty()) touch_link(from, i).clear();
  }
}

void ViewDriver::carry_out(std::uint32_t i, const Keeper::Effects& effects) {
  Process& p = touch(i);
  // It may not hear at once that this life is over, and was promised the lease.
  if (effects.ended && p.client == Phase::inside && !p.expired) leave_ghost(i);
  if (effects.lost && p.client == Phase::inside &&
      !(effects.ended && options_.leaves_out(ViewRule::rejoin_empty))) {
    p.stop_working();
    if (options_.leaves_out(ViewRule::loss_releases) && !p.lock.empty()) {
      p.lock = make_lock(p.view, {});
    } else {
      give_back(i);
    }
  }
  if (effects.recall &&
      (p.client != Phase::inside || options_.leaves_out(ViewRule::promise_kept))) {
    p.keeper.drained();
  }
  if (effects.stop) stop(i);
  if (effects.report) report(i);
  if (effects.begin) begin(i);
  if (effects.ended) {
    p.gone = p.going;
    be_reborn(i);
  }
}

bool ViewDriver::keeps_instance() const {
  return options_.leaves_out(ViewRule::messages_stop) ||
         options_.leaves_out(ViewRule::entries_stop);
}

void ViewDriver::stop(std::uint32_t i) {
  Process& p = processes[i];
  p.entered.reset();
  if (!keeps_instance()) p.lock = {};
}

void ViewDriver::report(std::uint32_t i) {
  Process& p = processes[i];
  const Roll& roll = p.keeper.roll();
  const bool held = p.client == Phase::inside || p.owes_release;
  p.holders.clear();
  if (held) p.holders.push_back(p.keeper.self());
  for (const Life life : roll.members) {
    if (life == p.keeper.self()) continue;
    send(i, life, {roll.epoch, *roll.place_of(p.keeper.self()), p.keeper.self(), true, held, {}});
  }
  drop_what_is_old(i);
  if (options_.leaves_out(ViewRule::barrier)) {
    Keeper::Effects effects;
    for (const Life life : roll.members) p.keeper.on_report(life, roll.epoch, effects);
    if (effects.begin) begin(i);
  }
}

void ViewDriver::begin(std::uint32_t i) {
  Process& p = processes[i];
  const Roll& roll = p.keeper.roll();
  if (!algorithm_.shared && p.holders.size() > 1) fail("exclusion", "P{} hears of two holders", i);
  View view{roll.epoch, static_cast<std::uint32_t>(roll.members.size()),
            *roll.place_of(p.keeper.self()), NodeId{}, false};
  view.holder = NodeId{kHash % view.size};
  view.held = options_.leaves_out(ViewRule::home_is_idle);
  const bool holds = p.client == Phase::inside || p.owes_release;
  if (!algorithm_.shared && !p.holders.empty()) {
    if (const auto place = roll.place_of(p.holders.front())) view.holder = *place;
    view.held = true;
  }
  p.holders.clear();
  p.view = view;
  p.lock = make_lock(view, {p.held_mode, holds ? 1u : 0u});
  p.lock.start(fx_);
  settle(i);
  if (std::exchange(p.owes_release, false) && p.lock.phase() == Phase::inside) give_back(i);
  if (p.client == Phase::waiting && p.lock.phase() == Phase::idle &&
      !options_.leaves_out(ViewRule::asked_again)) {
    request(i);
  }
}

Instance ViewDriver::make_lock(const View& view, const Holding& here) const {
  return algorithm_.shared ? Instance{algorithm_, view, choices_, here}
                           : Instance{algorithm_, view, choices_};
}

void ViewDriver::be_reborn(std::uint32_t i) {
  Process& p = processes[i];
  const bool same = options_.leaves_out(ViewRule::new_life);
  p.keeper = Keeper{same ? p.keeper.self() : life_of(i, p.lives)};
  ++p.lives;
  p.expired = false;
  forget_view(i);
}

void ViewDriver::leave_ghost(std::uint32_t i) {
  Process& p = processes[i];
  p.ghost = p.keeper.self();
  p.ghost_inside = p.client == Phase::inside;
  p.ghost_mode = p.held_mode;
}

void ViewDriver::forget_view(std::uint32_t i) {
  Process& p = processes[i];
  p.view = View{};
  p.lock = {};
  p.entered.reset();
  p.owes_release = false;
  p.holders.clear();
  clear_links_to(i);
}

bool ViewDriver::may_request(const Process& p) const {
  return p.lock.phase() == Phase::idle &&
         (p.keeper.standing() == Standing::running || options_.leaves_out(ViewRule::entries_stop));
}

void ViewDriver::request(std::uint32_t i) {
  Process& p = processes[i];
  p.lock.request(p.mode, fx_);
  settle(i);
}

void ViewDriver::give_back(std::uint32_t i) {
  Process& p = processes[i];
  if (p.keeper.is_leaving() && p.keeper.standing() != Standing::ended) p.keeper.drained();
  if (p.keeper.standing() == Standing::running) {
    if (p.lock.phase() != Phase::inside) {
      return fail("exclusion", "P{}'s client is inside, and its lock does not know", i);
    }
    p.lock.release(fx_);
    settle(i);
  } else {
    p.owes_release = !options_.leaves_out(ViewRule::release_remembered);
  }
}

void ViewDriver::settle(std::uint32_t i) {
  Process& p = processes[i];
  for (const auto& sent : fx_.sends()) {
    const std::span<const std::uint8_t> bytes = fx_.bytes(sent);
    fx_.for_each_receiver(sent, p.view.self, p.view.size, [&](NodeId to) {
      const Roll& roll = p.keeper.roll();
      if (number(to) >= roll.members.size()) return;  // Only if it kept the instance of a view.
      send(
          i, roll.members[number(to)],
          {p.view.epoch, p.view.self, p.keeper.self(), false, false, {bytes.begin(), bytes.end()}});
    });
  }
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

void ViewDriver::grant(std::uint32_t i, Turn turn) {
  Process& p = processes[i];
  p.client = Phase::inside;
  p.fence = {options_.leaves_out(ViewRule::epoch_in_fence) ? Epoch{} : p.view.epoch, turn};
  p.held_mode = p.mode;
  if (p.expired) fail("lease", "P{} lets a client in after its lease is over", i);
  std::uint32_t beside = 0;
  const auto may_be_beside = [&](Mode other) {
    if (p.mode == Mode::exclusive || other == Mode::exclusive) return false;
    return ++beside < capacity_;
  };
  for (std::uint32_t j = 0; j < n_; ++j) {
    const Process& other = processes[j];
    const bool inside = j != i && other.client == Phase::inside && !other.expired;
    if ((inside && !may_be_beside(other.held_mode)) ||
        (j != i && other.ghost_inside && !may_be_beside(other.ghost_mode))) {
      fail("exclusion", "P{} enters while P{} is inside", i, j);
    }
  }
  if (p.ghost_inside && !may_be_beside(p.ghost_mode)) {
    fail("exclusion", "P{} enters while its former life is inside", i);
  }
  check_fence(i);
}

void ViewDriver::check_fence(std::uint32_t i) {
  const Process& p = processes[i];
  const bool alone = excludes_all(p.mode, capacity_);
  // Several units have no order among them: keeping the last fence would only add states.
  if (!alone && !has_modes()) return;
  if (p.fence <= (alone ? commons.last : commons.last_alone)) {
    fail("fences", "the fence of P{} is not the highest", i);
  }
  Commons& c = touch_commons();
  c.last = std::max(c.last, p.fence);
  if (has_modes() && alone) c.last_alone = p.fence;
}

bool ViewDriver::drops_at_once() const {
  return !options_.leaves_out(ViewRule::old_epoch_dropped) &&
         !options_.leaves_out(ViewRule::report_for_its_view) &&
         !options_.leaves_out(ViewRule::messages_stop);
}

void ViewDriver::send(std::uint32_t i, Life to, Parcel parcel) {
  const std::uint32_t j = process_of(to);
  const Process& other = processes[j];
  if (!other.alive || other.keeper.self() != to) return;
  if (drops_at_once() && parcel.epoch < epoch_of(j)) return;
  touch_link(i, j).push_back(std::move(parcel));
}

Epoch ViewDriver::epoch_of(std::uint32_t i) const {
  const Standing standing = processes[i].keeper.standing();
  const bool has = standing == Standing::changing || standing == Standing::running;
  return has ? processes[i].keeper.roll().epoch : Epoch{};
}

void ViewDriver::drop_what_is_old(std::uint32_t i) {
  if (!drops_at_once()) return;
  for (std::uint32_t from = 0; from < n_; ++from) {
    const auto is_old = [&](const auto& parcel) { return parcel.epoch < epoch_of(i); };
    const Link& parcels = link(from, i);
    if (std::none_of(parcels.begin(), parcels.end(), is_old)) continue;
    std::erase_if(touch_link(from, i), is_old);
  }
}

}  // namespace hapax
