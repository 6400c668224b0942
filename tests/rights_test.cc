// Who may do what, on real daemons: other users of this machine, as somebody, and as everybody.
#include <array>
#include <boost/json.hpp>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/send_signal.h"
#include "http_testing.h"
#include "nobody_testing.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int status;
  std::string out, err;
};

class Rights : public ::testing::Test {
 protected:
  Rights() {
    if (geteuid() != 0) return;
    fs::permissions(folder_.path(), fs::perms{0777});  // Nobody is at home here, too.
    fs::create_directory(folder_ / "nobody");
    if (chown((folder_ / "nobody").c_str(), kNobody, kNobody) != 0) std::abort();
    binary_ = hapax_for_nobody(folder_);
  }

  std::string socket(const std::string& name) const { return "unix:" + (folder_ / name).string(); }
  Environment environment() const {
    return {{"HAPAX_ADDRESS", socket("clients")}, {"XDG_RUNTIME_DIR", folder_.path()}};
  }
  // Of root, or as nobody.
  std::unique_ptr<Process> start(Arguments words, bool is_nobody = false) const {
    words.insert(words.begin(), binary_);
    return std::make_unique<Process>(is_nobody ? by_nobody(words) : words, environment(), folder_);
  }
  Outcome hapax(const Arguments& words, bool is_nobody = false) const {
    const auto process = start(words, is_nobody);
    process->close_input();
    const int status = process->wait(30s);
    return {status, process->out(), process->err()};
  }
  // A group of one, whose daemon serves programs at `clients`.
  std::unique_ptr<Process> start_daemon(Arguments more = {}, bool is_nobody = false) const {
    const fs::path home = is_nobody ? folder_ / "nobody" : folder_.path();
    Arguments words{"node", "--engine", "embedded:" + (home / "group.db").string(), "--ttl",
                    "1s",   "--listen", "unix:" + (home / "member").string()};
    words.insert(words.end(), more.begin(), more.end());
    auto daemon = start(words, is_nobody);
    EXPECT_TRUE(
        eventually([&] { return daemon->err().find("serves clients") != std::string::npos; }, 20s))
        << daemon->err();
    return daemon;
  }

  Folder folder_;
  std::string binary_ = HAPAX_BINARY;
};

// Another user that listens at a path before the daemon does, and notes what it is told.
class Impostor {
 public:
  Impostor(const fs::path& at, const fs::path& heard) {
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, at.c_str(), sizeof where.sun_path - 1);
    if (bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) std::abort();
    const int notes = open(heard.c_str(), O_CREAT | O_WRONLY, 0600);
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      if (setresuid(kNobody, kNobody, kNobody) != 0 || listen(listener, 5) != 0) _exit(1);
      (void)!write(ready[1], "x", 1);
      for (std::array<char, 4096> bytes;;) {
        const int guest = accept(listener, nullptr, nullptr);
        for (ssize_t n = 0; (n = read(guest, bytes.data(), bytes.size())) > 0;) {
          (void)!write(notes, bytes.data(), static_cast<std::size_t>(n));
        }
        close(guest);
      }
    }
    char byte = 0;
    (void)!read(ready[0], &byte, 1);
    for (const int fd : {listener, notes, ready[0], ready[1]}) close(fd);
  }
  ~Impostor() {
    signal_process(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;

 private:
  pid_t pid_ = -1;
};

TEST_F(Rights, AProgramDoesNotBelieveAnotherUsersSocket) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const Impostor impostor{folder_ / "clients", folder_ / "heard"};
  const Outcome refused = hapax({"run", "x", "--", "touch", (folder_ / "ran").string()});
  EXPECT_EQ(refused.status, 69);
  EXPECT_THAT(refused.err, HasSubstr("is served by nobody (uid 65534), and you are root (uid 0)"));
  EXPECT_THAT(refused.err, HasSubstr("--server-user"));
  EXPECT_EQ(contents_of(folder_ / "heard"), "") << "it was told our command line";
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

TEST_F(Rights, AProgramBelievesTheUserThatItIsTold) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const auto daemon = start_daemon({"--clients", socket("nobody/clients")}, true);
  const std::string there = socket("nobody/clients");
  EXPECT_EQ(hapax({"status", "--address", there}).status, 69);
  const Outcome told = hapax({"status", "--address", there, "--server-user", "nobody"});
  EXPECT_THAT(told.status, ::testing::AnyOf(0, 75)) << told.err;
  const Outcome wrong = hapax({"status", "--address", there, "--server-user", "nosuch"});
  EXPECT_EQ(wrong.status, 64);
  EXPECT_THAT(wrong.err, HasSubstr("there is no user nosuch"));
}

