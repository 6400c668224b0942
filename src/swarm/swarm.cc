#include "swarm/swarm.h"

#include <memory>
#include <utility>

#include "swarm/clients.h"
#include "swarm/faults.h"
#include "swarm/members.h"
#include "swarm/programs.h"
#include "swarm/stage.h"

namespace hapax {
namespace {

class Swarm {
 public:
  Swarm(const SwarmPlan& plan, std::size_t log, MakeLink make_link)
      : stage_(plan, log),
        members_(stage_, std::move(make_link),
                 {.on_granted =
                      [this](SwarmMember& m, const Grant& grant) {
                        SwarmPrograms::owns(grant.waiter) ? programs_.on_granted(m, grant)
                                                          : clients_.on_granted(m, grant);
                      },
                  .on_lost =
                      [this](SwarmMember& m, WaiterId waiter) {
                        SwarmPrograms::owns(waiter) ? programs_.on_lost(m, waiter)
                                                    : clients_.on_lost(waiter);
                      },
                  .on_crashed =
                      [this](const SwarmMember& m) {
                        clients_.on_crashed(m);
                        programs_.on_crashed(m);
                      }}),
        clients_(stage_, members_),
        programs_(stage_, members_, [this](WaiterId waiter) { return clients_.relies_on(waiter); }),
        faults_(stage_, members_) {}

  SwarmReport run() {
    const SwarmPlan& plan = stage_.plan;
    members_.begin();
    advance(plan.unsafe);
    stage_.note("all is healed");  // Sleepers wake up by themselves.
    stage_.is_healed = true;
    members_.heal();
    advance(plan.unsafe + 24 * plan.longest_ttl() + 4 * session::kSilence +
            (plan.clients + plan.threads) * (20 * (plan.hold + plan.think) + 400 * plan.latency));
    clients_.complain_of_waiting();
    programs_.complain_of_waiting();
    stage_.report.violation = stage_.referee.violation();
    stage_.report.views = members_.views();
    stage_.report.log.assign(stage_.lines.begin(), stage_.lines.end());
    return stage_.report;
  }

 private:
  void advance(Instant end) {
    const auto is_over = [&] {
      return !stage_.referee.violation().empty() ||
             (clients_.all_are_served() && programs_.all_are_served());
    };
    while (!is_over() && stage_.agenda.step(end)) ++stage_.report.events;
  }

  SwarmStage stage_;
  Members members_;
  SwarmClients clients_;
  SwarmPrograms programs_;
  Faults faults_;
};

}  // namespace

SwarmReport run_swarm(const SwarmPlan& plan, std::size_t log) {
  return run_swarm(plan, log, [](std::uint64_t incarnation, const net::LinkLimits& limits) {
    return std::make_unique<SwarmLink>(incarnation, limits);
  });
}

SwarmReport run_swarm(const SwarmPlan& plan, std::size_t log, MakeLink make_link) {
  return Swarm{plan, log, std::move(make_link)}.run();
}

}  // namespace hapax
