// Real ZooKeeper servers for tests: any number, which may be killed, stopped and started again.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "base/testing/strangers.h"
#include "engine/testing/process.h"
#include "engine/url.h"
#include "loop/loop.h"

namespace hapax::engine::testing {

namespace asio = boost::asio;
namespace fs = std::filesystem;

inline constexpr const char* kJar = "/usr/share/java/zookeeper.jar";

class Ensemble {
 public:
  explicit Ensemble(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) ports_.push_back(free_port());
    std::string peers;
    for (std::size_t i = 0; size > 1 && i < size; ++i) {
      peers += fmt::format("server.{}=127.0.0.1:{}:{}\n", i + 1, free_port(), free_port());
    }
    servers_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const fs::path home = folder_ / std::to_string(i);
      fs::create_directories(home / "data");
      std::ofstream{home / "data" / "myid"} << i + 1;
      std::ofstream{home / "zoo.cfg"}
          << "tickTime=500\ninitLimit=20\nsyncLimit=6\nadmin.enableServer=false\n"
          << "4lw.commands.whitelist=srvr\nclientPortAddress=127.0.0.1\n"
          << "dataDir=" << (home / "data").string() << "\nclientPort=" << ports_[i] << "\n"
          << peers;
      start(i);
    }
  }

  void start(std::size_t i) {
    const fs::path home = folder_ / std::to_string(i);
    servers_[i] =
        server({"java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                home.string() + ":" + kJar, "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                (home / "zoo.cfg").string()},
               folder_ / "log");
  }
  void kill(std::size_t i) { servers_[i]->end(SIGKILL); }
  void signal(std::size_t i, int number) { servers_[i]->signal(number); }

  // What a server says of itself after that word; "" if it is not there.
  std::string said(std::size_t i, const std::string& word) const {
    asio::ip::tcp::socket socket{hapax::testing::strangers()};
    boost::system::error_code failed;
    socket.connect({asio::ip::address_v4::loopback(), ports_[i]}, failed);
    if (failed) return "";
    asio::write(socket, asio::buffer("srvr", 4), failed);
    std::string text;
    asio::read(socket, asio::dynamic_buffer(text), failed);
    const std::size_t at = text.find(word);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + word.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  std::size_t leader() const {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (said(i, "Mode: ") == "leader") return i;
    }
    return ports_.size();
  }
  // Two of three elect a leader while the third still starts; stopping one of the two would then
  // leave no majority.
  bool all_serve() const {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (said(i, "Mode: ").empty()) return false;
    }
    return leader() < ports_.size();
  }
  int connections(std::size_t i) const {
    const std::string count = said(i, "Connections: ");
    return count.empty() ? 0 : std::stoi(count);
  }

  Url url(const std::string& chroot = "") const {
    Url url{Kind::zookeeper, {}, chroot};
    for (const std::uint16_t port : ports_) url.endpoints.push_back({"127.0.0.1", port});
    return url;
  }

 private:
  hapax::testing::Folder folder_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::optional<Child>> servers_;
};

class NeedsZooKeeper : public ::testing::Environment {
 public:
  void SetUp() override {
    if (is_installed("java") && fs::exists(kJar)) return;
    std::printf("no zookeeper to test against: install zookeeper\n");
    std::exit(0);
  }
};

}  // namespace hapax::engine::testing
