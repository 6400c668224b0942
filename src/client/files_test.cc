// Files, through real daemons on an engine.
#include <filesystem>
#include <gmock/gmock.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/testing/engine_daemons.h"
#include "client/testing/eventually.h"
#include "client/testing/group.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string content_of(File& file, Freshness freshness = Freshness::cached) {
  const auto now = file.read(freshness);
  return now ? now->content : "(none)";
}
std::vector<std::string> names_in(Client& client, const std::string& folder) {
  std::vector<std::string> names;
  for (const FileInfo& file : File::list(client, folder)) names.push_back(file.path);
  return names;
}
// What is thrown, as a code.
template <class Call>
std::error_code thrown_by(Call call) {
  try {
    call();
  } catch (const std::system_error& e) {
    return e.code();
  }
  return {};
}

TEST(Files, AreReadAsTheyWereWrittenWithAVersionEach) {
  const EngineDaemons daemons{1};
  Client client{daemons.address(0)};
  File file{client, "config/db"};
  EXPECT_EQ(file.read(), std::nullopt);
  const std::string bytes{"a\0\n\xff", 4};
  const auto first = file.write(bytes);
  const auto seen = file.read();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->content, bytes);
  EXPECT_EQ(seen->version, first);
  EXPECT_FALSE(seen->ephemeral);
  const auto second = file.write("b");
  EXPECT_GT(second, first);
  EXPECT_EQ(content_of(file), "b");
  EXPECT_EQ(content_of(file, Freshness::fresh), "b");
  EXPECT_TRUE(file.remove());
  EXPECT_EQ(file.read(), std::nullopt);
  EXPECT_FALSE(file.remove());
}

// From copies of its own, where its daemon says that nothing has changed.
TEST(Files, ReadAgainAreAsNewAsAnyWriteThatHasReturned) {
  const EngineDaemons daemons{1};
  Client client{daemons.address(0)}, others{daemons.address(0)};
  File file{client, "config/db"}, same{others, "config/db"}, other{client, "config/other"};
  const std::string stamps = daemons.address(0).substr(5) + ".files";
  EXPECT_EQ(content_of(file), "(none)");
  EXPECT_FALSE(std::filesystem::exists(stamps)) << "a single read needs none";
  EXPECT_EQ(content_of(file), "(none)");
  EXPECT_TRUE(std::filesystem::exists(stamps));
  for (int i = 0; i < 100; ++i) {
    const auto version = same.write(std::to_string(i));
    for (int again = 0; again < 3; ++again) {
      const auto now = file.read();
      ASSERT_TRUE(now.has_value());
      ASSERT_EQ(now->content, std::to_string(i));
      ASSERT_EQ(now->version, version);
    }
    if (i % 10 == 0) other.write("x");  // What it knows is newer then than what it has copied.
  }
}

TEST(Files, TakeTheLargestAndNothingLarger) {
  const EngineDaemons daemons{1};
  Client client{daemons.address(0)};
  File file{client, std::string(512, 'x')};
  const std::string largest(File::kLargest, '\xfe');
  file.write(largest);
  EXPECT_EQ(content_of(file), largest);
  EXPECT_EQ(content_of(file, Freshness::fresh), largest);
  EXPECT_EQ(thrown_by([&] { file.write(largest + "x"); }), Errc::refused);
  EXPECT_EQ(thrown_by([&] { File{client, "a/../b"}; }), Errc::bad_name);
}

TEST(Files, AreSwappedOnlyIfTheyHaveTheVersion) {
  const EngineDaemons daemons{2};
  Client one{daemons.address(0)};
  Client two{daemons.address(1)};
  File here{one, "leader"};
  File there{two, "leader"};
  const auto first = here.compare_and_swap(0, "a");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(there.compare_and_swap(0, "b"), std::nullopt) << "there is one";
  const auto second = there.compare_and_swap(*first, "b");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(here.compare_and_swap(*first, "c"), std::nullopt);
  EXPECT_EQ(content_of(here, Freshness::fresh), "b");
  EXPECT_EQ(thrown_by([&] { here.remove(*first); }), Errc::conflict);
  EXPECT_TRUE(here.remove(*second));
}

