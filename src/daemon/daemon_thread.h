// A daemon with a thread of its own: what a local group, a demo or a test runs several of in one
// process.
#pragma once

#include <memory>
#include <thread>
#include <utility>

#include "base/result.h"
#include "daemon/daemon.h"
#include "loop/loop.h"

namespace hapax {

class DaemonThread {
 public:
  static Result<std::unique_ptr<DaemonThread>> start(NodeConfig config, Log log) {
    std::unique_ptr<DaemonThread> self{new DaemonThread};
    auto daemon = Daemon::create(self->io_, std::move(config), std::move(log));
    if (!daemon) return daemon.error();
    self->daemon_ = std::move(*daemon);
    if (const auto started = self->daemon_->start(); !started) return started.error();
    self->thread_ = std::thread{[daemon = self->daemon_.get()] { daemon->run(); }};
    return self;
  }
  ~DaemonThread() {
    if (!thread_.joinable()) return;
    io_.post([this] { daemon_->stop(); });
    thread_.join();
  }
  DaemonThread(const DaemonThread&) = delete;
  DaemonThread& operator=(const DaemonThread&) = delete;

 private:
  DaemonThread() = default;

  Loop io_;
  std::unique_ptr<Daemon> daemon_;
  std::thread thread_;
};

}  // namespace hapax
