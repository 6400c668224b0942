#include "swarm/guarded.h"

namespace hapax {

void use_what_is_guarded(SwarmStage& stage, const std::string& lock, Fence fence, Want want,
                         Span after) {
  const Referee::Reading reading = stage.referee.read(lock, fence, want);
  if (!reading.admitted) return;
  if (stage.prng.below(20) == 0) after += 2 * stage.plan.times.ttl;
  stage.agenda.after(after, [&stage, lock, fence, want, value = reading.value] {
    SwarmReport& report = stage.report;
    if (want == Want::shared) {
      if (!stage.referee.read_again(lock, fence, value)) ++report.stale_refused;
    } else {
      stage.referee.write(lock, fence, value) ? ++report.updates : ++report.stale_refused;
    }
  });
}

}  // namespace hapax
