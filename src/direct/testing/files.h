// What two programs see of a group's files that go to its engine themselves.
#pragma once

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <system_error>

#include "hapax/hapax.h"

namespace hapax::testing {

inline std::error_code code_of_write(File& file, const File::Options& options) {
  try {
    file.write("x", options);
  } catch (const std::system_error& e) {
    return e.code();
  }
  return {};
}

inline void expect_files(Client& one, Client& other) {
  using namespace std::chrono_literals;
  File mine{one, "config/db"}, yours{other, "config/db"};
  EXPECT_EQ(mine.read(), std::nullopt);
  Events events{other, "config", Events::About::files};
  const auto next = [&] { return events.next_until(std::chrono::steady_clock::now() + 20s); };
  const auto begun = next();
  ASSERT_TRUE(begun.has_value());
  EXPECT_EQ(begun->kind, Event::Kind::begun);

  const std::string bytes{"a\0\n\xff", 4};
  const std::uint64_t first = mine.write(bytes);
  const auto added = next();
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(added->kind, Event::Kind::file_added);
  EXPECT_EQ(added->name, "config/db");
  EXPECT_EQ(added->version, first);
  auto seen = yours.read();  // It has been told of it.
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->content, bytes);
  EXPECT_EQ(seen->version, first);

  EXPECT_EQ(yours.compare_and_swap(first + 1, "no"), std::nullopt);
  EXPECT_EQ(yours.compare_and_swap(0, "no"), std::nullopt);
  const auto second = yours.compare_and_swap(first, "b");
  ASSERT_TRUE(second.has_value());
  EXPECT_GT(*second, first);
  seen = mine.read();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->content, "b") << "nobody reads older than the engine has";
  EXPECT_EQ(code_of_write(mine, {.ephemeral = true}), Errc::refused);

  Mutex lock{one, "config/db"};
  lock.lock();
  EXPECT_EQ(code_of_write(mine, {.fence = lock.fence()}), std::error_code{});
  EXPECT_EQ(check_fence(other, "config/db", lock.fence()), FenceStanding::present);
  const Fence before = lock.fence();
  lock.unlock();
  lock.lock();
  EXPECT_EQ(check_fence(other, "config/db", before), FenceStanding::past);
  EXPECT_EQ(code_of_write(yours, {.fence = before}), Errc::stale_fence);
  lock.unlock();

  File{one, "config/web"}.write("w");
  const auto files = File::list(other, "config", Freshness::fresh);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "config/db");
  EXPECT_EQ(files[1].path, "config/web");
  EXPECT_THROW(yours.remove(first), std::system_error);
  EXPECT_TRUE(yours.remove());
  EXPECT_FALSE(mine.remove());
  EXPECT_EQ(mine.read(), std::nullopt);
  std::optional<Event> event;
  do {
    event = next();
    ASSERT_TRUE(event.has_value());
    EXPECT_NE(event->kind, Event::Kind::resync);
  } while (event->kind != Event::Kind::file_removed);
  EXPECT_EQ(event->name, "config/db");
}

}  // namespace hapax::testing
