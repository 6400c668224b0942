#include "handles/testing/contract.h"

#include "client/testing/group.h"

namespace hapax::testing {
namespace {

std::string daemon_address() {
  static Daemons group{3};
  return group.address(0);
}

INSTANTIATE_TEST_SUITE_P(Daemon, GatewayContract,
                         ::testing::Values(Gate{"daemon", daemon_address}));

}  // namespace
}  // namespace hapax::testing
