// Getting a lock from the command line: the flags of flock(1) for how long, and a wait that a
// signal ends at once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "console/command.h"
#include "console/signals.h"
#include "core/want.h"
#include "handles/grants.h"
#include "hapax/hapax.h"

namespace hapax::cli {

struct Wanted {
  std::string name;
  std::string address;
  bool shared = false;     // To read, with others.
  bool exclusive = false;  // Alone, even where a plain request would take a unit.
  bool nonblock = false;
  std::optional<double> wait_s;
};

// Adds NAME, --address, -s, -x, -n and -w.
void add_wanted(Command& command, Wanted& wanted);
// Adds -s and -x.
void add_mode(Command& command, Wanted& wanted);
// Throws Failure.
void check(const Wanted& wanted);

// Runs `wait` in a thread, so that this one hears signals: a signal meanwhile ends the process, 128
// + its number. Throws what `wait` throws.
void listen_while(Signals& signals, const std::function<void()>& wait);

// Why nobody can be granted that lock now, in a sentence; empty if somebody holds it, or nothing is
// known.
std::string what_is_in_the_way(Client& client, const std::string& name);
// Throws Failure that says so: `why`, or what is in the way.
[[noreturn]] void fail_as_unavailable(Client& client, const std::string& name, std::string why);

// A connection and a lock that is held over it.
class Hold {
 public:
  // How long a grant must be good for to be of use.
  using Least = std::function<std::chrono::milliseconds(Client&)>;

  // Connects and waits as long as wanted; is_held() says whether that worked. With a grant that is
  // about to end with its lease we wait until it is renewed; if it is lost, the wait goes on.
  // Throws Failure. A signal meanwhile ends the process: 128 + its number.
  Hold(const Wanted& wanted, Signals& signals, const Least& least = {});

  bool is_held() const { return held_; }
  Client& client() { return *client_; }
  // REQUIRES of these: is_held().
  const std::string& name() const { return grants_->name(); }
  Fence fence() const { return grants_->fence(); }
  std::stop_token lost() const { return grants_->lost(); }
  std::chrono::milliseconds valid_for() const { return grants_->valid_for(); }

 private:
  void take(const Wanted& asked, const Least& least);
  void connect(const std::string& address, const std::string& name);
  // Where a daemon leaves, the next of several addresses; false if all were asked.
  bool connect_elsewhere(const Wanted& wanted);

  Want want_;
  std::vector<std::string> addresses_;  // That are left to ask at.
  std::unique_ptr<Client> client_;
  std::optional<detail::Grants> grants_;
  bool held_ = false;
};

// As HAPAX_FENCE has it: epoch.turn.
std::string text_of(const Fence& fence);

}  // namespace hapax::cli
