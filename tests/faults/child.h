// A process of the run, at one host of its network: started, paused, killed, started again.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hapax::faults {

using Words = std::vector<std::string>;

class Child {
 public:
  // `host` may be empty: where the switch is. Output is appended to the file `log`.
  Child(std::string name, std::string host, Words words, std::string log);
  ~Child() { kill_now(); }
  Child(Child&&) noexcept;
  Child& operator=(Child&&) = delete;

  const std::string& name() const { return name_; }
  const std::string& log() const { return log_; }
  bool is_running();  // Paused or not.

  // REQUIRES: not running.
  void start();
  void pause();  // And waits until it is stopped.
  void resume();
  void kill_now();  // And waits for its end.
  void ask_to_end();
  // False if it did not.
  bool wait_for_end(std::chrono::milliseconds patience);

 private:
  void signal(int signal);

  std::string name_, host_, log_;
  Words words_;
  pid_t pid_ = 0;  // 0: not running.
  bool is_paused_ = false;
};

}  // namespace hapax::faults
