// What strikes the members of a run, one after the other.
#pragma once

#include <cstdint>

#include "swarm/members.h"
#include "swarm/stage.h"

namespace hapax {

class Faults {
 public:
  Faults(SwarmStage& stage, Members& members);

 private:
  void schedule(SwarmMember& m);
  void strike(SwarmMember& m);
  void crash(SwarmMember& m, Span length);
  void crash_all(Span length);
  void cut(const SwarmMember& m, Span length);
  void reset(const SwarmMember& m);
  void set();

  SwarmStage& stage_;
  Members& members_;
};

}  // namespace hapax
