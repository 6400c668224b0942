// Programs that campaign for leadership at this member: who waits and who leads, by lock; handing
// over to a chosen one; and asking a leader to step down.
//
// A leader is whoever holds the lock of that name, having campaigned for it; its fence is its term.
// Handing over: all members let those step aside who campaign with another value, that is, they
// withdraw them from the lock's queues, and the leader releases when all have. The chosen one is
// then the only candidate in the queue; when it leads, or after kAside, the others queue again.
// What is guaranteed: exclusion and growing fences, as ever, since no lock is granted but by its
// algorithm; and that the leader goes on leading if nobody campaigns with that value, or a member
// does not answer. What is not: that the chosen one leads next. It may fall meanwhile, and whoever
// waits for the lock without campaigning does not step aside.
//
// Pure but for its host, who keeps time and carries out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/seat.h"
#include "campaigns/leader_watch.h"
#include "campaigns/peer_message.h"
#include "core/fence.h"
#include "locks/outbox.h"
#include "session/protocol.h"

namespace hapax {

// What a driver does for the campaigns of its programs.
class CampaignHost {
 public:
  virtual ~CampaignHost() = default;
  virtual std::vector<Seat> others() const = 0;  // Members, as of now.
  virtual void send(Seat to, const PeerMessage& message) = 0;
  virtual bool is_reached(Seat peer) const = 0;
  virtual std::string name_at(Seat peer) const = 0;  // For people.
  // The waiter queues for the lock …
  virtual void enqueue(const std::string& name, WaiterId waiter) = 0;
  // … or leaves the queue; false if it has been granted meanwhile.
  virtual bool withdraw(const std::string& name, WaiterId waiter) = 0;
  virtual session::Person describe(WaiterId waiter) const = 0;
  // To the program: somebody wants it to step down.
  virtual void ask_to_resign(WaiterId leader, const std::string& to) = 0;
  virtual void after(std::chrono::milliseconds delay, std::function<void()> then) = 0;
};

class Campaigns {
 public:
  static constexpr std::chrono::milliseconds kPatience{1'000};  // For answers of members.
  static constexpr std::chrono::milliseconds kAside{3'000};     // At most.
  // Empty if it went well; else why not.
  using Done = std::function<void(const std::string& error)>;

  Campaigns(Seat self, CampaignHost& host);

  // --- what happens to a waiter that campaigns ---

  // It wants to lead. The lock's queue it joins by the host, now or later.
  void enter(WaiterId waiter, const std::string& name, const std::string& value);
  // It has the lock. Others than candidates may be told of, too.
  void granted(WaiterId waiter, Fence fence);
  // It gives up or back. True if it stands aside, so that the lock's queue does not know it.
  bool leave(WaiterId waiter);

  // The leader wants to hand over. Unless there is an error, it must release next; if it has left
  // by then, nothing is to be done. REQUIRES: `leader` leads.
  void hand_over(WaiterId leader, const std::string& to, Done done);
  // No error if somebody campaigns for it with that value, and does not lead.
  void find_candidate(const std::string& name, const std::string& value, Done done);
  void request_resignation(const std::string& name, const std::string& to, Done done);

  // Nobody campaigns here.
  bool empty() const { return candidates_.empty(); }
  bool leads(WaiterId waiter) const;
  // Tells, at the latest after kPatience, and at every change. `tell` must not call back.
  ObserverId observe(const std::string& name, LeaderWatch::Tell tell);
  LeaderWatch& watch() { return watch_; }

  // --- members --- False if it is nothing that a member says.

  bool on(Seat from, const StepAside& m);
  bool on(Seat from, const SteppedAside& m);
  bool on(Seat from, const Resume& m);
  bool on(Seat from, const RequestResignation& m);
  bool on(Seat from, const ResignationRequested& m);
  bool on(Seat from, const FindCandidate& m);
  bool on(Seat from, const FoundCandidate& m) { return answer(from, m.question, m.found); }
  bool on(Seat from, const WatchLeader& m) { return watch_.on(from, m); }
  bool on(Seat from, const TellLeader& m) { return watch_.on(from, m); }

 private:
  enum class Standing : std::uint8_t { queued, aside, leading };
  struct Candidate {
    std::string name;
    std::string value;
    Standing standing = Standing::queued;
  };
  // Somebody is being handed over to.
  struct Favour {
    std::string candidate;
    std::uint64_t number = 0;  // Of all favours here, so that a late timer knows its own.
  };
  // What all members were asked.
  struct Question {
    std::string name;
    std::set<Seat> silent;
    bool found = false;
    bool is_hand_over = false;
    std::string nobody;  // The error if nobody has it.
    Done done;
  };

  bool favour(const std::string& name, const std::string& candidate);
  void resume(const std::string& name);
  void resume_everywhere(const std::string& name);
  bool has_candidate(const std::string& name, const std::string& value);
  bool pass_on_request(const std::string& name, const std::string& to);
  void ask(const PeerMessage& message, std::uint64_t number, Question question);
  bool answer(Seat from, std::uint64_t question, bool found);
  void finish_if_complete(std::uint64_t number);
  void finish(std::uint64_t number, const std::string& error);
  template <class F>
  void for_each_in(const std::string& name, F&& f);
  void send_to_others(const PeerMessage& message);

  CampaignHost& host_;
  LeaderWatch watch_;
  std::map<WaiterId, Candidate> candidates_;  // In the order of their coming.
  std::multimap<std::string, WaiterId> by_name_;
  std::map<std::string, Favour> favours_;
  std::map<std::uint64_t, Question> questions_;
  std::uint64_t last_question_ = 0;
  std::uint64_t last_favour_ = 0;
};

}  // namespace hapax
