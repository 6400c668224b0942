#include "serve/loop_lag.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <thread>

namespace hapax::cli {
namespace {

// The loop ends when it is out of work: a daemon that was told to end would hang otherwise.
TEST(LoopLag, StopsEvenAtTheMomentAtWhichALookIsDue) {
  boost::asio::io_context io;
  LoopLag lag{io, [](auto) {}};
  lag.start();
  boost::asio::post(io, [&] {
    std::this_thread::sleep_for(LoopLag::kEvery + std::chrono::milliseconds{50});
    // After this the loop finds the look due, and puts it behind what is posted here.
    boost::asio::post(io, [&] { lag.stop(); });
  });
  io.run_for(3 * LoopLag::kEvery);
  EXPECT_TRUE(io.stopped());
}

}  // namespace
}  // namespace hapax::cli
