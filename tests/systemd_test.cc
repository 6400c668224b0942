// A daemon under systemd: what it tells its supervisor, and the units as systemd reads them.
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <poll.h>
#include <regex>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

#include "process_testing.h"

namespace hapax::testing {
namespace {

// The end of the socket at which systemd listens.
class NotifySocket {
 public:
  explicit NotifySocket(const fs::path& path) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    path.string().copy(where.sun_path, sizeof where.sun_path - 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
  }
  ~NotifySocket() { close(fd_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  // Reads on until such a line has come; false if none did in time.
  bool hears(const std::string& line) {
    for (const auto give_up = Clock::now() + 60s; Clock::now() < give_up;) {
      pollfd one{fd_, POLLIN, 0};
      if (poll(&one, 1, 1'000) != 1) continue;
      char room[4'096];
      const ssize_t size = recv(fd_, room, sizeof room, 0);
      if (size <= 0) continue;
      const std::string said{room, static_cast<std::size_t>(size)};
      all += said + '\n';
      if (('\n' + said).find('\n' + line) != std::string::npos) return true;
    }
    return false;
  }

  // Until there is no room for another word.
  void fill() {
    sockaddr_un where{};
    socklen_t size = sizeof where;
    ASSERT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&where), &size), 0);
    const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const auto* to = reinterpret_cast<const sockaddr*>(&where);
    while (sendto(sender, "STATUS=other", 12, MSG_DONTWAIT, to, size) > 0) {
    }
    EXPECT_EQ(errno, EAGAIN);
    close(sender);
  }

  std::string all;

 private:
  const int fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

class Systemd : public ::testing::Test {
 protected:
  Process& start_daemon(const Environment& environment) {
    const std::string folder = folder_.path();
    daemon_.emplace(Arguments{HAPAX_BINARY, "node", "--engine", "embedded:" + folder + "/group.db",
                              "--new-group", "--listen", "unix:" + folder + "/member", "--clients",
                              "unix:" + folder + "/clients"},
                    environment, folder_);
    return *daemon_;
  }
  int run(const Arguments& words) {
    Process process{words, {}, folder_};
    process.close_input();
    const int status = process.wait(60s);
    said_ = process.out() + process.err();
    return status;
  }

  const Folder folder_;
  std::optional<Process> daemon_;
  std::string said_;
};

TEST_F(Systemd, IsToldWhenADaemonServesThatItLivesAndThatItEnds) {
  NotifySocket systemd{folder_ / "notify"};
  Process& daemon =
      start_daemon({{"NOTIFY_SOCKET", folder_ / "notify"}, {"WATCHDOG_USEC", "400000"}});
  ASSERT_TRUE(systemd.hears("READY=1")) << systemd.all << daemon.err();
  EXPECT_EQ(run({HAPAX_BINARY, "status", "--wait", "20s", "--address",
                 "unix:" + (folder_ / "clients").string()}),
            0)
      << said_;
  EXPECT_EQ(systemd.all.find("WATCHDOG=1"), std::string::npos) << "not before it is ready";
  EXPECT_TRUE(systemd.hears("STATUS=view ") ||
              systemd.all.find("STATUS=view ") != std::string::npos);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(systemd.hears("WATCHDOG=1")) << systemd.all;
  daemon.signal(SIGTERM);
  EXPECT_TRUE(systemd.hears("STOPPING=1")) << systemd.all;
  EXPECT_EQ(daemon.wait(), 0) << daemon.err();
}

TEST_F(Systemd, IsNotWaitedForWhenItDoesNotRead) {
  NotifySocket systemd{folder_ / "notify"};
  systemd.fill();
  Process& daemon =
      start_daemon({{"NOTIFY_SOCKET", folder_ / "notify"}, {"WATCHDOG_USEC", "100000"}});
  const std::string address = "unix:" + (folder_ / "clients").string();
  ASSERT_EQ(run({HAPAX_BINARY, "status", "--wait", "20s", "--address", address}), 0) << said_;
  for (int i = 0; i < 3; ++i) {  // Several words are due meanwhile.
    EXPECT_EQ(run({HAPAX_BINARY, "run", "--address", address, "x", "--", "sleep", "0.1"}), 0)
        << said_;
  }
  EXPECT_TRUE(systemd.hears("READY=1")) << systemd.all << daemon.err();
  EXPECT_TRUE(systemd.hears("WATCHDOG=1")) << systemd.all;
  systemd.fill();
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(), 0) << daemon.err();
}

TEST_F(Systemd, IsNotLeftWithoutWordWhereNoneCanBeGiven) {
  Process& daemon = start_daemon({{"NOTIFY_SOCKET", "vsock:2:1234"}});
  EXPECT_EQ(daemon.wait(), 69);
  EXPECT_NE(daemon.err().find("$NOTIFY_SOCKET is 'vsock:2:1234'"), std::string::npos)
      << daemon.err();
}

// As they are installed, but for the path of the program, which is not there yet.
TEST_F(Systemd, FindsNothingWrongWithTheUnits) {
  for (const std::string unit : {"hapax.service", "hapax@.service"}) {
    const std::string text = contents_of(fs::path{HAPAX_BUILD} / unit);
    std::ofstream{folder_ / unit} << std::regex_replace(text, std::regex{"ExecStart=\\S+"},
                                                        std::string{"ExecStart="} + HAPAX_BINARY);
  }
  ASSERT_EQ(run({"systemd-analyze", "verify", "--man=no", folder_ / "hapax.service",
                 folder_ / "hapax@one.service"}),
            0)
      << said_;
  EXPECT_EQ(said_, "");
  // What a daemon of its kind can be kept from; CAP_KILL is what it needs beyond.
  ASSERT_EQ(run({"systemd-analyze", "security", "--offline=yes", "--threshold=25", "--no-pager",
                 folder_ / "hapax.service"}),
            0)
      << said_;
}

TEST_F(Systemd, StartsADaemonWithSettingsThatMakeSense) {
  ASSERT_EQ(run({HAPAX_BINARY, "node", "--config", fs::path{HAPAX_ROOT} / "packaging/hapax.toml",
                 "--socket-group", "root", "--check-config"}),
            0)
      << said_;
  EXPECT_NE(said_.find("embedded:/var/lib/hapax/group.db"), std::string::npos) << said_;
  // What is commented out is what it says it is: every line of it is read, as far as it goes.
  const std::string text = contents_of(fs::path{HAPAX_ROOT} / "packaging/hapax.toml");
  static const std::regex setting{"(?:^|\n)# ([a-z-]+) = "};
  std::size_t settings = 0;
  const std::string help = [&] {
    run({HAPAX_BINARY, "node", "--help"});
    return said_;
  }();
  for (std::sregex_iterator at{text.begin(), text.end(), setting}, end; at != end; ++at) {
    EXPECT_NE(help.find("--" + (*at)[1].str()), std::string::npos) << (*at)[1];
    ++settings;
  }
  EXPECT_GE(settings, 12u);
}

}  // namespace
}  // namespace hapax::testing
