#include "serve/loop_lag.h"

#include <gtest/gtest.h>
#include <thread>

#include "loop/loop.h"

namespace hapax::cli {
namespace {

// The loop ends when it is out of work: a daemon that was told to end would hang otherwise.
TEST(LoopLag, StopsEvenAtTheMomentAtWhichALookIsDue) {
  Loop io;
  LoopLag lag{io, [](auto) {}};
  lag.start();
  io.post([&] {
    std::this_thread::sleep_for(LoopLag::kEvery + std::chrono::milliseconds{50});
    // After this the loop finds the look due, and puts it behind what is posted here.
    io.post([&] { lag.stop(); });
  });
  io.run_for(3 * LoopLag::kEvery);
  EXPECT_TRUE(io.stopped());
}

}  // namespace
}  // namespace hapax::cli
