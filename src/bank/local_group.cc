#include "bank/local_group.h"

#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "node/daemon_thread.h"

namespace hapax::bank {

LocalGroup::LocalGroup(const std::filesystem::path& folder, std::uint32_t size) : folder_(folder) {
  const auto at = [&](const std::filesystem::path& path) {
    return net::Address{.host = "", .port = 0, .path = path.string()};
  };
  std::vector<net::Address> addresses;
  for (std::uint32_t i = 0; i < size; ++i) {
    addresses.push_back(at(folder_ / fmt::format("member-{}", i)));
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    NodeConfig config;
    config.self = NodeId{i};
    config.members = addresses;
    config.clients = {at(socket(i))};
    auto member = DaemonThread::start(std::move(config), {});
    if (!member) throw std::runtime_error{member.error().message};
    members_.push_back(std::move(*member));
  }
}

LocalGroup::~LocalGroup() = default;

std::filesystem::path LocalGroup::socket(std::uint32_t i) const {
  return folder_ / fmt::format("clients-{}", i);
}
std::string LocalGroup::address(std::uint32_t i) const { return "unix:" + socket(i).string(); }

}  // namespace hapax::bank
