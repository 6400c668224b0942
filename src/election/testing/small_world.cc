#include "election/testing/small_world.h"

namespace hapax {

template class SmallWorld<Bully>;
template class SmallWorld<ChangRoberts>;
template class SmallWorld<RingElection>;

}  // namespace hapax
