#include "faults/engine.h"

#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <thread>

namespace hapax::faults {
namespace {

using std::chrono::milliseconds;

// A file that all members open, on a small disk of its own: an ext4 image. The file cannot fall,
// but somebody can sit on its write lock.
class Embedded : public EngineUnderTest {
 public:
  explicit Embedded(const Plan& plan)
      : image_(plan.fast_folder / "disk.img"), disk_(plan.fast_folder / "disk") {
    std::filesystem::create_directory(disk_);
    run_command(fmt::format("truncate -s 24M {0} && mkfs.ext4 -q {0}", image_.string()));
    mount_image();
  }

  std::string url() const override { return "embedded:" + (disk_ / "engine.db").string(); }
  bool has_disk() const override { return true; }
  void fill_disk() override {
    // It fails when the disk is full: that is the point.
    std::ofstream filler{disk_ / "filler"};
    const std::string block(1 << 16, 'x');
    while (filler << block << std::flush) continue;
  }
  // What ext4 has not written yet is not in the image.
  void cut_power() override {
    const auto copy = image_.string() + ".copy";
    run_command(fmt::format("cp --sparse=always {0} {1} && umount -l {2} && mv {1} {0}",
                            image_.string(), copy, disk_.string()));
    mount_image();
  }
  void stop_all() override {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open((disk_ / "engine.db").c_str(), &opened);
    sitting_.reset(opened);
    if (status != SQLITE_OK) throw std::runtime_error{"cannot open engine.db"};
    sqlite3_busy_timeout(opened, 2'000);
    // Held until it is closed. If it cannot be had, somebody else sits on it.
    sqlite3_exec(opened, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  }
  void heal() override {
    sitting_.reset();
    std::filesystem::remove(disk_ / "filler");
  }

 private:
  void mount_image() const {
    run_command(fmt::format("mount -o loop {} {}", image_.string(), disk_.string()));
  }

  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  std::filesystem::path image_, disk_;
  std::unique_ptr<sqlite3, Close> sitting_;
};

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string output;
  std::array<char, 4096> room;
  while (const std::size_t got = std::fread(room.data(), 1, room.size(), pipe)) {
    output.append(room.data(), got);
  }
  pclose(pipe);
  return output;
}

class Etcd : public EngineUnderTest {
 public:
  static constexpr std::size_t kServers = 3;

  Etcd(const Plan& plan, Network& network) {
    std::string cluster;
    for (std::size_t i = 0; i < kServers; ++i) {
      hosts_.push_back(fmt::format("e{}", i + 1));
      addresses_.push_back(network.add_host(hosts_[i]));
      cluster += fmt::format("{}{}=http://{}:2380", i == 0 ? "" : ",", hosts_[i], addresses_[i]);
    }
    for (std::size_t i = 0; i < kServers; ++i) {
      const std::string clients = fmt::format("http://{}:2379", addresses_[i]);
      const std::string peers = fmt::format("http://{}:2380", addresses_[i]);
      servers_.emplace_back(hosts_[i], hosts_[i],
                            Words{"etcd",
                                  "--name",
                                  hosts_[i],
                                  "--data-dir",
                                  (plan.fast_folder / hosts_[i]).string(),
                                  "--listen-client-urls",
                                  clients,
                                  "--advertise-client-urls",
                                  clients,
                                  "--listen-peer-urls",
                                  peers,
                                  "--initial-advertise-peer-urls",
                                  peers,
                                  "--initial-cluster",
                                  cluster,
                                  "--heartbeat-interval",
                                  "50",
                                  "--election-timeout",
                                  "300",
                                  "--log-level",
                                  "error",
                                  "--logger",
                                  "zap"},
                            (plan.folder / (hosts_[i] + ".log")).string());
    }
    for (int tries = 0; tries < 200 && !leader(); ++tries) {
      std::this_thread::sleep_for(milliseconds{100});
    }
    if (!leader()) throw std::runtime_error{"etcd finds no leader; see e1.log"};
  }

  std::string url() const override {
    std::string url = "etcd://";
    for (const std::string& address : addresses_) {
      url += fmt::format("{}{}:2379", url.ends_with('/') ? "" : ",", address);
    }
    return url;
  }
  std::vector<std::string> hosts() const override { return hosts_; }

  // Asks each what it is: who leads says so itself.
  std::optional<std::size_t> leader() override {
    for (std::size_t i = 0; i < kServers; ++i) {
      const std::string answer = output_of(
          fmt::format("ETCDCTL_API=3 etcdctl --endpoints=http://{}:2379 --dial-timeout=500ms "
                      "--command-timeout=500ms endpoint status -w json 2>/dev/null",
                      addresses_[i]));
      boost::system::error_code failed;
      const auto parsed = boost::json::parse(answer, failed);
      if (failed || !parsed.is_array() || parsed.get_array().empty()) continue;
      const auto& status = parsed.at(0).at("Status");
      const auto* leader = status.as_object().if_contains("leader");
      if (leader != nullptr && *leader == status.at("header").at("member_id")) return i;
    }
    return std::nullopt;
  }
  void kill_server(std::size_t which) override { servers_.at(which).kill_now(); }
  void stop_all() override {
    for (Child& server : servers_) server.kill_now();
  }
  void heal() override {
    for (Child& server : servers_) {
      if (!server.is_running()) server.start();
    }
  }

 private:
  std::vector<std::string> hosts_, addresses_;
  std::vector<Child> servers_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> start_engine(const Plan& plan, Network& network) {
  if (plan.engine == EngineKind::etcd) return std::make_unique<Etcd>(plan, network);
  return std::make_unique<Embedded>(plan);
}

}  // namespace hapax::faults
