// A group of daemons in this process, for tests of what clients see.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "daemon/daemon_thread.h"
#include "hapax/node.h"

namespace hapax {

// A group of daemons, each with its thread, on Unix sockets in a folder of its own.
class Daemons {
 public:
  explicit Daemons(std::uint32_t size, const Policy& policy = {}) {
    std::vector<net::Address> members;
    for (std::uint32_t i = 0; i < size; ++i) members.push_back(at(fmt::format("member-{}", i)));
    for (std::uint32_t i = 0; i < size; ++i) {
      NodeConfig config;
      config.self = Seat{i};
      config.members = members;
      config.clients = {at(fmt::format("clients-{}", i))};
      config.policy = policy;
      config.state.path = folder_ / fmt::format("state-{}", i);
      config.state.is_new_group = true;
      all_.push_back(DaemonThread::start(std::move(config), {}).value());
    }
  }
  std::string address(std::uint32_t i) const {
    return "unix:" + (folder_ / fmt::format("clients-{}", i)).string();
  }
  void stop(std::uint32_t i) { all_[i].reset(); }

 private:
  net::Address at(const std::string& name) const {
    return {.host = "", .port = 0, .path = (folder_ / name).string()};
  }

  const testing::Folder folder_;
  std::vector<std::unique_ptr<DaemonThread>> all_;
};

// Members inside this process, each a Node of its own.
class Nodes {
 public:
  explicit Nodes(std::uint32_t size, const std::string& algorithm = "carvalho-roucairol") {
    NodeOptions options;
    options.default_algorithm = algorithm;
    for (std::uint32_t i = 0; i < size; ++i) {
      options.members.push_back(fmt::format("unix:{}/member-{}", folder_.path().string(), i));
    }
    options.new_group = true;
    for (; options.self <= size; ++options.self) {
      options.state = (folder_ / fmt::format("state-{}", options.self)).string();
      all_.push_back(std::make_unique<Node>(options));
    }
  }
  Node& operator[](std::uint32_t i) { return *all_[i]; }
  void leave(std::uint32_t i) { all_[i].reset(); }

 private:
  const testing::Folder folder_;
  std::vector<std::unique_ptr<Node>> all_;
};

}  // namespace hapax
