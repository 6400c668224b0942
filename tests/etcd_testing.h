// An etcd server for tests, of one node.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <signal.h>
#include <string>

#include "process_testing.h"

namespace hapax::testing {

// Of etcd, with a data folder that can be exchanged.
class EtcdServer {
 public:
  // To test against: there is one, and this build speaks to it.
  static bool is_here(const Folder& folder) {
#ifdef HAPAX_HAS_ETCD
    return Process{{"sh", "-c", "command -v etcd etcdctl"}, {}, folder}.wait() == 0;
#else
    return false;
#endif
  }

  explicit EtcdServer(const Folder& folder)
      : folder_(folder), client_(free_port()), peer_(free_port()) {}

  std::string url() const { return fmt::format("etcd://127.0.0.1:{}", client_); }
  bool start(const std::string& data, const std::string& token = "etcd-cluster") {
    const std::string client = fmt::format("http://127.0.0.1:{}", client_);
    process_ = std::make_unique<Process>(
        Arguments{"etcd", "--name", "one", "--data-dir", folder_ / data, "--listen-client-urls",
                  client, "--advertise-client-urls", client, "--listen-peer-urls", peer(),
                  "--initial-advertise-peer-urls", peer(), "--initial-cluster", "one=" + peer(),
                  "--initial-cluster-token", token},
        Environment{}, folder_);
    return eventually([&] { return ctl({"endpoint", "health"}); }, 20s);
  }
  void kill() {
    process_->signal(SIGKILL);
    process_->wait();
  }
  void pause() { process_->signal(SIGSTOP); }
  void go_on() { process_->signal(SIGCONT); }
  bool save() const { return ctl({"snapshot", "save", folder_ / "copy.snapshot"}); }
  bool restore_to(const std::string& data) const {
    return ctl({"snapshot", "restore", folder_ / "copy.snapshot", "--name", "one", "--data-dir",
                folder_ / data, "--initial-cluster", "one=" + peer(),
                "--initial-advertise-peer-urls", peer()});
  }

 private:
  std::string peer() const { return fmt::format("http://127.0.0.1:{}", peer_); }
  bool ctl(const Arguments& words) const {
    Arguments all{"etcdctl", fmt::format("--endpoints=127.0.0.1:{}", client_)};
    all.insert(all.end(), words.begin(), words.end());
    return Process{all, {{"ETCDCTL_API", "3"}}, folder_}.wait() == 0;
  }

  const Folder& folder_;
  const int client_, peer_;
  std::unique_ptr<Process> process_;
};

}  // namespace hapax::testing
