#include "handles/testing/contract.h"

#include "client/testing/group.h"
#include "handles/testing/semaphore_contract.h"

namespace hapax::testing {
namespace {

std::string daemon_address() {
  static Daemons group{3};
  return group.address(0);
}

// A member of its own each, of a group on the embedded engine: they come and go.
std::unique_ptr<Door> become_member() {
  static const Folder folder;
  NodeOptions options;
  options.engine = "embedded:" + (folder / "engine").string();
  options.ttl = 2s;  // That long the last one may take to leave.
  auto door = std::make_unique<DoorThrough<Node>>(options);
  // Until a view has it nobody can say who holds what.
  EXPECT_TRUE(comes_about([&] { return door->way().is_complete(); }));
  return door;
}

ClientOptions daemon_with_pairs() {
  static const Folder folder;
  static const Node node{[] {
    NodeOptions options;
    options.members = {fmt::format("unix:{}/member", folder.path().string())};
    options.clients = {fmt::format("unix:{}/clients", folder.path().string())};
    options.algorithms = {"pair/*=semaphore-ra:2"};
    return options;
  }()};
  return Client::options_for(fmt::format("unix:{}/clients", folder.path().string()));
}

INSTANTIATE_TEST_SUITE_P(Daemon, SemaphoreContract,
                         ::testing::Values(UnitGate{"daemon", daemon_with_pairs}));
INSTANTIATE_TEST_SUITE_P(Daemon, GatewayContract,
                         ::testing::Values(client_gate("daemon", daemon_address)));
INSTANTIATE_TEST_SUITE_P(Node, GatewayContract, ::testing::Values(Gate{"node", become_member}));

}  // namespace
}  // namespace hapax::testing
