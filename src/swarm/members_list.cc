// The members of a run that are a fixed list: restarts, state files, and what is written there; as
// in membership/list_group.h.
#include <algorithm>
#include <limits>

#include "session/protocol.h"
#include "swarm/members.h"

namespace hapax {

void Members::start_in_list(SwarmMember& m) {
  if (stage_.plan.forgetful) m.written = {};
  const Life life = next_life(m);
  m.list = std::make_unique<ListViews>(m.policy, m, NodeId{m.index}, life, stage_.plan.members,
                                       m.written);
  m.writing = {};
  m.is_open = false;
  ++m.run;
  lease_end_[life] = Instant::max();  // For as long as it lives.
  stage_.note("member {} is life {}", m.index, life);
  if (m.ended_free || stage_.plan.hasty) return open_in_list(m);
  stage_.agenda.at(m.global(m.local(stage_.now()) + session::kUntilNoticed),
                   [this, &m, run = m.run] {
                     at(m, run, [this](SwarmMember& me, Instant) { open_in_list(me); });
                   });
}

void Members::open_in_list(SwarmMember& m) {
  m.ended_free = false;
  m.is_open = true;
  network_.open(m.index, m.life());
  m.list->take_part(m.orders);
  carry_out(m);
}

// Takes a while; if it crashes meanwhile, it has not happened.
void Members::write_down(SwarmMember& m, Epoch epoch) {
  if (epoch <= m.writing) return;
  m.writing = epoch;
  stage_.agenda.after(stage_.about(stage_.plan.engine_latency), [this, &m, epoch, run = m.run] {
    at(m, run, [epoch](SwarmMember& me, Instant) {
      me.written = std::max(me.written, epoch);
      me.list->promised(epoch, me.orders);
    });
  });
}

// It was told to end, and nothing is held there any more.
void Members::end_in_list(SwarmMember& m) {
  stage_.note("member {} has ended", m.index);
  lease_end_[m.life()] = stage_.now();
  network_.close(m.index, Network::Parting::goodbye);
  m.list.reset();
  m.orders.clear();
  m.ended_free = m.is_open;  // Else somebody may still rely on the life before it.
  ++m.run;
  handlers_.on_crashed(m);
  stage_.agenda.after(stage_.about(stage_.plan.times.ttl), [this, &m] { start_if_down(m); });
}

// As the product does then, it goes on above a clock that is ahead of all epochs.
void Members::lose_file(SwarmMember& m) {
  stage_.note("member {} loses its state file", m.index);
  m.written = today();
  m.ended_free = false;
}

void Members::crash_all() {
  for (const auto& m : members_) {
    if (m->runs()) crash(*m);
  }
}

}  // namespace hapax
