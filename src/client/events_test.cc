// What happens, through real daemons on an engine.
#include <algorithm>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "client/testing/engine_daemons.h"
#include "client/testing/eventually.h"
#include "client/testing/group.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;
using ::testing::Contains;
using ::testing::ElementsAre;

// The next events, as "file-changed a", as long as it wants more of them.
template <class Wants>
std::vector<std::string> hear_while(Events& events, Wants wants) {
  std::vector<std::string> heard;
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (wants(heard)) {
    const auto event = events.next_until(deadline);
    if (!event) break;
    heard.push_back(std::string{name_of(event->kind)} +
                    (event->name.empty() ? "" : " " + event->name));
  }
  return heard;
}
std::vector<std::string> hear(Events& events, std::size_t count) {
  return hear_while(events, [&](const auto& heard) { return heard.size() < count; });
}
std::vector<std::string> hear_until(Events& events, const std::string& last) {
  return hear_while(events, [&](const auto& heard) {
    return std::find(heard.begin(), heard.end(), last) == heard.end();
  });
}

TEST(EventsOfAGroup, TellOfFilesInOrder) {
  const EngineDaemons daemons{2};
  Client writer{daemons.address(0)};
  Client reader{daemons.address(1)};
  Events events{reader, "config", Events::About::files};
  EXPECT_THAT(hear(events, 1), ElementsAre("begun"));
  File a{writer, "config/a"};
  a.write("1");
  a.write("2");
  File{writer, "elsewhere"}.write("x");
  File{writer, "config"}.write("x");
  a.remove();
  EXPECT_THAT(hear(events, 4), ElementsAre("file-added config/a", "file-changed config/a",
                                           "file-added config", "file-removed config/a"));
}

TEST(EventsOfAGroup, LeaveNothingOutWhenADaemonDies) {
  EngineDaemons daemons{2};
  Client writer{daemons.address(1)};
  Client other{daemons.address(1)};
  Events known{other, "", Events::About::files};
  EXPECT_THAT(hear(known, 1), ElementsAre("begun"));  // That daemon knows of files from here on.
  Client reader{daemons.address(0) + "," + daemons.address(1)};
  Events events{reader, "", Events::About::files};
  EXPECT_THAT(hear(events, 1), ElementsAre("begun"));
  File{writer, "a"}.write("1");
  EXPECT_THAT(hear(events, 1), ElementsAre("file-added a"));
  daemons.stop(0);
  File{writer, "b"}.write("1");
  EXPECT_THAT(hear(events, 3), ElementsAre("expired", "begun", "file-added b"));
}

TEST(EventsOfAGroup, TellOfLocksAndALeader) {
  const EngineDaemons daemons{2};
  ASSERT_TRUE(eventually([&] { return daemons.are_in_one_view(); }));
  Client one{daemons.address(0)};
  Client two{daemons.address(1)};
  Events events{two, "master"};
  EXPECT_THAT(hear(events, 1), ElementsAre("begun"));
  Election election{one, "master"};
  election.campaign("host-7");
  const auto taken = hear_until(events, "lock-taken master");
  EXPECT_THAT(taken, Contains("leader master"));
  EXPECT_THAT(taken, Contains("lock-taken master"));
  election.resign();
  EXPECT_THAT(hear_until(events, "lock-vacant master"), Contains("lock-vacant master"));
}

TEST(EventsOfAGroup, SayThatASessionIsOver) {
  EngineDaemons daemons{1};
  Client client{daemons.address(0)};
  Events events{client};
  EXPECT_THAT(hear(events, 1), ElementsAre("begun"));
  daemons.stop(0);
  EXPECT_THAT(hear(events, 1), ElementsAre("expired"));
}

TEST(EventsOfAFixedList, AreAboutLocks) {
  const Daemons daemons{1};
  Client client{daemons.address(0)};
  Events events{client};
  EXPECT_THAT(hear(events, 1), ElementsAre("begun"));
  Mutex lock{client, "it"};
  lock.lock();
  EXPECT_THAT(hear(events, 1), ElementsAre("lock-taken it"));
  lock.unlock();
  EXPECT_THAT(hear(events, 1), ElementsAre("lock-vacant it"));
  Events files{client, "", Events::About::files};
  EXPECT_THROW(files.next(), std::system_error);
}

}  // namespace
}  // namespace hapax
