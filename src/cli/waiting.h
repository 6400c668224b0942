// Getting a lock from the command line: the flags of flock(1) for how long, and a wait that a
// signal ends at once.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/signals.h"
#include "hapax/hapax.h"

namespace hapax::cli {

struct Wanted {
  std::string name;
  std::string address;
  bool nonblock = false;
  std::optional<double> wait_s;
};

// Adds NAME, --address, -n and -w.
void add_wanted(CLI::App& command, Wanted& wanted);
// Throws Failure.
void check(const Wanted& wanted);

// Seconds, with a fraction if you like, within these bounds.
CLI::Validator seconds(double least, double most);

// Runs `wait` in a thread, so that this one hears signals: one meanwhile ends the process, 128 +
// its number. Throws what `wait` throws.
void listen_while(Signals& signals, const std::function<void()>& wait);

// A connection and a lock that is held over it. REQUIRES of mutex(): is_held().
class Hold {
 public:
  // Connects and waits as long as wanted; is_held() says whether it came about. Throws Failure.
  // A signal meanwhile ends the process: 128 + its number.
  Hold(const Wanted& wanted, Signals& signals);

  bool is_held() const { return held_; }
  Mutex& mutex() { return *mutex_; }
  Client& client() { return *client_; }

 private:
  void take(const Wanted& wanted);

  std::unique_ptr<Client> client_;
  std::optional<Mutex> mutex_;
  bool held_ = false;
};

// As HAPAX_FENCE has it: epoch.turn.
std::string text_of(const Fence& fence);

}  // namespace hapax::cli
