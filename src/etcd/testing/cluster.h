// Real etcd servers for tests: any number, which may be killed, stopped and started again.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/folder.h"
#include "engine/testing/process.h"
#include "engine/url.h"

namespace hapax::engine::testing {

namespace fs = std::filesystem;

class Cluster {
 public:
  explicit Cluster(std::size_t size, std::vector<std::string> more = {},
                   const std::string& scheme = "http")
      : more_(std::move(more)), scheme_(scheme) {
    std::vector<std::string> peers;
    for (std::size_t i = 0; i < size; ++i) {
      clients_.push_back(free_port());
      peers_.push_back(free_port());
      peers.push_back(fmt::format("n{}=http://127.0.0.1:{}", i, peers_[i]));
    }
    initial_ = fmt::format("{}", fmt::join(peers, ","));
    servers_.resize(size);
    for (std::size_t i = 0; i < size; ++i) start(i);
  }

  void start(std::size_t i) {
    const std::string client = fmt::format("{}://127.0.0.1:{}", scheme_, clients_[i]);
    const std::string peer = fmt::format("http://127.0.0.1:{}", peers_[i]);
    std::vector<std::string> command{"etcd",
                                     "--name",
                                     fmt::format("n{}", i),
                                     "--data-dir",
                                     folder_ / fmt::format("n{}", i),
                                     "--listen-client-urls",
                                     client,
                                     "--advertise-client-urls",
                                     client,
                                     "--listen-peer-urls",
                                     peer,
                                     "--initial-advertise-peer-urls",
                                     peer,
                                     "--initial-cluster",
                                     initial_,
                                     "--heartbeat-interval",
                                     "50",
                                     "--election-timeout",
                                     "500"};
    command.insert(command.end(), more_.begin(), more_.end());
    servers_[i] = server(command, log());
  }
  void kill(std::size_t i) { servers_[i]->end(SIGKILL); }
  void signal(std::size_t i, int number) { servers_[i]->signal(number); }

  Url url() const {
    Url url{Kind::etcd, {}, ""};
    for (const std::uint16_t port : clients_) url.endpoints.push_back({"127.0.0.1", port});
    return url;
  }
  // Runs etcdctl on one server; returns what it said.
  std::string ctl(std::size_t i, const std::string& arguments) const {
    const fs::path out = folder_ / "ctl.out";
    fs::remove(out);
    run({"sh", "-c",
         fmt::format("ETCDCTL_API=3 exec etcdctl --dial-timeout=2s --endpoints="
                     "127.0.0.1:{} {}",
                     clients_[i], arguments)},
        out);
    std::ifstream stream{out};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  std::size_t leader() const {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      const std::string status = ctl(i, "endpoint status -w fields");
      const auto number = [&](const std::string& field) {
        const std::size_t at = status.find("\"" + field + "\" : ");
        return at == std::string::npos ? 0ull : std::stoull(status.substr(at + field.size() + 5));
      };
      if (number("Leader") != 0 && number("Leader") == number("MemberID")) return i;
    }
    return clients_.size();
  }
  fs::path log() const { return folder_ / "log"; }

 private:
  const std::vector<std::string> more_;
  const std::string scheme_;
  hapax::testing::Folder folder_;
  std::vector<std::uint16_t> clients_;
  std::vector<std::uint16_t> peers_;
  std::string initial_;
  std::vector<std::optional<Child>> servers_;
};

class NeedsEtcd : public ::testing::Environment {
 public:
  void SetUp() override {
    setenv("GRPC_VERBOSITY", "NONE", 0);  // It says on stderr what our errors say.
    if (is_installed("etcd") && is_installed("etcdctl")) return;
    std::printf("no etcd to test against: install etcd-server and etcd-client\n");
    std::exit(0);
  }
};

}  // namespace hapax::engine::testing
