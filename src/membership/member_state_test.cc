#include "membership/member_state.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace hapax {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class StateFileTest : public ::testing::Test {
 protected:
  StateFileTest() {
    std::string pattern = (fs::temp_directory_path() / "hapax-state-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~StateFileTest() override { fs::remove_all(folder_); }
  fs::path path() const { return folder_ / "deep" / "down" / "member.state"; }

  fs::path folder_;
};

TEST_F(StateFileTest, IsThereAfterARestart) {
  {
    auto file = StateFile::open(path());
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_FALSE(file->state());
    ASSERT_TRUE(file->write({"members a, b", Epoch{17}, Life{99}, true}).has_value());
  }
  auto file = StateFile::open(path());
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->state());
  EXPECT_EQ(file->state()->settings, "members a, b");
  EXPECT_EQ(file->state()->promised, Epoch{17});
  EXPECT_EQ(file->state()->life, Life{99});
  EXPECT_TRUE(file->state()->ended_free);
  struct stat about {};
  ASSERT_EQ(stat(path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u) << "nobody else may change what was promised";
}

TEST_F(StateFileTest, IsForOneProcessAtATime) {
  auto file = StateFile::open(path());
  ASSERT_TRUE(file.has_value());
  const auto other = StateFile::open(path());
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message, HasSubstr("started twice"));
}

TEST_F(StateFileTest, RefusesWhatIsNotItsOwn) {
  fs::create_directories(path().parent_path());
  for (const char* text :
       {"", "{}", "not json", R"({"format":"hapax member 2"})",
        R"({"format":"hapax member 1","settings":"x","promised":-1,"life":2,"ended_free":true})"}) {
    std::ofstream{path()} << text;
    const auto file = StateFile::open(path());
    ASSERT_FALSE(file.has_value()) << text;
    EXPECT_THAT(file.error().message, HasSubstr("remove it"));
  }
}

TEST_F(StateFileTest, SaysWhatItCannotWrite) {
  auto file = StateFile::open(path());
  ASSERT_TRUE(file.has_value());
  fs::remove_all(folder_);
  const auto written = file->write({});
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().message, HasSubstr("member.state"));
}

TEST(UsualStatePath, IsOfTheMemberAtThatAddress) {
  setenv("XDG_STATE_HOME", "/somewhere", 1);
  EXPECT_EQ(usual_state_path("hapax", "10.0.0.1:7400").value(),
            "/somewhere/hapax/hapax@10.0.0.1:7400.state");
  EXPECT_EQ(usual_state_path("g", "unix:/run/a.sock").value(),
            "/somewhere/hapax/g@unix:-run-a.sock.state");
  unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace hapax
