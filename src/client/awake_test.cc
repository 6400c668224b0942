// Who waits for an answer of its daemon is awake for a moment.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAPAX_YIELD_IS_THEIRS  // Their search for leaks yields where nothing of ours may run.
#endif
#endif

#ifndef HAPAX_YIELD_IS_THEIRS
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/testing/folder.h"
#include "client/socket.h"

namespace {

// What happens while others have the processor.
thread_local std::function<void()> meanwhile;

}  // namespace

// In place of the C library's.
extern "C" int sched_yield() noexcept {
  if (meanwhile) meanwhile();
  return 0;
}

namespace hapax::client {
namespace {

using namespace std::chrono_literals;

// One that slept would not be told: nobody answers then.
TEST(WhoWaits, IsAwakeForAnAnswerThatComesAtOnce) {
  const hapax::testing::Folder folder;
  const std::string path = (folder / "daemon").string();
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof where.sun_path);
  std::memcpy(where.sun_path, path.data(), path.size());
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  Socket socket{{.host = "", .port = 0, .path = path}, {}, 5s};
  const int daemon = accept(listener, nullptr, nullptr);
  ASSERT_GE(daemon, 0);
  std::array<std::uint8_t, 16> room;
  for (int i = 0; i < Wakefulness::kFirstSleeps; ++i) {
    EXPECT_EQ(socket.read_until(room, std::chrono::steady_clock::now() + 1ms), 0);
  }
  meanwhile = [&] { EXPECT_EQ(write(daemon, "yes", 3), 3); };
  EXPECT_EQ(socket.read_until(room, std::chrono::steady_clock::now() + 200ms), 3);
  meanwhile = {};
  for (const int end : {listener, daemon}) close(end);
}

}  // namespace
}  // namespace hapax::client
#endif
