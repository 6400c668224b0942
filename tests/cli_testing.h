// The binary as people and scripts run it: what it prints, where, and with which exit status.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <sys/wait.h>

#include "process_testing.h"

namespace hapax::testing {

// A folder of its own for each test; tests run side by side.
class Cli : public ::testing::Test {
 protected:
  struct Finished {
    int status = -1;
    std::string out;
    std::string err;
  };

  Finished shell(const std::string& command) const {
    const std::string redirected = "{ " + command + "; } >'" + (folder_ / "out").string() +
                                   "' 2>'" + (folder_ / "err").string() + "' </dev/null";
    const int status = std::system(redirected.c_str());  // NOLINT(cert-env33-c): as people run it
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents_of(folder_ / "out"),
            contents_of(folder_ / "err")};
  }
  virtual Finished hapax(const std::string& arguments) const {
    return shell("'" HAPAX_BINARY "' " + arguments);
  }
  boost::json::object object_of(const std::string& arguments, int status = 0) const {
    const Finished finished = hapax(arguments);
    EXPECT_EQ(finished.status, status) << arguments << '\n' << finished.err;
    EXPECT_EQ(finished.err, "") << arguments;
    EXPECT_EQ(std::count(finished.out.begin(), finished.out.end(), '\n'), 1) << "one line";
    boost::json::error_code error;
    const boost::json::value value = boost::json::parse(finished.out, error);
    EXPECT_FALSE(error) << finished.out;
    return value.is_object() ? value.get_object() : boost::json::object{};
  }
  std::string file(const std::string& name, std::string_view text) const {
    std::ofstream{folder_ / name} << text;
    return (folder_ / name).string();
  }
  std::string folder() const { return folder_.string(); }
  void expect_refused(const std::string& arguments, const std::string& advice) const {
    SCOPED_TRACE("hapax " + arguments);
    const Finished finished = hapax(arguments);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_EQ(finished.err.rfind("hapax: ", 0), 0u) << finished.err;
    EXPECT_THAT(finished.err, ::testing::HasSubstr(advice));
  }

 private:
  const Folder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

}  // namespace hapax::testing
