#include "faults/servers.h"

#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "faults/restartable.h"

namespace hapax::faults {
namespace {

using std::chrono::milliseconds;

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

// What etcd and ZooKeeper have in common here.
class Servers : public EngineUnderTest {
 public:
  std::string url() const override {
    std::string url = scheme_ + "://";
    for (const std::string& address : addresses_) {
      url += fmt::format("{}{}:{}", url.ends_with('/') ? "" : ",", address, port_);
    }
    return url;
  }
  std::vector<std::string> hosts() const override { return hosts_; }
  std::optional<std::size_t> leader() override {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (leads(i)) return i;
    }
    return std::nullopt;
  }
  void kill_server(std::size_t which) override { servers_.at(which).kill_now(); }
  void stop_all() override {
    for (Restartable& server : servers_) server.kill_now();
  }
  void wipe() override {
    stop_all();
    for (const auto& folder : data_) empty(folder);
  }
  void restore() override {
    stop_all();
    const bool back = std::exchange(has_copy_, !has_copy_);
    for (const auto& folder : data_) {
      const auto copy = folder.string() + ".copy";
      const auto from = back ? copy : folder.string(), to = back ? folder.string() : copy;
      std::filesystem::remove_all(to);
      if (!std::filesystem::exists(from)) continue;  // Wiped, and not started since.
      std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
    }
  }
  void heal() override {
    for (Restartable& server : servers_) {
      if (!server.is_running()) server.start();
    }
  }

 protected:
  Servers(std::string scheme, unsigned port, const Plan& plan, Network& network)
      : scheme_(std::move(scheme)), port_(port) {
    for (unsigned i = 0; i < plan.servers; ++i) {
      hosts_.push_back(fmt::format("e{}", i + 1));
      addresses_.push_back(network.add_host(hosts_.back()));
    }
  }
  void start(const Plan& plan, const Words& words) {
    const std::string& host = hosts_.at(servers_.size());
    servers_.emplace_back(host, host, words, (plan.folder / (host + ".log")).string());
  }
  void await_leader() {
    for (int tries = 0; tries < 200; ++tries) {
      if (leader()) return;
      std::this_thread::sleep_for(milliseconds{100});
    }
    throw std::runtime_error{scheme_ + " finds no leader; see e1.log"};
  }
  // By its own account.
  virtual bool leads(std::size_t which) = 0;
  // Of what a server keeps, there.
  virtual void empty(const std::filesystem::path& folder) { std::filesystem::remove_all(folder); }

  std::vector<std::string> hosts_, addresses_;
  std::vector<std::filesystem::path> data_;

 private:
  std::string scheme_;
  unsigned port_;
  bool has_copy_ = false;
  std::vector<Restartable> servers_;
};

class Etcd final : public Servers {
 public:
  Etcd(const Plan& plan, Network& network) : Servers("etcd", 2379, plan, network) {
    std::string cluster;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      cluster += fmt::format("{}{}=http://{}:2380", i == 0 ? "" : ",", hosts_[i], addresses_[i]);
    }
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const std::string clients = fmt::format("http://{}:2379", addresses_[i]);
      const std::string peers = fmt::format("http://{}:2380", addresses_[i]);
      data_.push_back(plan.fast_folder / hosts_[i]);
      start(plan, {"etcd",
                   "--name",
                   hosts_[i],
                   "--data-dir",
                   data_.back().string(),
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
                   "zap"});
    }
    await_leader();
  }

 private:
  bool leads(std::size_t which) override {
    const std::string answer = output_of(
        fmt::format("ETCDCTL_API=3 etcdctl --endpoints=http://{}:2379 --dial-timeout=500ms "
                    "--command-timeout=500ms endpoint status -w json 2>/dev/null",
                    addresses_[which]));
    boost::system::error_code failed;
    const auto parsed = boost::json::parse(answer, failed);
    if (failed || !parsed.is_array() || parsed.get_array().empty()) return false;
    const auto& status = parsed.at(0).at("Status");
    const auto* leader = status.as_object().if_contains("leader");
    return leader != nullptr && *leader == status.at("header").at("member_id");
  }
};

class ZooKeeper final : public Servers {
 public:
  ZooKeeper(const Plan& plan, Network& network) : Servers("zookeeper", 2181, plan, network) {
    std::string peers;
    for (std::size_t i = 0; hosts_.size() > 1 && i < hosts_.size(); ++i) {
      peers += fmt::format("server.{}={}:2888:3888\n", i + 1, addresses_[i]);
    }
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const auto home = plan.fast_folder / hosts_[i];
      data_.push_back(home / "data");
      std::filesystem::create_directories(home / "data");
      std::ofstream{home / "data" / "myid"} << i + 1;
      std::ofstream{home / "zoo.cfg"}
          << "tickTime=500\ninitLimit=20\nsyncLimit=6\nadmin.enableServer=false\n"
          << "4lw.commands.whitelist=srvr\nclientPort=2181\ndataDir=" << (home / "data").string()
          << "\n"
          << peers;
      start(plan,
            {"java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
             home.string() + ":/usr/share/java/zookeeper.jar",
             "org.apache.zookeeper.server.quorum.QuorumPeerMain", (home / "zoo.cfg").string()});
    }
    await_leader();
  }

  // Java takes seconds to start on a machine that is busy: the engine is healed when it serves.
  void heal() override {
    Servers::heal();
    await_leader();
  }

 private:
  // All but which server it is.
  void empty(const std::filesystem::path& folder) override {
    std::filesystem::remove_all(folder / "version-2");
  }
  bool leads(std::size_t which) override {
    const std::string said = output_of(fmt::format(
        "timeout 0.5 bash -c 'exec 3<>/dev/tcp/{}/2181 && printf srvr >&3 && cat <&3' 2>/dev/null",
        addresses_[which]));
    return said.find("Mode: leader") != std::string::npos ||
           said.find("Mode: standalone") != std::string::npos;
  }
};

}  // namespace

std::unique_ptr<EngineUnderTest> start_etcd(const Plan& plan, Network& network) {
  return std::make_unique<Etcd>(plan, network);
}
std::unique_ptr<EngineUnderTest> start_zookeeper(const Plan& plan, Network& network) {
  return std::make_unique<ZooKeeper>(plan, network);
}

}  // namespace hapax::faults
