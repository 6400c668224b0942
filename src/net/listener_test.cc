#include "net/listener.h"

#include <boost/asio/local/stream_protocol.hpp>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>

#include "base/testing/folder.h"
#include "base/testing/strangers.h"
#include "loop/loop.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class UnixListener : public ::testing::Test {
 protected:
  Result<std::shared_ptr<Listener>> open() {
    return Listener::open(io_, address_, [this](Socket) { ++came_; });
  }

  hapax::testing::Folder folder_;
  Loop io_;
  const Address address_{.host = "", .port = 0, .path = (folder_ / "door").string()};
  int came_ = 0;
};

TEST_F(UnixListener, IsForItsOwnUserOnlyWhateverTheMask) {
  const mode_t mask = umask(0);
  const auto listener = open();
  EXPECT_EQ(umask(mask), 0u) << "the process's own";
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  struct stat file {};
  ASSERT_EQ(stat(address_.path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  (*listener)->start();
  boost::asio::local::stream_protocol::socket caller{hapax::testing::strangers()};
  caller.connect({address_.path});
  io_.poll();
  EXPECT_EQ(came_, 1);
  (*listener)->close();
  EXPECT_FALSE(fs::exists(address_.path));
}

TEST_F(UnixListener, ReplacesWhatADeadProcessHasLeftBehind) {
  {
    boost::asio::local::stream_protocol::acceptor dead{hapax::testing::strangers(),
                                                       {address_.path}};
  }
  ASSERT_TRUE(fs::exists(address_.path));
  EXPECT_TRUE(open().has_value());
}

TEST_F(UnixListener, TakesNobodysPlace) {
  {
    const auto first = open();
    ASSERT_TRUE(first.has_value());
    const auto second = open();
    ASSERT_FALSE(second.has_value());
    EXPECT_THAT(second.error().message, HasSubstr("somebody listens on unix:" + address_.path));
    EXPECT_TRUE(fs::exists(address_.path)) << "whose it is not, that does not remove it";
  }
  EXPECT_FALSE(fs::exists(address_.path)) << "gone with its owner";
  std::ofstream{address_.path} << "text";
  const auto third = open();
  ASSERT_FALSE(third.has_value());
  EXPECT_THAT(third.error().message, HasSubstr("is in the way: it is no socket"));
  EXPECT_TRUE(fs::exists(address_.path));
}

}  // namespace
}  // namespace hapax::net
