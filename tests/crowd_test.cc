// More clients than a daemon has descriptors for, and as many as it should serve.
#include <algorithm>
#include <array>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "process_testing.h"
#include "session/frames.h"
#include "session/protocol.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;

// A client that says hello, and nothing more.
class Silent {
 public:
  explicit Silent(const fs::path& where) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::strncpy(to.sun_path, where.c_str(), sizeof to.sun_path - 1);
    is_connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    Bytes hello;
    is_connected_ = is_connected_ && session::write_frame(hello, session::Ask{session::Hello{}}) &&
                    write(fd_, hello.data(), hello.size()) == static_cast<ssize_t>(hello.size());
  }
  Silent(Silent&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), is_connected_(other.is_connected_) {}
  ~Silent() {
    if (fd_ >= 0) close(fd_);
  }

  // Waits for the daemon's answer to its hello.
  std::optional<session::Answer> hear() const {
    Bytes heard;
    for (std::array<std::uint8_t, 512> room; is_connected_;) {
      const ssize_t count = read(fd_, room.data(), room.size());
      if (count <= 0) break;
      heard.insert(heard.end(), room.begin(), room.begin() + count);
      std::span<const std::uint8_t> rest{heard};
      session::Answer answer;
      const auto taken = session::take_frame(rest, session::kLargestAnswer, answer);
      if (taken == session::Taken::record) return answer;
    }
    return std::nullopt;
  }
  bool is_welcome() const {
    const auto answer = hear();
    return answer && std::holds_alternative<session::Welcome>(*answer);
  }

 private:
  int fd_;
  bool is_connected_ = false;
};

class Crowd : public ::testing::Test {
 protected:
  Environment environment() const {
    return {{"HAPAX_ADDRESS", "unix:" + (folder_ / "clients").string()},
            {"XDG_RUNTIME_DIR", folder_.path()}};
  }
  std::unique_ptr<Process> start(const std::string& script) const {
    return std::make_unique<Process>(
        Arguments{"/bin/sh", "-c", script, HAPAX_BINARY, folder_ / "group.db"}, environment(),
        folder_);
  }
  std::unique_ptr<Process> start_daemon(const std::string& before, const std::string& more) const {
    auto daemon = start(before + "exec \"$0\" node --ttl 2s --engine \"embedded:$1\" " + more);
    EXPECT_TRUE(
        eventually([&] { return daemon->err().find("serves clients") != std::string::npos; }, 20s))
        << daemon->err();
    return daemon;
  }
  int status_of(const std::string& script, std::string* err = nullptr) const {
    const auto process = start(script);
    process->close_input();
    const int status = process->wait(30s);
    if (err != nullptr) *err = process->err();
    return status;
  }

  Folder folder_;
};

TEST_F(Crowd, TooManyClientsKeepOutNeitherMembersNorQuestions) {
  constexpr std::size_t kRoom = 400 - 256 - 32;
  const auto daemon = start_daemon("ulimit -S -n 100; ulimit -H -n 400; ", "--name one");
  std::vector<Silent> crowd;
  for (std::size_t i = 0; i < kRoom; ++i) {
    crowd.emplace_back(folder_ / "clients");
    ASSERT_TRUE(crowd.back().is_welcome()) << i;
  }
  for (int i = 0; i < 50; ++i) {  // Each is told, and sent away.
    const auto answer = Silent{folder_ / "clients"}.hear();
    const auto* refused = answer ? std::get_if<session::Refused>(&*answer) : nullptr;
    ASSERT_NE(refused, nullptr);
    EXPECT_THAT(refused->why, HasSubstr("112 clients are connected"));
  }
  std::string said;
  EXPECT_EQ(status_of("exec \"$0\" run x -- true", &said), 69);
  EXPECT_THAT(said, HasSubstr("112 clients are connected, and there is no room for more"));
  EXPECT_EQ(status_of("exec \"$0\" status --wait 20s"), 0);
  const auto other = start_daemon("", "--name two --clients unix:two");
  EXPECT_TRUE(eventually(
      [&] { return status_of("\"$0\" members --json | grep -q '\"name\":\"two\"'") == 0; }, 20s));
  EXPECT_EQ(status_of("exec \"$0\" run --address unix:two x -- true"), 0);
  crowd.clear();
  EXPECT_TRUE(eventually([&] { return status_of("exec \"$0\" run x -- true") == 0; }, 20s));
}

TEST_F(Crowd, TenThousandAreServed) {
  constexpr std::size_t kCrowd = 10'000;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  if (before.rlim_max < kCrowd + 1'000) GTEST_SKIP() << "no process may have so many descriptors";
  rlimit more = before;
  more.rlim_cur = before.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &more), 0);
  const auto daemon = start_daemon("ulimit -S -n 1024; ", "");
  {
    std::vector<Silent> crowd;
    for (std::size_t i = 0; i < kCrowd; ++i) {
      crowd.emplace_back(folder_ / "clients");
      if (i % 100 != 99) continue;
      ASSERT_TRUE(crowd[i - 99].is_welcome()) << i;
    }
    ASSERT_TRUE(crowd.back().is_welcome());
    std::string said;
    EXPECT_EQ(status_of("exec \"$0\" run x -- true", &said), 0) << said;
    EXPECT_EQ(status_of("\"$0\" stats --json | grep -q '\"clients\":100[0-9][0-9]'"), 0);
  }
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace hapax::testing
