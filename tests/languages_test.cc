// hapax from C and from Python: the header compiled by a C compiler, the shared library and the
// module, at work with a real daemon.
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>

#include "process_testing.h"

namespace hapax::testing {
namespace {

const fs::path kLibrary{HAPAX_C_LIBRARY};
const fs::path kTree{HAPAX_ROOT};

class Languages : public ::testing::Test {
 protected:
  void SetUp() override {
    address_ = "unix:" + (folder_ / "clients").string();
    daemon_ = std::make_unique<Process>(
        Arguments{HAPAX_BINARY, "node", "--engine", "embedded:" + (folder_ / "group.db").string(),
                  "--listen", "unix:" + (folder_ / "member").string(), "--clients", address_},
        Environment{}, folder_);
    ASSERT_TRUE(eventually(
        [&] {
          return run({HAPAX_BINARY, "try", "ready"}) == 0;
        },
        60s))
        << daemon_->err();
  }

  std::unique_ptr<Process> start(const Arguments& words) const {
    return std::make_unique<Process>(
        words,
        Environment{{"HAPAX_ADDRESS", address_},
                    {"LD_LIBRARY_PATH", kLibrary.parent_path().string()},
                    {"PYTHONPATH", kTree / "python"},
                    {"PYTHONDONTWRITEBYTECODE", "1"},
                    {"DAEMON_PID", std::to_string(daemon_->pid())}},
        folder_);
  }
  int run(const Arguments& words) {
    const auto process = start(words);
    process->close_input();
    const int status = process->wait(120s);
    said_ = process->out() + process->err();
    return status;
  }

  const Folder folder_;
  std::string address_;
  std::unique_ptr<Process> daemon_;
  std::string said_;
};

TEST_F(Languages, OfCIsSpokenByAProgramWithoutCpp) {
  const std::string program = folder_ / "c_test";
  ASSERT_EQ(run({"cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I",
                 kTree / "include", kTree / "tests/c_test.c", "-L", kLibrary.parent_path(),
                 "-lhapax-c", "-o", program}),
            0)
      << said_;
  EXPECT_EQ(run({program}), 0) << said_;
  EXPECT_EQ(said_, "done\n");

  const auto holder = start({program, "loss"});
  ASSERT_TRUE(eventually([&] { return holder->out() == "inside\n"; }, 60s)) << holder->err();
  daemon_->signal(SIGKILL);
  EXPECT_EQ(holder->wait(120s), 0) << holder->err();
  EXPECT_EQ(holder->out(), "inside\nlost\n");
}

TEST_F(Languages, OfPythonIsSpokenByTheModule) {
  EXPECT_EQ(run({"python3", kTree / "python/hapax_test.py"}), 0) << said_;
}

// Nothing of the C++ behind it, which would meet that of another library in one process.
TEST_F(Languages, SeeOnlyWhatTheHeaderOfCDeclares) {
  ASSERT_EQ(run({"nm", "-D", "--defined-only", "--format=posix", kLibrary}), 0) << said_;
  std::istringstream symbols{said_};
  const std::string header = contents_of(kTree / "include/hapax/c.h");
  std::size_t count = 0;
  for (std::string line; std::getline(symbols, line);) {
    const std::string name = line.substr(0, line.find_first_of(" @"));
    if (name == "HAPAX_C_0") continue;  // The version of them all.
    EXPECT_NE(header.find(name + '('), std::string::npos) << name;
    ++count;
  }
  EXPECT_EQ(count, 19u);
}

}  // namespace
}  // namespace hapax::testing
