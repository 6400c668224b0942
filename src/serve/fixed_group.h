// A group with a fixed list of members in this process: a thread and an event loop for each, and
// Unix sockets in a folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "campaigns/election_id.h"
#include "locks/policy.h"
#include "net/address.h"

namespace hapax::cli {

class FixedGroup {
 public:
  struct Plan {
    std::uint32_t size = 3;
    Policy policy;
    ElectionId election{};
    std::filesystem::path sockets;  // Between members.
    std::filesystem::path clients;  // One for each member.
    std::vector<std::string> first_serves_too;
  };

  // Throws Failure.
  explicit FixedGroup(const Plan& plan);
  ~FixedGroup();  // Stops them all.
  FixedGroup(const FixedGroup&) = delete;
  FixedGroup& operator=(const FixedGroup&) = delete;

  // From here on members log what happens; that they find each other at the start is not news.
  void settle() { settled_ = true; }

  // Of each member, where its clients reach it.
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  struct Member;

  void add(const Plan& plan, const std::vector<net::Address>& members, std::uint32_t index);
  void stop();

  std::atomic<bool> settled_{false};
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::string> addresses_;
};

}  // namespace hapax::cli
