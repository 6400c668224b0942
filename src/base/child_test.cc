#include "base/child.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <gmock/gmock.h>
#include <stdexcept>
#include <unistd.h>

#include "base/send_signal.h"

namespace hapax {
namespace {

constexpr std::chrono::seconds kLong{20};

// A shell whose output we read.
class Shell {
 public:
  explicit Shell(const std::string& script) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    child_ = std::make_unique<Child>(
        "the shell",
        Command{.words = {"sh", "-c", script}, .output = ends[1], .without_settings = true});
    close(ends[1]);
    output_ = ends[0];
  }
  ~Shell() { close(output_); }

  Child& child() { return *child_; }
  char next() {
    char c = '\0';
    return read(output_, &c, 1) == 1 ? c : '\0';
  }
  std::string rest() {
    std::string text;
    for (char c = next(); c != '\0'; c = next()) text += c;
    return text;
  }

 private:
  std::unique_ptr<Child> child_;
  int output_ = -1;
};

TEST(Child, EndsWithAStatusAsShellsHaveIt) {
  Shell seven{"exit 7"};
  ASSERT_TRUE(seven.child().wait_for_end(kLong));
  EXPECT_EQ(seven.child().status(), 7);
  Shell killed{"kill -9 $$"};
  ASSERT_TRUE(killed.child().wait_for_end(kLong));
  EXPECT_EQ(killed.child().status(), 128 + SIGKILL);
}

TEST(Child, HasNothingToReadNoSettingsOfOursAndItsOwnProcessGroup) {
  setenv("HAPAX_MEMBERS", "a:1", 1);
  setenv("NOT_OF_HAPAX", "kept", 1);
  Shell shell{"cat; echo $HAPAX_MEMBERS,$NOT_OF_HAPAX,$(cut -d ' ' -f 5 /proc/$$/stat),$$"};
  unsetenv("HAPAX_MEMBERS");
  unsetenv("NOT_OF_HAPAX");
  const std::string pid = std::to_string(shell.child().pid());
  EXPECT_EQ(shell.rest(), ",kept," + pid + "," + pid + "\n");
}

TEST(Child, StandsStillWhileFrozenAndGoesOn) {
  Shell shell{"echo x; read line <&0; exec sleep 60"};
  EXPECT_EQ(shell.next(), 'x');
  shell.child().freeze();
  EXPECT_EQ(shell.child().status(), std::nullopt);
  shell.child().thaw();
  shell.child().freeze();
  shell.child().ask_to_end();  // Wakes it up for that.
  ASSERT_TRUE(shell.child().wait_for_end(kLong));
  EXPECT_EQ(shell.child().status(), 128 + SIGTERM);
  EXPECT_THROW(shell.child().freeze(), std::runtime_error);
}

TEST(Child, IsKilledWithItsOwnerAlsoWhileFrozen) {
  pid_t pid = -1;
  {
    Shell shell{"trap '' TERM; echo x; exec sleep 60"};
    EXPECT_EQ(shell.next(), 'x');
    pid = shell.child().pid();
    shell.child().freeze();
  }
  EXPECT_FALSE(signal_process(pid, 0));
}

TEST(Child, ThatCannotBeExecutedEndsAtOnce) {
  Child child{"nothing", {.words = {"/nowhere/hapax"}}};
  ASSERT_TRUE(child.wait_for_end(kLong));
  EXPECT_EQ(child.status(), 127);
}

}  // namespace
}  // namespace hapax