TEST_F(Rights, OfFilesAreThoseOfLocksByTheirPaths) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const auto daemon =
      start_daemon({"--clients", socket("clients"), "--socket-mode", "0666", "--role",
                    "nobody=read on public/*", "--role", "nobody=lock on public/board"});
  for (const char* path : {"public/board", "public/rules", "secret"}) {
    EXPECT_EQ(hapax({"file", "put", path}).status, 0);
  }
  const auto as_nobody = [&](const Arguments& words) {
    Arguments all = words;
    all.insert(all.end(), {"--server-user", "root"});
    return hapax(all, true);
  };
  EXPECT_EQ(as_nobody({"file", "get", "public/rules"}).status, 0);
  EXPECT_EQ(as_nobody({"file", "put", "public/board"}).status, 0);
  for (const Arguments& words : {Arguments{"file", "put", "public/rules"},
                                 {"file", "rm", "public/rules"},
                                 {"file", "cas", "secret", "--version", "0"},
                                 {"file", "get", "secret"},
                                 {"file", "get", "secret", "--fresh"},
                                 {"fence", "check", "secret", "1.1"}}) {
    const Outcome refused = as_nobody(words);
    EXPECT_EQ(refused.status, 77) << words[1] << ' ' << words[2] << refused.err;
  }
  const Outcome listed = as_nobody({"file", "ls", "--json"});
  EXPECT_THAT(listed.out, HasSubstr("public/rules"));
  EXPECT_THAT(listed.out, Not(HasSubstr("secret")));
  const auto events = start({"events", "--server-user", "root"}, true);
  EXPECT_TRUE(eventually([&] { return events->out().find("begun") != std::string::npos; }));
  hapax({"file", "put", "secret"});
  hapax({"file", "put", "public/rules"});
  EXPECT_TRUE(eventually([&] { return events->out().find("public/rules") != std::string::npos; }));
  EXPECT_THAT(events->out(), Not(HasSubstr("secret")));
}

TEST_F(Rights, APassToTheLivePageIsWorthWhatItsOwnerMayRead) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const auto daemon = start_daemon({"--clients", socket("clients"), "--socket-mode", "0666",
                                    "--page", "127.0.0.1:0", "--role", "nobody=read on public/*"});
  const auto secret = start({"run", "secret", "--", "sleep", "60"});
  const auto open = start({"run", "public/a", "--", "sleep", "60"});
  const Outcome own = hapax({"live"});
  ASSERT_EQ(own.status, 0) << own.err;
  const auto port = static_cast<std::uint16_t>(std::stoi(own.out.substr(own.out.rfind(':') + 1)));
  const std::string host = "Host: 127.0.0.1\r\n";
  EXPECT_THAT(http_get(port, "/v1/locks", host), HasSubstr("HTTP/1.1 401 "));
  const auto locks_of = [&](std::string url) {
    url.pop_back();
    const std::string pass = "Authorization: Bearer " + url.substr(url.find('#') + 1) + "\r\n";
    return http_get(port, "/v1/locks", host + pass);
  };
  EXPECT_TRUE(eventually([&] {
    const std::string all = locks_of(own.out);
    return all.find("public/a") != std::string::npos && all.find("secret") != std::string::npos;
  }));
  const Outcome limited = hapax({"live", "--server-user", "root"}, true);
  ASSERT_EQ(limited.status, 0) << limited.err;
  EXPECT_THAT(locks_of(limited.out), HasSubstr("public/a"));
  EXPECT_THAT(locks_of(limited.out), Not(HasSubstr("secret")));
}

