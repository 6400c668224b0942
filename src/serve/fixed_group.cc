#include "serve/fixed_group.h"

#include <fmt/format.h>
#include <thread>

#include "console/exit_status.h"
#include "console/log.h"
#include "daemon/daemon.h"
#include "loop/loop.h"

namespace hapax::cli {
namespace {

namespace fs = std::filesystem;

net::Address socket_in(const fs::path& folder, const std::string& name) {
  const auto address = net::parse_address("unix:" + (folder / name).string());
  if (!address) {
    throw Failure{kBadUsage, fmt::format("{}: {}", folder.string(), address.error().message)};
  }
  return *address;
}

}  // namespace

struct FixedGroup::Member {
  Loop io;
  std::unique_ptr<Daemon> daemon;
  std::thread thread;
};

FixedGroup::FixedGroup(const Plan& plan) {
  std::vector<net::Address> members;
  for (std::uint32_t i = 0; i < plan.size; ++i) {
    members.push_back(socket_in(plan.sockets, fmt::format("member-{}.link", i + 1)));
  }
  try {
    for (std::uint32_t i = 0; i < plan.size; ++i) add(plan, members, i);
  } catch (...) {
    stop();
    throw;
  }
  for (const auto& member : members_) {
    member->thread = std::thread{[daemon = member->daemon.get()] { daemon->run(); }};
  }
}

FixedGroup::~FixedGroup() { stop(); }

void FixedGroup::add(const Plan& plan, const std::vector<net::Address>& members,
                     std::uint32_t index) {
  NodeConfig config;
  config.self = Seat{index};
  config.members = members;
  config.clients = {socket_in(plan.clients, fmt::format("member-{}.sock", index + 1))};
  config.policy = plan.policy;
  config.election = plan.election;
  config.state.path = plan.sockets / fmt::format("member-{}.state", index + 1);
  config.state.is_new_group = true;
  addresses_.push_back(config.clients.front().text());
  for (const std::string& text : plan.first_serves_too) {
    const auto address = net::parse_address(text);
    if (!address) throw Failure{kBadUsage, fmt::format("{}: {}", text, address.error().message)};
    if (index == 0 && text != addresses_.front()) config.clients.push_back(*address);
  }
  auto member = std::make_unique<Member>();
  auto daemon = Daemon::create(member->io, std::move(config),
                               [this, index](const std::string& line, LogLevel level) {
                                 if (settled_)
                                   log_line(fmt::format("member {}: {}", index + 1, line), level);
                               });
  if (!daemon) throw Failure{kBadUsage, daemon.error().message};
  member->daemon = std::move(*daemon);
  const auto started = member->daemon->start();
  members_.push_back(std::move(member));
  if (!started) throw Failure{kUnavailable, started.error().message};
}

void FixedGroup::stop() {
  settled_ = false;
  for (const auto& member : members_) {
    member->io.post([daemon = member->daemon.get()] { daemon->stop(); });
  }
  for (const auto& member : members_) {
    if (member->thread.joinable()) {
      member->thread.join();
    } else {
      member->io.run();  // It never ran: say goodbye here.
    }
  }
  members_.clear();
}

}  // namespace hapax::cli