TEST(Files, CountExactlyHoweverManySwapAtOnce) {
  const EngineDaemons daemons{2};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Client client{daemons.address(t % 2)};
      File file{client, "counter"};
      for (int done = 0; done < 5;) {
        const auto now = file.read();
        const int value = now ? std::stoi(now->content) : 0;
        if (file.compare_and_swap(now ? now->version : 0, std::to_string(value + 1))) ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Client client{daemons.address(0)};
  File file{client, "counter"};
  EXPECT_EQ(content_of(file, Freshness::fresh), "20");
}

// Whichever daemon it asks next, though that one's cache be behind.
TEST(Files, AreNeverReadOlderThanTheirReaderHasSeenOrWrittenThem) {
  EngineDaemons daemons{2};
  Client client{daemons.address(0) + "," + daemons.address(1)};
  Client other{daemons.address(1)};
  File theirs{other, "f"};
  EXPECT_EQ(content_of(theirs), "(none)");  // Its daemon's cache is there from now on.
  File file{client, "f"};
  for (int i = 0; i < 20; ++i) file.write(std::to_string(i));
  daemons.stop(0);
  EXPECT_EQ(content_of(file), "19");
  EXPECT_TRUE(eventually([&] { return content_of(theirs) == "19"; }));
}

TEST(Files, AreListedByFolder) {
  const EngineDaemons daemons{1};
  Client client{daemons.address(0)};
  for (const char* path : {"a", "a/x", "a/y/z", "ab", "b"}) File{client, path}.write(path);
  EXPECT_THAT(names_in(client, ""), ElementsAre("a", "a/x", "a/y/z", "ab", "b"));
  EXPECT_THAT(names_in(client, "a"), ElementsAre("a", "a/x", "a/y/z"));
  const auto fresh = File::list(client, "a/y", Freshness::fresh);
  ASSERT_EQ(fresh.size(), 1u);
  EXPECT_EQ(fresh[0].bytes, 5u);
}

TEST(Files, ThatAreEphemeralGoWithTheirClient) {
  const EngineDaemons daemons{2};
  Client watcher{daemons.address(1)};
  File seen{watcher, "workers/7"};
  {
    Client worker{daemons.address(0)};
    File file{worker, "workers/7"};
    file.write("here", {.version = {}, .fence = {}, .ephemeral = true});
    EXPECT_TRUE(file.read()->ephemeral);
    EXPECT_EQ(
        thrown_by([&] { seen.write("mine", {.version = {}, .fence = {}, .ephemeral = true}); }),
        Errc::refused)
        << "it is another session's";
    EXPECT_TRUE(eventually([&] { return content_of(seen) == "here"; }));
    seen.write("edited");
    EXPECT_TRUE(seen.read()->ephemeral) << "whoever writes it";
  }
  EXPECT_TRUE(eventually([&] { return !seen.read(); }));
}

TEST(Files, ThatAreEphemeralGoWithTheirDaemon) {
  EngineDaemons daemons{2, 1s};
  Client watcher{daemons.address(1)};
  File seen{watcher, "workers/7"};
  Client worker{daemons.address(0)};
  File{worker, "workers/7"}.write("here", {.version = {}, .fence = {}, .ephemeral = true});
  File{worker, "stays"}.write("here");
  EXPECT_TRUE(eventually([&] { return content_of(seen) == "here"; }));
  daemons.stop(0);
  EXPECT_EQ(content_of(seen), "here") << "its lease is not over";
  EXPECT_TRUE(eventually([&] { return !seen.read(); }));
  EXPECT_THAT(names_in(watcher, ""), ElementsAre("stays"));
}

TEST(Files, AreWrittenByTheHolderOfTheirLock) {
  const EngineDaemons daemons{2};
  ASSERT_TRUE(eventually([&] { return daemons.are_in_one_view(); }));
  Client one{daemons.address(0)};
  Client two{daemons.address(1)};
  Mutex lock{one, "job"};
  Mutex next{two, "job"};
  File file{one, "job"};
  lock.lock();
  const Fence first = lock.fence();
  file.write("by the first", first);
  EXPECT_EQ(file.read()->fence, first);
  EXPECT_EQ(check_fence(two, "job", first), FenceStanding::present);
  lock.unlock();
  EXPECT_EQ(check_fence(two, "job", first), FenceStanding::past);
  EXPECT_EQ(thrown_by([&] { file.write("late", first); }), Errc::stale_fence);
  next.lock();
  const Fence second = next.fence();
  std::string why;
  EXPECT_EQ(check_fence(one, "job", first, &why), FenceStanding::past);
  EXPECT_THAT(why, HasSubstr("job is held with fence " + to_string(second)));
  File{two, "job"}.write("by the second", second);
  EXPECT_EQ(thrown_by([&] { file.write("later", first); }), Errc::stale_fence);
  file.write("by somebody");
  EXPECT_EQ(file.read()->fence, second) << "it is kept";
  next.unlock();
}

TEST(Files, OfAFixedListThereAreNone) {
  const Daemons daemons{1};
  Client client{daemons.address(0)};
  try {
    File{client, "a"}.write("x");
    ADD_FAILURE() << "it was written";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::refused);
    EXPECT_THAT(e.what(), HasSubstr("fixed list of members, which has no engine"));
  }
}

}  // namespace
}  // namespace hapax
