// Daemons in this process that find one another through an engine, a file in a folder of their own.
#pragma once

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/folder.h"
#include "daemon/daemon_thread.h"
#include "engines/engines.h"
#include "hapax/client.h"

namespace hapax {

class EngineDaemons {
 public:
  explicit EngineDaemons(std::uint32_t size,
                         std::chrono::milliseconds ttl = std::chrono::seconds{2})
      : EngineDaemons(size, ttl, "", engine::all()) {}
  // On another engine than that file.
  EngineDaemons(std::uint32_t size, std::chrono::milliseconds ttl, std::string url,
                engine::Makers engines)
      : ttl_(ttl), url_(std::move(url)), engines_(engines) {
    for (std::uint32_t i = 0; i < size; ++i) start(i);
  }
  std::string address(std::uint32_t i) const {
    return "unix:" + (folder_ / fmt::format("clients-{}", i)).string();
  }
  // Whether each of them can grant, in a view of all.
  bool are_in_one_view() const {
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      const GroupStatus status = Client{address(i)}.status();
      if (status.size != all_.size() || !status.obstacle.empty()) return false;
    }
    return true;
  }
  std::string engine() const { return (folder_ / "group.db").string(); }
  // Without a goodbye, as if it had died.
  void stop(std::uint32_t i) { all_[i].reset(); }
  void start(std::uint32_t i) {
    NodeConfig config;
    config.engine = url_.empty() ? "embedded:" + engine() : url_;
    config.engines = engines_;
    config.listen = at(fmt::format("member-{}", i));
    config.clients = {at(fmt::format("clients-{}", i))};
    config.name = fmt::format("d{}", i);
    config.seat = i;
    config.times.ttl = ttl_;
    config.state.path = folder_ / fmt::format("state-{}", i);
    config.state.is_new_group = true;
    if (i >= all_.size()) all_.resize(i + 1);
    all_[i] = DaemonThread::start(std::move(config), {}).value();
  }

 private:
  net::Address at(const std::string& name) const {
    return {.host = "", .port = 0, .path = (folder_ / name).string()};
  }

  const testing::Folder folder_;
  const std::chrono::milliseconds ttl_;
  const std::string url_;
  const engine::Makers engines_;
  std::vector<std::unique_ptr<DaemonThread>> all_;
};

}  // namespace hapax
