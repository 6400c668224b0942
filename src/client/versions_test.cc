// A client and daemons of other versions.
#include <gmock/gmock.h>
#include <string>

#include "base/testing/folder.h"
#include "client/testing/scripted_daemon.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using client::testing::ScriptedDaemon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Versions : ::testing::Test {
  std::string socket() const { return (folder / "socket").string(); }
  std::string address() const { return "unix:" + socket(); }
  const testing::Folder folder;
};

TEST_F(Versions, ADaemonOfTheReleaseBeforeIsSpokenToInItsOwn) {
  ScriptedDaemon daemon{socket(), 10};
  {
    Client client{address()};
    Mutex lock{client, "it"};
    lock.lock();
    EXPECT_TRUE(lock.fence().turn > Turn{0});
    lock.unlock();
    EXPECT_EQ(client.status().release, "") << "it does not say";
  }
  EXPECT_THAT(daemon.greeted_in(), ElementsAre(13, 10));
}

TEST_F(Versions, ADaemonOfThisReleaseIsSpokenToInOurs) {
  ScriptedDaemon daemon{socket()};
  { Client client{address()}; }
  EXPECT_THAT(daemon.greeted_in(), ElementsAre(13));
}

TEST_F(Versions, AnOlderDaemonRefusesBoth) {
  ScriptedDaemon daemon{socket(), 9};
  try {
    Client client{address()};
    ADD_FAILURE() << "it is served";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::refused);
    EXPECT_THAT(e.what(), HasSubstr("speaks another version"));
  }
  EXPECT_THAT(daemon.greeted_in(), ElementsAre(13, 10));
}

}  // namespace
}  // namespace hapax
