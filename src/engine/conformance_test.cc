// The engine for tests, through the suite of all.
#include "engine/testing/conformance.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

#include "engine/fake.h"

namespace hapax::engine::testing {
namespace {

class FakeBackend : public Backend {
 public:
  std::unique_ptr<Engine> open(Loop& io, const std::string& group) override {
    return open_fake(io, servers_[group]);
  }
  void forget(Bench&, Engine&) override {
    for (auto& [group, server] : servers_) server.store.compact();
  }

 private:
  std::map<std::string, FakeServer> servers_;
};

INSTANTIATE_TEST_SUITE_P(Fake, Conformance,
                         ::testing::Values(BackendMaker{
                             "fake", [] { return std::make_unique<FakeBackend>(); }}));

}  // namespace
}  // namespace hapax::engine::testing
