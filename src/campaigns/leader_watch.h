// Which program leads under a name, as observers anywhere see it.
//
// Each member knows the leaders among its own programs. One that has observers asks all others to
// tell it, now and whenever that changes; they push. News from different members may overtake each
// other; fences sort that out. What observers see never goes back to an earlier term; a vacancy
// shorter than the news of it may go unseen. Where links are not reliable, since members come and
// go, a member that is met again is asked again, so nothing is missed for long.
//
// Pure: calls in, messages and calls of observers out. The timer is the driver's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/seat.h"
#include "campaigns/peer_message.h"
#include "core/fence.h"
#include "session/protocol.h"

namespace hapax {

enum class ObserverId : std::uint64_t {};

class LeaderWatch {
 public:
  using Tell = std::function<void(const std::optional<session::Leader>&)>;
  using Send = std::function<void(Seat, const PeerMessage&)>;
  using Others = std::function<std::vector<Seat>()>;  // The other members, as of now.

  static constexpr std::size_t kMostWatched = 10'000;  // Names, of all peers together.

  LeaderWatch(Seat self, Others others, Send send);

  // A program of this member leads, or no longer does.
  void claim(const std::string& name, session::Leader leader);
  void unclaim(const std::string& name);

  // `tell` is called when all members have answered or somebody leads, at the latest on hurry(),
  // and at every change. It must not call back.
  ObserverId observe(const std::string& name, Tell tell);
  void unobserve(ObserverId observer);
  // Some members have not answered for a while: go on without them.
  void hurry(const std::string& name);

  // False if it is nothing that a member says.
  bool on(Seat from, const WatchLeader& watch);
  bool on(Seat from, const TellLeader& told);
  // It is connected again, and may have missed what was said meanwhile.
  void met(Seat peer);
  // It came back without its memory, or is no longer in the group: nobody leads there.
  void forgotten(Seat peer);

 private:
  struct Watched {
    std::map<ObserverId, Tell> observers;  // Invariant: not empty.
    std::map<Seat, session::Leader> claims;
    std::set<Seat> silent;  // Have not answered yet.
    bool in_a_hurry = false;
    bool is_shown = false;  // Observers have been told something.
    std::optional<session::Leader> shown;
    Fence highest;  // Of what was shown so far.
  };

  void push(const std::string& name, const std::optional<session::Leader>& leader);
  void hear(const std::string& name, Seat of, const std::optional<session::Leader>& leader);
  void show(Watched& watched);

  Seat self_;
  Others others_;
  Send send_;
  std::map<std::string, session::Leader> ours_;     // Programs of this member that lead.
  std::map<std::string, std::set<Seat>> watchers_;  // Members that want to know of ours.
  std::map<std::string, Watched> watched_;          // What somebody here observes.
  std::map<ObserverId, std::string> names_;
  std::uint64_t last_observer_ = 0;
};

}  // namespace hapax
