// A process of the run, at one host of its network: started, paused, killed, started again.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"

namespace hapax::faults {

using Words = std::vector<std::string>;

class Restartable {
 public:
  // `host` may be empty: where the switch is. Output is appended to the file `log`.
  Restartable(std::string name, std::string host, Words words, std::string log);

  const std::string& name() const { return name_; }
  const std::string& log() const { return log_; }
  pid_t pid() const { return process_->pid(); }                  // REQUIRES: running.
  bool is_running() { return process_ && !process_->status(); }  // Paused or not.

  // REQUIRES: not running.
  void start();
  void pause();  // And waits until it is stopped.
  void resume();
  void kill_now() { process_.reset(); }  // And waits for its end.
  void ask_to_end();
  // False if it did not.
  bool wait_for_end(std::chrono::milliseconds patience) {
    return !process_ || process_->wait_for_end(patience);
  }

 private:
  std::string name_, log_;
  Command command_;
  std::optional<Child> process_;
  bool is_paused_ = false;
};

}  // namespace hapax::faults
