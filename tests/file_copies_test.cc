// The client of files that `./test faults --files` strikes, at a real daemon: what it saw, much of
// it in copies of its own, is judged by `hapax audit`, which finds copies that hear of no change.
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "faults/file_user.h"
#include "hapax/hapax.h"
#include "process_testing.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;
using Number = std::atomic<std::uint64_t>;

// The first numbers of a daemon's page of stamps (session/file_stamps.h), in this process.
class StampPage {
 public:
  explicit StampPage(const fs::path& file) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
    void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED) throw std::runtime_error{"no page of stamps at " + file.string()};
    numbers_ = static_cast<Number*>(memory);
  }
  ~StampPage() { munmap(numbers_, kBytes); }
  StampPage(const StampPage&) = delete;
  StampPage& operator=(const StampPage&) = delete;

  Number& revision() { return numbers_[1]; }  // Behind the daemon's number.

 private:
  static constexpr std::size_t kBytes = 2 * sizeof(Number);
  Number* numbers_ = nullptr;
};

class FilesOfTheCampaign : public ::testing::Test {
 protected:
  void SetUp() override { start_daemon(); }
  void start_daemon() {
    daemon_ = start({"node", "--engine", "embedded:" + (folder_ / "group.db").string(), "--listen",
                     "unix:" + (folder_ / "m").string(), "--clients", address(), "--state",
                     (folder_ / "s").string(), "--new-group"});
    ASSERT_TRUE(eventually(
        [&] {
          return start({"file", "ls"})->wait() == 0;
        },
        30s))
        << daemon_->err();
  }
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, Environment{{"HAPAX_ADDRESS", address()}}, folder_);
  }
  std::string address() const { return "unix:" + (folder_ / "c").string(); }
  fs::path stamps() const { return folder_ / "c.files"; }

  // Two users of the same files, for so long. What `hapax audit` says of what they noted.
  struct Verdict {
    int status;
    std::string text;
  };
  Verdict judged_after(milliseconds duration) const {
    std::atomic<bool> is_over{false};
    std::vector<std::string> notes;
    {
      std::vector<std::jthread> users;
      for (const std::string name : {"one", "two"}) {
        notes.push_back((folder_ / name).string());
        users.emplace_back([&, name, file = notes.back()] {
          faults::FileUser{address(), name, file, 3, name.size()}.run(is_over);
        });
      }
      std::this_thread::sleep_for(duration);
      is_over = true;
    }
    const auto audit = start({"audit", notes[0], notes[1]});
    const int status = audit->wait();
    return {status, audit->out() + audit->err()};
  }

  const Folder folder_;
  std::unique_ptr<Process> daemon_;
};

TEST_F(FilesOfTheCampaign, AreReadFromCopiesAndAreFine) {
  const Verdict verdict = judged_after(2s);
  EXPECT_EQ(verdict.status, 0) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr(" of them reads of a client's own copy: no findings"));
  EXPECT_EQ(verdict.text.find(" 0 of them"), std::string::npos) << verdict.text;
}

// The page of a daemon that was killed stays as it was; only the connection says that it is gone.
TEST_F(FilesOfTheCampaign, AreNotReadFromCopiesOfADaemonThatIsGone) {
  Client client{address()};
  File file{client, "config/db"};
  file.write("old");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(file.read()->content, "old");
  EXPECT_TRUE(fs::exists(stamps()));
  daemon_->signal(SIGKILL);
  ASSERT_TRUE(eventually([&] { return client.lost().stop_requested(); }));
  EXPECT_THROW(file.read(), std::system_error) << "nobody can know whether it is that still";
  start_daemon();
  Client others{address()};
  ASSERT_TRUE(eventually([&] { return File{others, "config/db"}.write("new") != 0; }));
  EXPECT_EQ(file.read()->content, "new");
}

// A page in the place of the daemon's, with its revision and none of its changes.
TEST_F(FilesOfTheCampaign, AreFoundToBeStaleIfCopiesHearOfNoChange) {
  Client client{address()};
  File file{client, "file-1"};
  ASSERT_TRUE(eventually([&] { return !file.read() && fs::exists(stamps()); }));
  StampPage good{stamps()};
  fs::copy_file(stamps(), folder_ / "bad");
  fs::rename(folder_ / "bad", stamps());
  StampPage bad{stamps()};
  const std::jthread follows{[&](const std::stop_token& end) {
    while (!end.stop_requested()) {
      bad.revision() = good.revision().load();
      std::this_thread::sleep_for(100us);
    }
  }};
  const Verdict verdict = judged_after(2s);
  EXPECT_EQ(verdict.status, 1) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr("stale-read: file-"));
  EXPECT_THAT(verdict.text, HasSubstr(" in a copy of its own, although it knew of "));
}

}  // namespace
}  // namespace hapax::testing
