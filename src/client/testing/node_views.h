// Members inside a test that find one another through an engine, a file in a folder of their own.
#pragma once

#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "hapax/hapax.h"

namespace hapax::client::testing {

class NodeViews : public ::testing::Test {
 protected:
  NodeOptions options(int i) const {
    NodeOptions options;
    options.engine = "embedded:" + file();
    options.group = "test";
    options.listen = fmt::format("unix:{}", (folder_ / fmt::format("m{}", i)).string());
    options.name = fmt::format("node-{}", i);
    options.ttl = ttl_;
    options.algorithms = {"reports/*=readers-writers", "pool/*=semaphore-ra:1"};
    return options;
  }
  std::string file() const { return (folder_ / "group.db").string(); }
  Node& join(int i) {
    auto& node = nodes_[static_cast<std::size_t>(i)];
    node = std::make_unique<Node>(options(i));
    return *node;
  }
  Node& operator[](std::size_t i) { return *nodes_[i]; }
  void start(int size) {
    for (int i = 0; i < size; ++i) join(i);
    ASSERT_TRUE(are_in_one_view(static_cast<std::uint32_t>(size)));
  }
  bool are_in_one_view(std::uint32_t size) {
    return eventually([&] {
      for (const auto& node : nodes_) {
        if (node && (!node->is_complete() || node->status().size != size)) return false;
      }
      return true;
    });
  }

  const hapax::testing::Folder folder_;
  // Where nothing is to be lost: longer than a busy machine makes us wait.
  std::chrono::milliseconds ttl_{800};
  std::vector<std::unique_ptr<Node>> nodes_{8};
};

// The engine takes no commits while this lives.
class Outage {
 public:
  explicit Outage(const std::string& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &handle_), SQLITE_OK);
    sqlite3_busy_timeout(handle_, 10'000);
    EXPECT_EQ(sqlite3_exec(handle_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~Outage() { sqlite3_close(handle_); }
  Outage(const Outage&) = delete;
  Outage& operator=(const Outage&) = delete;

 private:
  sqlite3* handle_ = nullptr;
};

}  // namespace hapax::client::testing
