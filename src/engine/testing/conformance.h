// The suite that every engine passes. A test binary adds conformance.cc and instantiates
// Conformance with what makes a backend of its own.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/testing/bench.h"
#include "loop/loop.h"

namespace hapax::engine::testing {

class Backend {
 public:
  virtual ~Backend() = default;
  // Another client, as of another process; nobody else uses this group of the suite's test.
  virtual std::unique_ptr<Engine> open(Loop& io, const std::string& group) = 0;
  // Makes the engine forget what was committed so far, as far as watches go.
  virtual void forget(Bench& bench, Engine& engine) = 0;
};

struct BackendMaker {
  std::string name;
  std::function<std::unique_ptr<Backend>()> make;
};
inline void PrintTo(const BackendMaker& maker, std::ostream* out) { *out << maker.name; }

class Conformance : public ::testing::TestWithParam<BackendMaker> {
 protected:
  void SetUp() override {
    backend_ = GetParam().make();
    ASSERT_NE(backend_, nullptr);
  }
  // Two engines of one test share its group; a name makes another one.
  std::unique_ptr<Engine> open(const std::string& suffix = "") {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string group = std::string{test->name()}.substr(0, 40) + suffix;
    for (char& c : group) c = c == '/' ? '-' : c;
    auto engine = backend_->open(bench_.io(), group);
    EXPECT_NE(engine, nullptr);
    return engine;
  }

  Bench bench_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace hapax::engine::testing
