// The messages of one lock, recorded at all members of a view from a common beginning: a snapshot
// as Chandy and Lamport take it. Whoever is asked for one notes how its part of the lock is and
// tells all others to do so; each does at the first it hears of it, and tells all others in turn.
// Links are FIFO, so what comes from a member before its word was on its way when it began, and is
// noted with the rest; what comes after, it sent later.
//
// One lock at a time at each member; off, and free of cost, unless somebody asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/seat.h"
#include "campaigns/peer_message.h"
#include "core/lock_step.h"
#include "session/recording.h"

namespace hapax {

class Recordings {
 public:
  using Tell = std::function<void(const Result<session::Recording>&)>;
  static constexpr std::chrono::milliseconds kPatience{2'000};  // After it is over.

  // What it needs of its daemon.
  struct Host {
    std::function<std::vector<Seat>()> others;
    std::function<bool(Seat)> is_up, knows_recordings;
    std::function<void(Seat, const PeerMessage&)> send;
    // Begins to observe, or ends it with null: who we are in the view, and how the lock is.
    std::function<Result<session::MemberRecording>(const std::string& name,
                                                   std::shared_ptr<LockObserver>)>
        observe;
    std::function<std::optional<NodeId>(Seat)> place_of;  // In the view.
    std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
    std::function<std::uint64_t()> now_us;  // Unix time.
  };

  Recordings(Seat self, Host host) : self_(self), host_(std::move(host)) {}

  // Tells when all have told what they recorded. An error if it cannot be begun.
  Result<void> record(const std::string& name, std::chrono::milliseconds duration, Tell tell);
  bool on(Seat from, const RecordLock& asked);
  bool on(Seat from, const TellRecorded& told);
  void clear();

 private:
  // What this member records.
  class Log;
  struct Own {
    RecordLock asked;
    session::MemberRecording recorded;
    std::shared_ptr<Log> log;
  };
  // What this member wants of all.
  struct Wanted {
    std::uint64_t recording = 0;
    session::Recording gathered;
    std::set<Seat> missing;
    Tell tell;
  };

  bool is_own(const RecordLock& asked) const {
    return own_ && own_->asked.by == asked.by && own_->asked.recording == asked.recording;
  }
  Result<void> begin(const RecordLock& asked);
  void end(std::uint32_t by, std::uint64_t recording);
  void take(Seat from, session::MemberRecording&& recorded);
  void finish();

  Seat self_;
  Host host_;
  std::optional<Own> own_;
  std::optional<Wanted> wanted_;
  std::uint64_t last_ = 0;
  std::map<std::uint32_t, std::uint64_t> heard_;  // The last recording of each seat.
};

}  // namespace hapax
