#include "viewcheck/view_stage.h"

#include <algorithm>

#include "core/lock_name.h"

namespace hapax {
namespace {

Policy policy_of(const Operations& algorithm, const ViewCheckOptions& options) {
  std::string text{algorithm.info.name};
  if (algorithm.info.takes.units) text += fmt::format(":{}", options.units);
  return Policy::parse(text, {}).value();
}

// At home with the second of two or three, and with the last of four.
std::string some_lock() {
  for (int i = 0;; ++i) {
    std::string name = fmt::format("lock-{}", i);
    if (home_of(name, 12) == NodeId{7}) return name;
  }
}

}  // namespace

ViewStage::ViewStage(const Operations& algorithm, const ViewCheckOptions& options)
    : algorithm_(algorithm),
      options_(options),
      n_(options.n),
      capacity_(Instance{algorithm, View{}, {.units = options.units}}.capacity()),
      lock_(some_lock()),
      members_(policy_of(algorithm, options)) {
  if (leaves_out(ViewRule::kept_turns_at_loss)) members_.forget_turns_at_loss();
}

std::uint32_t ViewStage::process_of(Life life) const {
  return static_cast<std::uint32_t>((number(life) - 1) % n_);
}

Process& ViewStage::touch(std::uint32_t i) {
  touched_processes |= std::uint64_t{1} << i;
  return processes[i];
}

Commons& ViewStage::touch_commons() {
  touched_commons = true;
  return commons;
}

ViewStage::Link& ViewStage::touch_link(std::uint32_t from, std::uint32_t to) {
  touched_links |= std::uint64_t{1} << (from * n_ + to);
  return links[from * n_ + to];
}

void ViewStage::clear_links_to(std::uint32_t i) {
  for (std::uint32_t from = 0; from < n_; ++from) {
    if (!links[from * n_ + i].empty()) touch_link(from, i).clear();
  }
}

std::uint32_t ViewStage::number_of(const EngineRegister& engine) {
  key_.clear();
  encode_to(key_, engine);
  const std::string_view key{reinterpret_cast<const char*>(key_.data()), key_.size()};
  return engines_.number_of(key, [&] { return engine; });
}

// --- what a member did ---

void ViewStage::take(std::uint32_t i, const Reaction& reaction) {
  Process& p = touch(i);
  const Keeper& before = keeper(i);
  const Keeper& after = members_[reaction.member].keeper();
  const bool keeps_before =
      leaves_out(ViewRule::messages_stop) || leaves_out(ViewRule::entries_stop);
  if (after.standing() != Standing::changing) {
    p.before.reset();
  } else if (keeps_before && before.standing() == Standing::running) {
    p.before = p.member;
  }
  const bool is_later = after.roll().epoch > before.roll().epoch;
  const Life self = before.self();
  p.member = reaction.member;
  if (p.is_by_word()) see_word(i, reaction);
  // It may not hear at once that this life is over, and was promised the lease.
  if (reaction.ended && p.client == Phase::inside && !p.expired) leave_ghost(i);
  if (reaction.lost && !(reaction.ended && leaves_out(ViewRule::rejoin_empty))) p.stop_working();
  pass_on(i, self, reaction);
  if (is_later) drop_what_is_old(i);
  if (reaction.granted) grant(i, *reaction.granted);
  if (leaves_out(ViewRule::lease_at_entry)) grant_without_lease(i);
  if (reaction.wanted && p.is_by_word()) stop_keeping(i);
  if (!reaction.ended) return;
  p.gone = p.going;
  be_reborn(i);
}

// The client is let in by a view that has stopped; the next one is not to ask for it again.
void ViewStage::take_from_before(std::uint32_t i, const Reaction& reaction) {
  Process& p = touch(i);
  p.before = reaction.member;
  pass_on(i, keeper(i).self(), reaction);
  if (!reaction.granted) return;
  const auto abandon = [&](MemberViews& member, ViewOrders& orders, Reaction& given_up) {
    given_up.refused = !member.abandon(lock_, p.waiter(), orders);
  };
  p.member = members_.react(p.member, {Kind::abandon, 0, number(p.waiter())}, abandon).member;
  grant(i, *reaction.granted);
}

// Where a rule about the member itself is left out: what it is told besides, or is not told.
void ViewStage::spoil(MemberViews& member, ViewOrders& orders) const {
  const Keeper& keeper = member.keeper();
  const bool is_changing = keeper.standing() == Standing::changing;
  if (leaves_out(ViewRule::barrier) && is_changing) {
    const auto report_all = [roll = keeper.roll()](Keeper& told, Keeper::Effects& effects) {
      for (const Life life : roll.members) told.on_report(life, roll.epoch, effects);
    };
    member.tell_keeper(report_all, orders);
  }
  if (leaves_out(ViewRule::asked_again) && is_changing) {
    for (std::uint64_t i = 0; i < 10; ++i) (void)member.abandon(lock_, WaiterId{i}, orders);
  }
  if (!leaves_out(ViewRule::home_is_idle)) return;
  constexpr WaiterId kNobody{99};
  const auto size = static_cast<std::uint32_t>(keeper.roll().members.size());
  if (orders.begun && keeper.roll().place_of(keeper.self()) == home_of(lock_, size) &&
      member.held() + member.waiting() == 0) {
    (void)member.acquire(lock_, kNobody, Want::any, orders);
  }
  std::erase_if(orders.grants, [](const Grant& grant) { return grant.waiter == kNobody; });
  std::erase(orders.lost, kNobody);
}

void ViewStage::pass_on(std::uint32_t i, Life life, const Reaction& reaction) {
  // An engine that forgets may have two lists of one view agreed upon, of which one never begins.
  if (!reaction.complaint.empty() && !options_.engine_forgets()) {
    failure = Failure{"protocol", fmt::format("P{} complains: {}", i + 1, reaction.complaint)};
  }
  for (const ViewMembers::Sent& sent : reaction.sends) {
    const std::uint32_t j = process_of(sent.to);
    if (!processes[j].alive || keeper(j).self() != sent.to) continue;
    if (drops_at_once() && is_dropped_by(j, sent.frame)) continue;
    touch_link(i, j).push_back({life, sent.frame});
  }
}

bool ViewStage::drops_at_once() const {
  return !leaves_out(ViewRule::old_epoch_dropped) && !leaves_out(ViewRule::report_for_its_view) &&
         !leaves_out(ViewRule::messages_stop);
}

bool ViewStage::is_dropped_by(std::uint32_t i, std::uint32_t frame) const {
  return members_[processes[i].member].what_to_do_with(members_.frame(frame)) ==
         Keeper::Handling::drop;
}

void ViewStage::drop_what_is_old(std::uint32_t i) {
  if (!drops_at_once()) return;
  for (std::uint32_t from = 0; from < n_; ++from) {
    const auto is_old = [&](const Parcel& parcel) { return is_dropped_by(i, parcel.frame); };
    const Link& parcels = links[from * n_ + i];
    if (std::none_of(parcels.begin(), parcels.end(), is_old)) continue;
    std::erase_if(touch_link(from, i), is_old);
  }
}

// --- clients ---

void ViewStage::grant(std::uint32_t i, const Grant& grant) {
  Process& p = processes[i];
  enter(i, grant.fence);
  const bool may_stay = options_.again > 0 && grant.may_keep && p.mode == Mode::exclusive;
  p.word = may_stay ? kept::State::used : kept::State::away;
  p.again = 0;
}

void ViewStage::enter(std::uint32_t i, Fence fence) {
  Process& p = processes[i];
  p.client = Phase::inside;
  p.fence = leaves_out(ViewRule::epoch_in_fence) ? Fence{Epoch{}, fence.turn} : fence;
  if (p.expired) fail("lease", "P{} lets a client in after its lease is over", i);
  std::uint32_t beside = 0;
  const auto may_be_beside = [&](Mode other) {
    if (p.mode == Mode::exclusive || other == Mode::exclusive) return false;
    return ++beside < capacity_;
  };
  for (std::uint32_t j = 0; j < n_; ++j) {
    const Process& other = processes[j];
    const bool inside = j != i && other.client == Phase::inside && !other.expired;
    if ((inside && !may_be_beside(other.mode)) ||
        (j != i && other.ghost_inside && !may_be_beside(other.ghost_mode))) {
      fail("exclusion", "P{} enters while P{} is inside", i, j);
    }
  }
  if (p.ghost_inside && !may_be_beside(p.ghost_mode)) {
    fail("exclusion", "P{} enters while its former life is inside", i);
  }
  check_fence(i);
}

void ViewStage::check_fence(std::uint32_t i) {
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

void ViewStage::grant_without_lease(std::uint32_t i) {
  const LockTable* table = members_[processes[i].member].table();
  if (table == nullptr || processes[i].client != Phase::waiting) return;
  if (const auto holder = table->describe(lock_).value().holder) enter(i, holder->fence);
}

// --- locks that stay with a client ---

// What the member has made of the word meanwhile. One that was only kept has been given up.
void ViewStage::see_word(std::uint32_t i, const Reaction& reaction) {
  Process& p = processes[i];
  const bool was_kept = p.word == kept::State::kept;
  if (was_kept && reaction.word == kept::State::away) {
    if (!leaves_out(ViewRule::kept_in_its_view)) p.stop_working();
  } else {
    p.word = reaction.word;
  }
}

// Somebody else wants the lock: if nobody is inside, it is given back at once.
void ViewStage::stop_keeping(std::uint32_t i) {
  Process& p = processes[i];
  ClientWord client{p};
  if (!client.grant.stop_keeping()) {
    p.word = client.state();
    return;
  }
  const Process before = p;
  give_back(i);
  if (!leaves_out(ViewRule::kept_taken_back)) return;
  p.word = before.word;
  p.again = before.again;
  p.fence = before.fence;
}

bool ViewStage::give_back(std::uint32_t i) {
  Process& p = touch(i);
  std::optional<Turn> last;
  if (p.is_by_word()) last = ClientWord{p}.grant.take_back();
  if (leaves_out(ViewRule::kept_turns_told)) last.reset();
  p.stop_working();
  const bool is_late = this->is_late(i);
  const Input input{Kind::release, last ? 1 + static_cast<std::uint32_t>(number(*last)) : 0,
                    number(p.waiter()) | std::uint64_t{is_late} << 63};
  // As Service::release() does.
  const auto release = [&](MemberViews& member, ViewOrders& orders, Reaction& reaction) {
    if (last && !leaves_out(ViewRule::kept_turns_at_loss)) member.note_turn(p.waiter(), *last);
    if (is_late) {
      member.tell_keeper([&](Keeper& k, auto& fx) { notice_lease_end(k, fx); }, orders);
    }
    reaction.refused = !member.release(lock_, p.waiter(), last, orders).has_value();
  };
  const Reaction& left = react(i, input, release);
  if (!left.refused || is_late) {
    take(i, left);
    return true;
  }
  if (!p.before) return false;
  const Reaction& left_before = members_.react(*p.before, input, release);
  if (!left_before.refused) take_from_before(i, left_before);
  return !left_before.refused;
}

// --- lives ---

bool ViewStage::is_late(std::uint32_t i) const {
  return processes[i].alive && processes[i].expired && keeper(i).is_leased();
}

void ViewStage::notice_lease_end(Keeper& keeper, Keeper::Effects& effects) const {
  keeper.lease_ended(effects);
  if (!leaves_out(ViewRule::lapse_ends)) keeper.lapse();
}

void ViewStage::be_reborn(std::uint32_t i) {
  Process& p = touch(i);
  const Life life = leaves_out(ViewRule::new_life) ? keeper(i).self() : life_of(i, p.lives);
  const Input input{Kind::be_born, 0, number(life)};
  const auto born = [&](MemberViews& member, auto&, auto&) { member.be_born(life); };
  if (leaves_out(ViewRule::later_epoch)) {
    if (p.client == Phase::waiting) p.stop_working();  // It forgets whoever waits as well.
    p.member = members_.born_as(life);
  } else {
    p.member = members_.react(p.member, input, born).member;
  }
  p.before.reset();
  ++p.lives;
  p.expired = false;
  clear_links_to(i);
}

void ViewStage::leave_ghost(std::uint32_t i) {
  Process& p = processes[i];
  p.ghost = keeper(i).self();
  // What it keeps it may enter without being heard.
  p.ghost_inside = p.client == Phase::inside || p.word == kept::State::kept;
  p.ghost_mode = p.mode;
}

}  // namespace hapax