TEST_F(Rights, NobodyIsLetInWhoMayNotReadOrWhereThereIsNoPage) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const auto daemon = start_daemon(
      {"--clients", socket("clients"), "--socket-mode", "0666", "--role", "nobody=lock"});
  const Outcome refused = hapax({"live", "--server-user", "root"}, true);
  EXPECT_EQ(refused.status, 77);
  EXPECT_THAT(refused.err, HasSubstr("needs the right to read"));
  const Outcome none = hapax({"live"});
  EXPECT_EQ(none.status, 69);
  EXPECT_THAT(none.err, HasSubstr("start it with --page 127.0.0.1:8080"));
  const Outcome far = hapax({"node", "--engine", "embedded:x.db", "--page", "0.0.0.0:8080"});
  EXPECT_EQ(far.status, 64);
  EXPECT_THAT(far.err, HasSubstr("shown on this machine only"));
}

TEST_F(Rights, ASocketIsItsUsersUntilItIsShared) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const auto daemon = start_daemon({"--clients", socket("clients"), "--clients", socket("too")});
  EXPECT_EQ(hapax({"run", "x", "--", "true"}).status, 0);
  EXPECT_EQ(hapax({"run", "x", "--", "true"}, true).status, 77) << "mode 0600";
  daemon->signal(SIGTERM);
  ASSERT_EQ(daemon->wait(), 0);
  const auto shared = start_daemon({"--socket-group", "65534"});
  const Outcome run = hapax({"run", "x", "--", "true"}, true);
  EXPECT_EQ(run.status, 0) << run.err;
  struct stat info {};
  ASSERT_EQ(stat((folder_ / "clients").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0660u);
  EXPECT_EQ(info.st_gid, kNobody);
}

TEST_F(Rights, PlainTcpOnThisMachineNeedsAWordAndIsWarnedOf) {
  const std::string port = std::to_string(free_port()), clients = std::to_string(free_port());
  const std::string engine = "embedded:" + (folder_ / "group.db").string();
  const Arguments members{"node", "--engine", engine, "--listen", "127.0.0.1:" + port};
  const Arguments tcp{"node", "--engine", engine, "--clients", "127.0.0.1:" + clients};
  for (const Arguments& words : {members, tcp}) {
    const Outcome refused = hapax(words);
    EXPECT_EQ(refused.status, 64);
    EXPECT_THAT(refused.err, HasSubstr("any user of this machine could pose as"));
    EXPECT_THAT(refused.err, HasSubstr("--insecure"));
  }
  Arguments open = members;
  open.insert(open.end(), {"--clients", "127.0.0.1:" + clients, "--insecure"});
  const auto daemon = start(open);
  ASSERT_TRUE(
      eventually([&] { return daemon->err().find("serves clients") != std::string::npos; }, 20s))
      << daemon->err();
  EXPECT_THAT(daemon->err(), HasSubstr("warning: insecure: at 127.0.0.1:" + port));
  EXPECT_THAT(daemon->err(), HasSubstr("warning: insecure: at 127.0.0.1:" + clients));
  const Outcome wary = hapax({"status", "--address", "127.0.0.1:" + clients});
  EXPECT_EQ(wary.status, 64);
  EXPECT_THAT(wary.err, HasSubstr("--insecure"));
  // It answers, with a lease or still without.
  EXPECT_THAT(hapax({"status", "--address", "127.0.0.1:" + clients, "--insecure"}).status,
              ::testing::AnyOf(0, 75));
}

