#include "bank/local_group.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <stdexcept>
#include <thread>

#include "node/daemon.h"

namespace hapax::bank {

struct LocalGroup::Member {
  boost::asio::io_context io;
  std::unique_ptr<Daemon> daemon;
  std::thread thread;

  ~Member() {
    if (!thread.joinable()) return;
    boost::asio::post(io, [this] { daemon->stop(); });
    thread.join();
  }
};

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
    auto member = std::make_unique<Member>();
    auto daemon = Daemon::create(member->io, config, {});
    if (!daemon) throw std::runtime_error{daemon.error().message};
    member->daemon = std::move(*daemon);
    if (auto started = member->daemon->start(); !started) {
      throw std::runtime_error{started.error().message};
    }
    member->thread = std::thread{[io = &member->io] { io->run(); }};
    members_.push_back(std::move(member));
  }
}

LocalGroup::~LocalGroup() = default;

std::filesystem::path LocalGroup::socket(std::uint32_t i) const {
  return folder_ / fmt::format("clients-{}", i);
}
std::string LocalGroup::address(std::uint32_t i) const { return "unix:" + socket(i).string(); }

}  // namespace hapax::bank
