// A lock whose holder is stuck is broken: whichever member it is held at takes it away, tells the
// holder that it is lost, and lets the algorithm release it. The next fence is larger, as ever.
//
// Pure but for its host.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/seat.h"
#include "campaigns/peer_message.h"
#include "core/fence.h"

namespace hapax {

class Breaking {
 public:
  static constexpr std::chrono::milliseconds kPatience{1'000};  // For answers of members.
  // Empty if somebody has lost it; else why not.
  using Done = std::function<void(const std::string& error)>;
  // What became of it at this member.
  struct Broken {
    std::uint32_t holders = 0;
    std::string refusal{};
  };
  // What it needs of its daemon.
  struct Host {
    std::function<std::vector<Seat>()> others;
    std::function<bool(Seat)> is_up;
    std::function<void(Seat, const PeerMessage&)> send;
    std::function<Broken(const BreakLock&)> break_here;
    std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
  };

  explicit Breaking(Host host) : host_(std::move(host)) {}

  // At whichever member it is held; with that fence, if one is said.
  void ask(const std::string& name, const std::optional<Fence>& fence, const std::string& by,
           Done done);

  // Of members. False if it is nothing that a member says.
  bool on(Seat from, const BreakLock& asked);
  bool on(Seat from, const LockBroken& told);

  void clear() { questions_.clear(); }

 private:
  struct Question {
    std::string name;
    std::set<Seat> missing;
    Broken broken;
    Done done;
  };
  void finish(std::uint64_t number);

  Host host_;
  std::map<std::uint64_t, Question> questions_;
  std::uint64_t last_question_ = 0;
};

}  // namespace hapax
