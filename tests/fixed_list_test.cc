// Fixed lists of real daemons: members that are restarted while locks are held, one, two and all at
// once; and lists that do not agree. HAPAX_ROUNDS=100 makes the rounds as many.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "hapax/gate.h"
#include "hapax/hapax.h"
#include "process_testing.h"

namespace {

using namespace hapax::testing;
using ::testing::HasSubstr;

constexpr std::uint32_t kMembers = 3;
constexpr std::uint32_t kLocks = 12;

int rounds() {
  const char* said = std::getenv("HAPAX_ROUNDS");
  return said == nullptr ? 3 : std::clamp(std::atoi(said), 1, 10'000);
}

// Daemons of one list, each a process with a state file of its own.
class Daemons {
 public:
  explicit Daemons(Arguments options) : options_(std::move(options)) {
    for (std::uint32_t i = 0; i < kMembers; ++i) {
      members_ += fmt::format("{}unix:{}/member-{}", i == 0 ? "" : ",", folder_.path().string(), i);
    }
    for (std::uint32_t i = 0; i < kMembers; ++i) start(i, true);
  }
  std::string clients_of(std::uint32_t i) const {
    return "unix:" + (folder_ / fmt::format("clients-{}", i + 1)).string();
  }
  void start(std::uint32_t i, bool is_new = false) {
    Arguments words{HAPAX_BINARY, "node",     "--self",    std::to_string(i + 1),
                    "--members",  members_,   "--clients", clients_of(i),
                    "--state",    state_of(i)};
    if (is_new) words.push_back("--new-group");
    words.insert(words.end(), options_.begin(), options_.end());
    daemons_[i] = std::make_unique<Process>(words, Environment{}, folder_);
  }
  Process& operator[](std::uint32_t i) { return *daemons_[i]; }
  fs::path state_of(std::uint32_t i) const { return folder_ / fmt::format("state-{}", i + 1); }
  const Folder& folder() const { return folder_; }
  bool runs(std::uint32_t i) const {
    try {
      return hapax::Client{clients_of(i)}.status().standing == "running";
    } catch (const std::system_error&) {
      return false;
    }
  }
  bool all_run(milliseconds patience = 20s) const {
    return eventually([this] { return runs(0) && runs(1) && runs(2); }, patience);
  }
  std::string logs() const {
    std::string text;
    for (const auto& daemon : daemons_) text += daemon->err() + '\n';
    return text;
  }

 private:
  Folder folder_;
  Arguments options_;
  std::string members_;
  std::array<std::unique_ptr<Process>, kMembers> daemons_;
};

// Who is inside each lock as far as it knows: whoever was told that its grant is lost is not.
class Watch {
 public:
  explicit Watch(const fs::path& gates) : gates_(gates) {}

  void enter(std::uint32_t lock, std::uint64_t who, const hapax::Fence& fence) {
    const std::lock_guard guard{mutex_};
    if (inside_[lock] != 0) {
      findings_ +=
          fmt::format("lock {} is granted to {} while {} is inside\n", lock, who, inside_[lock]);
    }
    if (fence <= last_[lock]) {
      findings_ +=
          fmt::format("lock {}: fence {}.{} after {}.{}\n", lock, number(fence.epoch),
                      number(fence.turn), number(last_[lock].epoch), number(last_[lock].turn));
    }
    // The storage that was there before lets the new holder in.
    hapax::FileGate gate{gates_ / fmt::format("gate-{}", lock)};
    if (!gate.admit(fence)) findings_ += fmt::format("lock {}: its gate is shut\n", lock);
    inside_[lock] = who;
    last_[lock] = fence;
  }
  void leave(std::uint32_t lock, std::uint64_t who) {
    const std::lock_guard guard{mutex_};
    if (inside_[lock] == who) inside_[lock] = 0;
  }
  std::string findings() {
    const std::lock_guard guard{mutex_};
    return findings_;
  }

 private:
  std::mutex mutex_;
  fs::path gates_;
  std::array<std::uint64_t, kLocks> inside_{};
  std::array<hapax::Fence, kLocks> last_{};
  std::string findings_;
};

// Takes a lock, and keeps it until it is told to let go or that it is lost.
class Holder {
 public:
  Holder(const std::string& address, std::uint32_t lock, std::uint64_t who, Watch& watch)
      : thread_([=, this, &watch](const std::stop_token& stop) {
          hold(address, lock, who, watch, stop);
        }) {}
  bool is_inside() const { return is_inside_; }
  bool was_inside() const { return was_inside_; }
  void let_go() { thread_.request_stop(); }

 private:
  void hold(const std::string& address, std::uint32_t lock, std::uint64_t who, Watch& watch,
            const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      try {
        hapax::Client client{address};
        hapax::Mutex mutex{client, fmt::format("lock-{}", lock)};
        if (mutex.acquire_until(Clock::now() + 60s, stop)) continue;
        const std::stop_token lost = mutex.lost();
        if (lost.stop_requested()) continue;
        watch.enter(lock, who, mutex.fence());
        is_inside_ = was_inside_ = true;
        while (!stop.stop_requested() && !lost.stop_requested()) std::this_thread::sleep_for(2ms);
        watch.leave(lock, who);
        is_inside_ = false;
        if (!lost.stop_requested()) mutex.unlock();
        return;
      } catch (const std::system_error&) {
        std::this_thread::sleep_for(20ms);  // Its daemon is away: once more.
      }
    }
  }

  std::atomic<bool> is_inside_{false};
  std::atomic<bool> was_inside_{false};
  std::jthread thread_;
};

using Holders = std::vector<std::unique_ptr<Holder>>;

class Restarts : public ::testing::TestWithParam<const char*> {
 protected:
  // All locks, each through another member; `first` of the names by which they are told apart.
  Holders everybody(Daemons& daemons, Watch& watch, std::uint64_t first, std::uint32_t shift) {
    Holders all;
    for (std::uint32_t lock = 0; lock < kLocks; ++lock) {
      all.push_back(std::make_unique<Holder>(daemons.clients_of((lock + shift) % kMembers), lock,
                                             first + lock, watch));
    }
    return all;
  }
  static bool all_were_inside(const Holders& holders) {
    return std::all_of(holders.begin(), holders.end(),
                       [](const auto& h) { return h->was_inside(); });
  }
};
INSTANTIATE_TEST_SUITE_P(FixedList, Restarts,
                         ::testing::Values("ricart-agrawala", "carvalho-roucairol", "lamport",
                                           "maekawa", "tree-quorum", "central", "token-ring",
                                           "suzuki-kasami", "raymond", "naimi-trehel", "bakery"),
                         [](const auto& test) {
                           std::string name{test.param};
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Restarts, NobodyIsLetInBesideAHolderAndFencesGrow) {
  Daemons daemons{{"--default-algorithm", GetParam()}};
  ASSERT_TRUE(daemons.all_run()) << daemons.logs();
  Watch watch{daemons.folder().path()};
  std::mt19937 engine{std::random_device{}()};
  const auto random = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(engine() % below);
  };
  std::uint64_t who = 1;
  for (int round = 0; round < rounds(); ++round) {
    Holders holders = everybody(daemons, watch, who, 0);
    ASSERT_TRUE(eventually([&] { return all_were_inside(holders); }, 30s)) << daemons.logs();
    Holders next = everybody(daemons, watch, who + kLocks, 1);
    who += 2 * kLocks;
    // One, two or all; each by a signal of its own.
    const auto kind = static_cast<std::size_t>(round % 3);
    const std::uint32_t victims = round < 3 ? 1 : 1 + random(kMembers);
    const std::uint32_t first = random(kMembers);
    for (std::uint32_t v = 0; v < victims; ++v) {
      daemons[(first + v) % kMembers].signal(std::array{SIGKILL, SIGTERM, SIGSTOP}[kind]);
    }
    if (kind == 2) std::this_thread::sleep_for(milliseconds{random(1'500)});
    for (std::uint32_t v = 0; v < victims; ++v) {
      const std::uint32_t i = (first + v) % kMembers;
      if (kind == 2) {
        daemons[i].signal(SIGCONT);
        continue;
      }
      ASSERT_NE(daemons[i].wait(), -1) << daemons[i].err();
      daemons.start(i);
    }
    ASSERT_TRUE(daemons.all_run()) << daemons.logs();
    ASSERT_EQ(watch.findings(), "") << GetParam() << ", round " << round << ", " << daemons.logs();
    for (const auto& holder : holders) holder->let_go();
    ASSERT_TRUE(eventually([&] { return all_were_inside(next); }, 30s))
        << "somebody waits although all are back\n"
        << daemons.logs();
    holders.clear();
    for (const auto& holder : next) holder->let_go();
    next.clear();
  }
  EXPECT_EQ(watch.findings(), "") << daemons.logs();
}

TEST(FixedList, GoesOnAboveItsEpochsWhenAllAreRestarted) {
  Daemons daemons{{}};
  ASSERT_TRUE(daemons.all_run()) << daemons.logs();
  const auto before = hapax::Client{daemons.clients_of(0)}.status().epoch;
  for (std::uint32_t i = 0; i < kMembers; ++i) daemons[i].signal(SIGTERM);
  for (std::uint32_t i = 0; i < kMembers; ++i) ASSERT_EQ(daemons[i].wait(), 0) << daemons.logs();
  fs::remove(daemons.state_of(1));  // One of them forgets.
  for (std::uint32_t i = 0; i < kMembers; ++i) daemons.start(i);
  ASSERT_TRUE(daemons.all_run()) << daemons.logs();
  EXPECT_GT(hapax::Client{daemons.clients_of(0)}.status().epoch, before);
  EXPECT_THAT(daemons[1].err(), HasSubstr("no state in"));
}

// Members that were told different things: refused by name, with both values, at both ends.
class Differing : public ::testing::Test {
 protected:
  void start(int n, const std::string& self, const std::string& members,
             const Arguments& options = {}) {
    Arguments words{HAPAX_BINARY,
                    "node",
                    "--self",
                    self,
                    "--members",
                    members,
                    "--listen",
                    at(n),
                    "--clients",
                    clients_of(n),
                    "--new-group",
                    "--state",
                    folder_ / fmt::format("state-{}", n)};
    words.insert(words.end(), options.begin(), options.end());
    daemons_.push_back(std::make_unique<Process>(words, Environment{}, folder_));
  }
  std::string at(int n) const { return "unix:" + (folder_ / fmt::format("member-{}", n)).string(); }
  std::string clients_of(int n) const {
    return "unix:" + (folder_ / fmt::format("clients-{}", n)).string();
  }
  std::string status_of(int n) const {
    Process status{{HAPAX_BINARY, "status", "--address", clients_of(n)}, Environment{}, folder_};
    status.wait();
    return status.out();
  }
  void expect_both_say(const std::string& what) {
    for (const int n : {1, 2}) {
      const auto& log = *daemons_[static_cast<std::size_t>(n - 1)];
      EXPECT_TRUE(eventually([&] { return log.err().find(what) != std::string::npos; }))
          << log.err();
      EXPECT_TRUE(eventually([&] { return status_of(n).find(what) != std::string::npos; }))
          << status_of(n);
      Process lock{
          {HAPAX_BINARY, "run", "-w", "0.2", "--address", clients_of(n), "x", "--", "true"},
          Environment{},
          folder_};
      EXPECT_EQ(lock.wait(), 75) << "nobody gets a lock";
      EXPECT_THAT(lock.err(), HasSubstr(what)) << "and is told why";
    }
  }

  Folder folder_;
  std::vector<std::unique_ptr<Process>> daemons_;
};

TEST_F(Differing, ListsOfDifferentLengths) {
  start(1, "1", at(1) + "," + at(2));
  start(2, "2", at(1) + "," + at(2) + "," + at(3));
  expect_both_say(
      fmt::format("member 2 was started with members {0},{1},{2}, locks by "
                  "carvalho-roucairol and election by bully; member 1 with members "
                  "{0},{1}, locks",
                  at(1), at(2), at(3)));
}
TEST_F(Differing, ListsInAnotherOrder) {
  start(1, "1", at(1) + "," + at(2) + "," + at(3));
  start(2, "3", at(1) + "," + at(3) + "," + at(2));
  expect_both_say(
      fmt::format("member 3 was started with members {0},{2},{1}, ", at(1), at(2), at(3)));
}
TEST_F(Differing, Algorithms) {
  start(1, "1", at(1) + "," + at(2), {"--default-algorithm", "token-ring"});
  start(2, "2", at(1) + "," + at(2), {"--default-algorithm", "central"});
  expect_both_say("locks by central and election by bully; member 1 with");
}
TEST_F(Differing, Elections) {
  start(1, "1", at(1) + "," + at(2));
  start(2, "2", at(1) + "," + at(2), {"--election", "ring-election"});
  expect_both_say("election by ring-election; member 1 with");
}

}  // namespace
