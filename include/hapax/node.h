// A member of the group inside this program: no daemon, no socket in between. Taking a lock again
// that nobody else has asked for since takes no message and no system call.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hapax/client.h"

namespace hapax {

// Every field has a value, so that naming some of them is enough: {.self = 1, .members = {…}}, or
// {.engine = "etcd://db1:2379", .listen = "10.0.0.1:7400"}, or {.engine = "embedded:/path"}.
struct NodeOptions {
  // A fixed list of members, which nobody may leave:
  std::uint32_t self = 1;              // Which of the members we are, from 1.
  std::vector<std::string> members{};  // Where each is reached: unix:/path or host:port.
  // The file in which this member remembers what it has promised; in $XDG_STATE_HOME/hapax or
  // ~/.local/state/hapax by default. It must survive a restart of this program.
  std::string state{};
  // No group by this name has run before, or all its members are stopped and nobody relies on what
  // they granted: nobody is waited for, and a list other than before is taken.
  bool new_group = false;
  // Or members that find one another through an engine, and come and go:
  std::string engine{};     // etcd://H1:2379,H2:2379 | zookeeper://H1:2181 | embedded:PATH
  std::string listen{};     // Where the others reach us: unix:/path or host:port …
  std::string advertise{};  // … unless it is here. The embedded engine needs neither.
  std::string name{};       // For people; the host's by default.
  std::optional<std::uint32_t> seat{};   // 1 … 64; the lowest free one by default.
  std::chrono::milliseconds ttl{5'000};  // How long a lease lasts. The same at all members.
  // How long the engine's first answer may take.
  std::chrono::milliseconds enlist_within{30'000};
  std::string engine_authority{};    // PEM file: whom we take for the engine.
  std::string engine_certificate{};  // PEM file: who we are to it …
  std::string engine_key{};          // … and its private key.
  std::string engine_user{};         // Who we are to it otherwise …
  std::string engine_password{};     // … and its password.
  // Of both:
  std::string group = "hapax";         // Members of others are refused.
  std::vector<std::string> clients{};  // Where other programs may reach us; TCP with TLS, if given.
  // What they may do: "alice=lock,read on orders/*" (docs/security.md). By default all may lock and
  // read.
  std::vector<std::string> roles{};
  std::string default_algorithm = "carvalho-roucairol";  // Of locks that no pattern names.
  std::vector<std::string> algorithms{};  // "orders/*=maekawa", "pool/*=semaphore-ra:4"
  std::string election = "bully";         // Or "ring-election", "chang-roberts".
  std::string authority{};                // PEM file, the group's; needed for every host:port …
  std::string certificate{};              // … and with it who we are …
  std::string key{};                      // … and its private key …
  // … unless it is on this machine, and all its users are trusted: any of them may then pose as a
  // member or a client, and cause two to hold one lock.
  bool insecure = false;
};

// A member of the group. All functions may be called from any thread.
class Node {
 public:
  // Throws std::system_error. On an engine it returns when the engine knows of us; locks can be
  // asked for at once, and are granted when a view includes us.
  explicit Node(const NodeOptions& options);
  // What is held is released when the last Mutex and the like is gone as well. On an engine it then
  // leaves the group, which takes a TTL at most, and usually milliseconds; in a fixed list it notes
  // that nothing is held, so that its next run need not wait.
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Whether a view has us (on an engine also: we have a lease), and its members are connected.
  bool is_complete() const;

  // As Client has them.
  std::vector<LockInfo> who(std::string_view name = {},
                            std::vector<std::uint32_t>* silent = nullptr,
                            std::uint64_t* more_locks = nullptr);
  // With the view, the lease that is left, and whether it is in jeopardy. `all`: as
  // Client::status().
  GroupStatus status(bool all = false);
  MemberStats stats();  // What this member has counted.

  // On an engine only: nobody may ask for locks here any more; what is held may be given back until
  // `patience` is over and is then lost. Those who wait are told Errc::lost. Throws
  // std::system_error.
  void leave_group(std::chrono::milliseconds patience);

 private:
  friend class Election;
  friend class Mutex;
  friend class detail::Grants;
  std::shared_ptr<detail::Gateway> gateway_;
};

}  // namespace hapax
