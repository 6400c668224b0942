// What every gateway promises, over one real Redis server: no more than that.
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "engine/testing/process.h"
#include "handles/testing/contract.h"

namespace hapax::testing {
namespace {

// Started by the first test that needs it.
std::string redis_address() {
  static const Folder folder;
  static const std::uint16_t port = engine::testing::free_port();
  static const Child server =
      engine::testing::server({"redis-server", "--port", std::to_string(port), "--bind",
                               "127.0.0.1", "--save", "", "--dir", folder.path()},
                              folder / "log");
  static const bool is_there = comes_about([] {
    return engine::testing::run({"redis-cli", "-p", std::to_string(port), "PING"}, folder / "log");
  });
  EXPECT_TRUE(is_there);
  return fmt::format("redis://127.0.0.1:{}", port);
}

std::vector<Gate> redis_gates() {
  if (!engine::testing::is_installed("redis-server")) return {};
  Gate gate = client_gate("redis", redis_address);
  gate.has_lines = false;
  return {gate};
}

INSTANTIATE_TEST_SUITE_P(Redis, GatewayContract, ::testing::ValuesIn(redis_gates()));

}  // namespace
}  // namespace hapax::testing