// Nothing is said of addresses, and no other user can reach the members.
TEST_F(Rights, MembersOfOneMachineFindOneAnotherByUnixSockets) {
  const std::string engine = "embedded:" + (folder_ / "group.db").string();
  const auto one = start({"node", "--engine", engine, "--ttl", "1s", "--name", "one"});
  const auto two = start(
      {"node", "--engine", engine, "--ttl", "1s", "--name", "two", "--clients", socket("two")});
  EXPECT_TRUE(eventually(
      [&] {
        const Outcome members = hapax({"members", "--json"});
        return members.out.find("\"name\":\"two\"") != std::string::npos &&
               members.out.find("\"member\":false") == std::string::npos;
      },
      30s))
      << one->err() << two->err();
  const Outcome run = hapax({"run", "--address", socket("two"), "x", "--", "true"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(one->err(), Not(HasSubstr("insecure")));
}

TEST_F(Rights, OthersLockAndReadAndOnlyItsUserAdministers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const auto daemon = start_daemon({"--socket-mode", "0666", "--name", "here"});
  EXPECT_EQ(hapax({"run", "x", "--", "true"}, true).status, 0);
  EXPECT_EQ(hapax({"who"}, true).status, 0);
  const auto holder = start({"run", "held", "--", "sh", "-c", "echo inside; exec sleep 100"});
  EXPECT_TRUE(eventually([&] { return holder->out() == "inside\n"; })) << holder->err();
  for (const Arguments& words : {Arguments{"leave"}, Arguments{"evict", "here", "--yes"},
                                 Arguments{"break", "held", "--yes"}}) {
    const Outcome refused = hapax(words, true);
    EXPECT_EQ(refused.status, 77);
    EXPECT_THAT(refused.err, HasSubstr("needs the right to administer; you are nobody (uid 65534), "
                                       "who may lock, read"));
  }
  EXPECT_FALSE(daemon->has_ended());
  EXPECT_FALSE(holder->has_ended());
  holder->signal(SIGTERM);
  EXPECT_NE(holder->wait(), -1);
  EXPECT_THAT(daemon->err(), HasSubstr("refused to evict here, which nobody (uid 65534)"));
  EXPECT_EQ(hapax({"leave"}).status, 0);
  EXPECT_EQ(daemon->wait(), 0);
  EXPECT_THAT(daemon->err(), HasSubstr("asked to leave the group and end by root (uid 0), pid "));
}

TEST_F(Rights, RolesAreReadAgainWhenTheDaemonIsHungUpOn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const fs::path file = folder_ / "hapax.toml";
  std::ofstream{file} << "socket-mode = \"0666\"\nrole = [\"nobody = lock on orders/*\"]\n";
  const auto daemon = start_daemon({"--config", file});
  EXPECT_EQ(hapax({"run", "orders/1", "--", "true"}, true).status, 0);
  const Outcome other = hapax({"run", "bills/1", "--", "true"}, true);
  EXPECT_EQ(other.status, 77);
  EXPECT_THAT(other.err, HasSubstr("to take bills/1 needs the right to lock; you are nobody (uid "
                                   "65534), who may lock on orders/*"));
  EXPECT_EQ(hapax({"who"}, true).status, 77);
  EXPECT_EQ(hapax({"status"}, true).status, 0) << "for everybody who gets in";
  const auto holder = start({"lock", "bills/1"});
  ASSERT_TRUE(eventually([&] { return holder->out().find("fence") != std::string::npos; }));

  std::ofstream{file} << "role = [\"nobody = lock\", \"nobody = read on orders/*\"]\n";
  daemon->signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return daemon->err().find("read again") != std::string::npos; }));
  EXPECT_EQ(hapax({"run", "bills/2", "--", "true"}, true).status, 0);
  const Outcome who = hapax({"who"}, true);
  EXPECT_EQ(who.status, 0) << who.err;
  EXPECT_THAT(who.out, Not(HasSubstr("bills"))) << "what one may not read is left out";
  EXPECT_EQ(hapax({"who", "bills/1"}, true).status, 77);

  std::ofstream{file} << "role = [\"nobody = fly\"]\n";
  daemon->signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return daemon->err().find("'fly'") != std::string::npos; }));
  EXPECT_EQ(hapax({"run", "bills/2", "--", "true"}, true).status, 0) << "as they were";
}

