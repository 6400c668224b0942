// A member of the group inside this program: no daemon, no socket in between. Taking a lock again
// that nobody else has asked for since takes no message and no system call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hapax/client.h"

namespace hapax {

// Every field has a value, so that naming some of them is enough: {.self = 0, .members = {…}}.
struct NodeOptions {
  std::uint32_t self = 0;              // Which of the members we are, from 0.
  std::vector<std::string> members{};  // Where each is reached: host:port or unix:/path.
  std::string group = "hapax";
  std::vector<std::string> clients{};  // Where other programs may reach us; TCP with TLS, if given.
  std::string default_algorithm = "carvalho-roucairol";
  std::vector<std::string> algorithms{};  // "orders/*=maekawa", "pool/*=semaphore-ra:4"
  std::string election = "bully";         // Or "ring-election", "chang-roberts".
  std::string authority{}, certificate{},
      key{};  // PEM files; needed unless all addresses are local.
};

class Node {
 public:
  // Throws std::system_error.
  explicit Node(const NodeOptions& options);
  ~Node();  // Leaves without waiting: what is held is released.
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Whether all other members are connected.
  bool is_complete() const;

  // As Client has them.
  std::vector<LockInfo> who(std::string_view name = {},
                            std::vector<std::uint32_t>* silent = nullptr,
                            std::uint64_t* more_locks = nullptr);
  GroupStatus status();
  MemberStats stats();

 private:
  friend class Election;
  friend class Mutex;
  friend class detail::Grants;
  std::shared_ptr<detail::Gateway> gateway_;
};

}  // namespace hapax
