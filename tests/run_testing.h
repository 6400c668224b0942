// What tests of `hapax run` and its sisters begin with.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "process_testing.h"

namespace hapax::testing {

// A test with a folder of its own and, once asked for, a group in it.
class Run : public ::testing::Test {
 protected:
  Run() : environment_{{"HAPAX_ADDRESS", address()}, {"XDG_RUNTIME_DIR", folder_.path()}} {}

  std::string address() const { return "unix:" + (folder_ / "usual.sock").string(); }

  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, environment_, folder_);
  }
  struct Finished {
    int status;
    std::string out, err;
  };
  // With nothing on standard input.
  Finished hapax(const Arguments& words, milliseconds patience = 20s) const {
    const auto process = start(words);
    process->close_input();
    const int status = process->wait(patience);
    return {status, process->out(), process->err()};
  }
  boost::json::object object_of(const Arguments& words) const {
    const Finished finished = hapax(words);
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(std::count(finished.out.begin(), finished.out.end(), '\n'), 1) << finished.out;
    boost::json::error_code error;
    const boost::json::value value = boost::json::parse(finished.out, error);
    EXPECT_FALSE(error) << finished.out;
    return value.is_object() ? value.get_object() : boost::json::object{};
  }

  void start_group() {
    up_ = start({"up", "3", "--clients-dir", folder_ / "clients"});
    ASSERT_TRUE(eventually([&] { return up_->out().find("\nmember 3") != std::string::npos; }))
        << up_->err();
  }
  // Three daemons, each a process; the first serves the usual address.
  void start_nodes() {
    std::string members;
    for (int i = 1; i <= 3; ++i) {
      members += "unix:" + (folder_ / ("member-" + std::to_string(i))).string() + ",";
    }
    for (int i = 1; i <= 3; ++i) {
      const std::string n = std::to_string(i);
      nodes_.push_back(start({"node", "--self", n, "--members", members, "--clients",
                              i == 1 ? address() : "unix:" + (folder_ / ("c" + n)).string(),
                              "--new-group", "--state", folder_ / ("state-" + n)}));
    }
    ASSERT_TRUE(eventually([&] {
      const Finished status = hapax({"status", "--json"});
      return status.status == 0 && status.out.find("false") == std::string::npos;
    })) << nodes_[0]->err();
  }
  // Somebody who holds the lock until told otherwise.
  std::unique_ptr<Process> hold(const std::string& name) {
    auto holder = start({"lock", name, "--stdin"});
    EXPECT_TRUE(eventually([&] { return holder->out().find("fence") != std::string::npos; }))
        << holder->err();
    return holder;
  }
  // So many processes wait for the lock while somebody holds it.
  bool await_waiters(const std::string& name, std::size_t count) {
    return eventually([&] {
      const boost::json::object who = object_of({"who", name, "--json"});
      const boost::json::array& locks = who.at("locks").as_array();
      return !locks.empty() && locks[0].at("holder").is_object() &&
             locks[0].at("waiters").as_array().size() >= count;
    });
  }
  void expect_refused(const Arguments& words, int status, const std::string& advice) const {
    std::string line;
    for (const std::string& word : words) line += ' ' + word.substr(0, 60);
    SCOPED_TRACE("hapax" + line);
    const Finished finished = hapax(words);
    EXPECT_EQ(finished.status, status);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_TRUE(finished.err.starts_with("hapax: ")) << finished.err;
    EXPECT_THAT(finished.err, ::testing::HasSubstr(advice));
  }
  void file(const std::string& name, const std::string& text) const {
    std::ofstream{folder_ / name} << text;
  }

  Folder folder_;
  Environment environment_;
  std::unique_ptr<Process> up_;
  std::vector<std::unique_ptr<Process>> nodes_;
};

}  // namespace hapax::testing
