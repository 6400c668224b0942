#include "viewcheck/view_clients.h"

namespace hapax {

bool ViewClients::can_ask(std::uint32_t i) const {
  const Process& p = processes[i];
  return p.client == Phase::idle && !p.is_by_word() && p.left > 0 && !p.going && !p.gone &&
         !p.pen && keeper(i).standing() != Standing::outside;
}

void ViewClients::ask(std::uint32_t i, Mode mode) {
  Process& p = touch(i);
  --p.left;
  p.client = Phase::waiting;
  p.mode = mode;
  const Input input{Kind::acquire, static_cast<std::uint32_t>(mode), number(p.waiter())};
  const Want shared = algorithm_.info.takes.units ? Want::unit : Want::shared;
  const auto acquire = [&](MemberViews& member, ViewOrders& orders, Reaction& reaction) {
    const Want want = mode == Mode::shared ? shared : Want::exclusive;
    reaction.refused = !member.acquire(lock_, p.waiter(), want, orders).has_value();
  };
  take(i, react(i, input, acquire));
  if (p.before && leaves_out(ViewRule::entries_stop)) {
    take_from_before(i, members_.react(*p.before, input, acquire));
  }
}

bool ViewClients::can_exit(std::uint32_t i) const {
  const Process& p = processes[i];
  return p.client == Phase::inside && (!options_.gate || p.written);
}

void ViewClients::exit(std::uint32_t i) {
  Process& p = touch(i);
  if (p.is_by_word()) return leave_by_word(i);
  const bool is_changing = keeper(i).standing() == Standing::changing;
  if (is_changing && leaves_out(ViewRule::release_remembered)) return p.stop_working();
  give_back_what_is_known(i);
}

void ViewClients::give_back_what_is_known(std::uint32_t i) {
  if (!give_back(i)) fail("exclusion", "P{}'s client is inside, and its lock does not know", i);
}

// The product's client, both halves of KeptLock::leave() and enter_again().

void ViewClients::leave_by_word(std::uint32_t i, bool may_keep) {
  Process& p = touch(i);
  ClientWord client{p};
  p.client = Phase::idle;
  p.written = false;
  p.gives_back = kept::leave(client.word, client.entry(), may_keep) == kept::Left::back;
  p.word = client.state();
}

bool ViewClients::can_enter_again(std::uint32_t i) const {
  const Process& p = processes[i];
  return p.word == kept::State::kept && p.again < options_.again && !p.pen &&
         (p.alive || !p.expired);
}

void ViewClients::enter_again(std::uint32_t i) {
  Process& p = touch(i);
  ClientWord client{p};
  std::uint64_t seen = client.word.load();
  while (!kept::enter(client.word, seen)) {
  }
  p.word = client.state();
  ++p.again;
  p.fence.turn = next(p.fence.turn);
  if (p.expired && !leaves_out(ViewRule::kept_promise)) return leave_by_word(i, false);
  enter(i, p.fence);
}

bool ViewClients::can_read(std::uint32_t i) const {
  const Process& p = processes[i];
  return options_.gate && p.client == Phase::inside && !p.written && !p.pen;
}

void ViewClients::read(std::uint32_t i) {
  Process& p = touch(i);
  Commons& c = touch_commons();
  if (p.fence < c.mark) {
    p.written = true;  // Refused: nothing left to do but leave.
    return;
  }
  if (!leaves_out(ViewRule::gate_minds_reads)) c.mark = p.fence;
  p.pen = Pen{p.fence, c.value};
}

void ViewClients::write(std::uint32_t i) {
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

}  // namespace hapax
