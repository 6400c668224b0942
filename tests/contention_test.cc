// Five daemons, five contenders, all of them processes of their own, over loopback TCP, with every
// algorithm: nobody tears a file that only one may touch, fences grow, everybody is served, and
// entries cost the messages that the lectures say.
//
//   HAPAX_ENTRIES=4000 build/tests/tests/hapax_contention_test      20,000 entries each; minutes
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hapax/hapax.h"
#include "process_testing.h"

namespace {

using namespace hapax::testing;

constexpr std::uint32_t kMembers = 5;

int entries_each() {
  const char* text = std::getenv("HAPAX_ENTRIES");
  return text != nullptr ? std::atoi(text) : 40;
}

// What a contender does inside: read, write one more; and note its fence. Without exclusion counts
// are lost and the notes are out of order.
int contend(const std::string& address, const fs::path& folder, int entries) {
  hapax::Client client{address};
  hapax::Mutex mutex{client, "one"};
  for (int i = 0; i < entries; ++i) {
    mutex.lock();
    int count = 0;
    std::ifstream{folder / "count"} >> count;
    std::ofstream{folder / "count"} << count + 1 << '\n';
    std::ofstream{folder / "fences", std::ios::app} << hapax::number(mutex.fence().epoch) << ' '
                                                    << hapax::number(mutex.fence().turn) << '\n';
    mutex.unlock();
  }
  return 0;
}

struct Expected {
  std::string_view algorithm;
  double least, most;  // Messages for an entry, with five members of which all contend.
};

class Contention : public ::testing::TestWithParam<Expected> {
 protected:
  std::string clients_of(std::uint32_t i) const {
    return "unix:" + (folder_ / fmt::format("clients-{}", i + 1)).string();
  }

  void start_daemons() {
    std::string members;
    for (std::uint32_t i = 0; i < kMembers; ++i) {
      members +=
          fmt::format("{}unix:{}/member-{}", i == 0 ? "" : ",", folder_.path().string(), i + 1);
    }
    for (std::uint32_t i = 0; i < kMembers; ++i) {
      daemons_.push_back(std::make_unique<Process>(
          Arguments{HAPAX_BINARY, "node", "--self", std::to_string(i + 1), "--members", members,
                    "--clients", clients_of(i), "--default-algorithm",
                    std::string{GetParam().algorithm}, "--new-group", "--state",
                    folder_ / fmt::format("state-{}", i + 1)},
          Environment{}, folder_));
    }
    for (std::uint32_t i = 0; i < kMembers; ++i) {
      ASSERT_TRUE(eventually([&] { return sees_all(i); })) << daemons_[i]->err();
    }
  }
  bool sees_all(std::uint32_t i) const {
    try {
      hapax::Client client{clients_of(i)};
      const hapax::GroupStatus status = client.status();
      return status.standing == "running";
    } catch (const std::system_error&) {
      return false;  // Not there yet.
    }
  }

  Folder folder_;
  std::vector<std::unique_ptr<Process>> daemons_;
};

TEST_P(Contention, OneAtATimeEverybodyServedAsManyMessagesAsTheLecturesSay) {
  const int each = entries_each();
  start_daemons();
  if (HasFatalFailure()) return;
  std::vector<std::unique_ptr<Process>> contenders;
  for (std::uint32_t i = 0; i < kMembers; ++i) {
    contenders.push_back(
        std::make_unique<Process>(Arguments{"/proc/self/exe", "--contend", clients_of(i),
                                            folder_.path().string(), std::to_string(each)},
                                  Environment{}, folder_));
  }
  const auto patience = std::chrono::seconds{60} + each * std::chrono::milliseconds{100};
  for (const auto& contender : contenders) {
    EXPECT_EQ(contender->wait(patience), 0) << contender->err();
  }
  int count = 0;
  std::ifstream{folder_ / "count"} >> count;
  EXPECT_EQ(count, each * static_cast<int>(kMembers));
  std::ifstream fences{folder_ / "fences"};
  std::pair<std::uint64_t, std::uint64_t> last{};
  int noted = 0;
  for (std::pair<std::uint64_t, std::uint64_t> fence; fences >> fence.first >> fence.second;) {
    EXPECT_LT(last, fence);
    last = fence;
    ++noted;
  }
  EXPECT_EQ(noted, count);
  double messages = 0;
  for (std::uint32_t i = 0; i < kMembers; ++i) {
    hapax::Client client{clients_of(i)};
    const hapax::GroupStatus status = client.status();
    EXPECT_EQ(status.entries, static_cast<std::uint64_t>(each));
    messages += static_cast<double>(status.messages_sent);
  }
  EXPECT_GE(messages / count, GetParam().least);
  EXPECT_LE(messages / count, GetParam().most);
  RecordProperty("messages_per_entry", fmt::format("{:.2f}", messages / count));
  fmt::print("{}: {} entries, {:.2f} messages each\n", GetParam().algorithm, count,
             messages / count);
}

// Of five members one is the lock's home: central asks itself for nothing there. A member's own
// vote costs nothing; the grid of five has sets of at most 4 others.
INSTANTIATE_TEST_SUITE_P(
    Algorithms, Contention,
    ::testing::Values(Expected{"central", 2.4, 2.4}, Expected{"token-ring", 0.9, 7},
                      Expected{"lamport", 12, 12}, Expected{"ricart-agrawala", 8, 8},
                      Expected{"carvalho-roucairol", 0, 8}, Expected{"maekawa", 3, 24},
                      Expected{"suzuki-kasami", 0, 5}, Expected{"raymond", 0, 6},
                      Expected{"naimi-trehel", 0, 5}, Expected{"bakery", 24, 24}),
    [](const auto& test) {
      std::string name{test.param.algorithm};
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view{argv[1]} == "--contend") {
    try {
      return contend(argv[2], argv[3], std::atoi(argv[4]));
    } catch (const std::exception& e) {
      std::fputs(e.what(), stderr);
      return 1;
    }
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
