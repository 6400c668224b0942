#include "faults/network.h"

#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>

namespace hapax::faults {

void run_command(const std::string& command) {
  // NOLINTNEXTLINE(cert-env33-c): words of our own
  if (std::system(command.c_str()) != 0) throw std::runtime_error{"this failed: " + command};
}

Network::Network() {
  run_command(
      "ip link set lo up && ip link add br0 type bridge && "
      "ip addr add 10.77.0.254/24 dev br0 && ip link set br0 up");
}

std::string Network::add_host(const std::string& name) {
  const std::string address = fmt::format("10.77.0.{}", hosts_.size() + 1);
  run_command(
      fmt::format("ip netns add {0} && ip link add {0} type veth peer name eth0 netns {0} && "
                  "ip link set {0} master br0 up && ip -n {0} link set lo up && "
                  "ip -n {0} addr add {1}/24 dev eth0 && ip -n {0} link set eth0 up",
                  name, address));
  hosts_.push_back({name, address});
  return address;
}

const std::string& Network::address_of(const std::string& host) const {
  return const_cast<Network*>(this)->find(host).address;
}

void Network::cut(const std::string& host) {
  run_command(fmt::format("ip link set {} down", host));
  find(host).is_cut = true;
}

void Network::block(const std::string& from, const std::string& to) {
  run_command(
      fmt::format("ip netns exec {} iptables -A INPUT -s {} -j DROP", to, find(from).address));
  find(to).is_blocked = true;
}

// By iptables: `tc netem` is not in every kernel.
void Network::lose(const std::string& host, unsigned percent) {
  run_command(
      fmt::format("ip netns exec {} iptables -A INPUT -i eth0 -m statistic --mode random "
                  "--probability {:.2f} -j DROP",
                  host, percent / 100.0));
  find(host).is_blocked = true;
}

void Network::slow_down(const std::string& host, unsigned kilobits) {
  run_command(fmt::format(
      "ip netns exec {} tc qdisc replace dev eth0 root tbf rate {}kbit burst 1600 latency 3s", host,
      kilobits));
  find(host).is_slow = true;
}

void Network::heal_all() {
  for (Host& host : hosts_) {
    if (host.is_cut) run_command(fmt::format("ip link set {} up", host.name));
    if (host.is_blocked) {
      run_command(fmt::format("ip netns exec {} iptables -F INPUT", host.name));
    }
    if (host.is_slow) {
      run_command(fmt::format("ip netns exec {} tc qdisc del dev eth0 root", host.name));
    }
    host.is_cut = host.is_blocked = host.is_slow = false;
  }
}

Network::Host& Network::find(const std::string& name) {
  for (Host& host : hosts_) {
    if (host.name == name) return host;
  }
  throw std::logic_error{"no host " + name};
}

}  // namespace hapax::faults