TEST_F(Rights, CertificatesAreReadAgainWhenTheDaemonIsHungUpOn) {
  const std::string certs = folder_ / "certs", port = std::to_string(free_port());
  const auto make = [&](Arguments words) {
    words.insert(words.begin(), "certs");
    words.insert(words.end(), {"--dir", certs});
    EXPECT_EQ(hapax(words).status, 0);
  };
  make({"--members", "localhost", "--clients", "alice,bob", "--days", "2"});
  const auto daemon =
      start_daemon({"--clients", "localhost:" + port, "--ca", certs + "/ca.pem", "--cert",
                    certs + "/member-1.pem", "--key", certs + "/member-1.key"});
  const auto as = [&](const std::string& who, Arguments words) {
    words.insert(words.end(),
                 {"--address", "localhost:" + port, "--ca", certs + "/ca.pem", "--cert",
                  certs + "/client-" + who + ".pem", "--key", certs + "/client-" + who + ".key"});
    return start(words);
  };
  const auto status_line = [&] {
    const auto status = as("alice", {"status"});
    EXPECT_EQ(status->wait(20s), 0) << status->err();
    const std::string text = status->out();
    const std::size_t at = text.find("certificate:");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  const auto holder = as("bob", {"lock", "x"});
  ASSERT_TRUE(eventually([&] { return holder->out().find("fence") != std::string::npos; }))
      << holder->err();
  EXPECT_EQ(status_line(), "certificate: good for 47 hours (member-1.pem)");
  make({"renew", "member-1", "--days", "90"});
  make({"revoke", "client-bob"});
  daemon->signal(SIGHUP);
  ASSERT_TRUE(eventually([&] {
    return daemon->err().find("certificate read again: good until") != std::string::npos;
  })) << daemon->err();
  EXPECT_EQ(status_line(), "certificate: good for 7 days (ca.pem)") << "the next that ends";
  EXPECT_EQ(as("alice", {"try", "y"})->wait(20s), 0);
  EXPECT_EQ(as("bob", {"try", "y"})->wait(20s), 77);
  EXPECT_FALSE(holder->has_ended()) << "no connection was dropped";
  EXPECT_EQ(as("alice", {"try", "x"})->wait(20s), 1);

  std::ofstream{certs + "/member-1.pem"} << "nonsense";
  daemon->signal(SIGHUP);
  EXPECT_TRUE(eventually(
      [&] { return daemon->err().find("the certificate stays as it was") != std::string::npos; }));
  EXPECT_EQ(as("alice", {"try", "y"})->wait(20s), 0);
}

// Commands and values are whatever somebody has typed.
TEST_F(Rights, NobodysBytesMoveAnothersCursor) {
  const auto daemon = start_daemon();
  const std::string evil =
      "\x1b[2J\xc2\x9b"
      "31m\xe2\x80\xae\xff\x07";
  const auto holder = start({"run", "x", "--", "sh", "-c", "sleep 20", evil});
  const auto is_plain = [](const std::string& text) {
    return text.find_first_of("\x1b\x07\xff\x9b") == std::string::npos &&
           text.find("\xe2\x80\xae") == std::string::npos;
  };
  const std::string job = "hapax run x -- sh -c sleep 20";
  ASSERT_TRUE(eventually([&] {
    return hapax({"who", "--json"}).out.find(job) != std::string::npos;
  })) << hapax({"who"}).out
      << holder->err() << daemon->err();
  for (const Arguments& words : {Arguments{"who"}, {"who", "--json"}, {"why", "x"}, {"status"}}) {
    const Outcome shown = hapax(words);
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_TRUE(is_plain(shown.out)) << words[0] << words.size();
    if (words.back() != "--json") continue;
    boost::json::error_code invalid;
    boost::json::parse(shown.out, invalid);
    EXPECT_FALSE(invalid) << shown.out;
    EXPECT_THAT(shown.out, HasSubstr("sleep 20"));
  }
  EXPECT_THAT(hapax({"who"}).out, HasSubstr(" hapax")) << "however little of it there is room for";
  const Outcome refused = hapax({"run", evil, "--", "true"});
  EXPECT_EQ(refused.status, 64);
  EXPECT_TRUE(is_plain(refused.err));
  holder->signal(SIGTERM);
  holder->wait();
}

}  // namespace
}  // namespace hapax::testing
