// A group on this machine: daemons, each a process (`hapax node`), that find one another
// through the embedded engine, a file. One that is killed or stopped is missed only by its own
// clients.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/child.h"
#include "hapax/client.h"
#include "local/line_reader.h"

namespace hapax::local {

struct GroupPlan {
  std::uint32_t size = 3;
  std::filesystem::path folder;   // Of the engine's file and of the sockets between members.
  std::filesystem::path clients;  // Of the sockets for programs, one per member.
  std::vector<std::string> first_serves_too{};  // More addresses, of the first member alone.
  std::string ttl = "5s";
  std::vector<std::string> settings{};        // More flags of `hapax node`, for all.
  std::vector<std::string> first_settings{};  // The same, for the first alone.
  std::string program = kThisProgram;         // Which hapax.
  // Called with what members log, on a thread of its own; without the time of day.
  std::function<void(std::uint32_t member, const std::string& line)> log{};
};

// A member ended by itself: with this status, and these last words.
struct MemberEnded : std::runtime_error {
  MemberEnded(const std::string& name, int status_, std::string said_)
      : std::runtime_error(name + " has ended: " + said_),
        status(status_),
        said(std::move(said_)) {}
  int status;
  std::string said;
};

class Group {
 public:
  // Starts them. Throws std::system_error.
  explicit Group(const GroupPlan& plan);
  ~Group();  // Kills those that have not ended.
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  // All are in one view and may grant. Throws MemberEnded if one of them is gone.
  bool is_complete();
  // As that member answers; nothing if it does not.
  std::optional<GroupStatus> status(std::uint32_t i);
  // Where programs reach member i.
  std::string address(std::uint32_t i) const;
  Child& daemon(std::uint32_t i) { return *members_.at(i).daemon; }

  // Asks all to end, and waits that long at most.
  void end(std::chrono::milliseconds patience);

 private:
  struct Member {
    std::string address;
    std::unique_ptr<Child> daemon{};
    std::unique_ptr<Client> client{};
  };
  int start(const GroupPlan& plan, std::uint32_t i);
  void heard(std::uint32_t i, const std::string& line);

  std::filesystem::path engine_file_;
  std::function<void(std::uint32_t, const std::string&)> log_;
  std::vector<Member> members_;
  std::mutex mutex_;
  std::vector<std::string> last_words_;  // Guarded by mutex_.
  std::unique_ptr<LineReader> reader_;   // Ends before what it uses.
};

}  // namespace hapax::local
