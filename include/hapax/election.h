// Leadership among programs, by name: at most one leads at a time, wherever in the group it runs.
//
//   hapax::Client client;
//   hapax::Election scheduler{client, "scheduler"};
//   scheduler.campaign("host-7:8080");           // waits until it leads
//   while (!scheduler.lost().stop_requested() && !scheduler.asked_to_resign().stop_requested()) …
//   scheduler.resign();
//
// It is built on the lock of that name: the leader holds it, and fence() numbers the terms. What a
// leader does to the outside world is safe only behind a gate that checks the fence: a leader that
// has lost the lock may not know it yet.
//
// An Election object is one candidate. All functions may be called from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include "hapax/client.h"
#include "hapax/fence.h"
#include "hapax/node.h"

namespace hapax {

// Who leads.
struct Leader {
  std::string value;  // What it proclaims: where it is reached, say.
  Fence fence;        // Of its term.
  Person who;         // And where.
};

// One candidate, or observer, of the leadership by a name.
class Election {
 public:
  using Clock = std::chrono::steady_clock;  // Of deadlines.

  static constexpr std::size_t kLongestValue = 512;  // Bytes of UTF-8, no control characters.

  // Throws std::system_error if no lock can have that name.
  Election(Client& client, std::string_view name);
  Election(Node& node, std::string_view name);  // The same inside a member.
  ~Election();                                  // Resigns. Never throws, never waits.
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;

  // --- candidates ---

  // Waits until this candidate leads. Its value is proclaimed to observers while it does, and is
  // the name by which somebody may hand over to it. Throws std::system_error.
  // It must neither lead nor campaign already: std::errc::operation_in_progress.
  void campaign(std::string_view value);
  // False: somebody else leads. Throws std::system_error for all else, as Mutex::try_lock_for().
  template <class Rep, class Period>
  bool campaign_for(std::string_view value, std::chrono::duration<Rep, Period> duration) {
    return try_until(value, Clock::now() + duration);
  }
  // Without exceptions: until `deadline`, or until `cancel` is asked to stop.
  std::error_code campaign_until(std::string_view value, Clock::time_point deadline,
                                 std::stop_token cancel) noexcept;

  // Also after a loss, before the next campaign. Throws std::system_error, Errc::not_held, if it
  // has not led.
  void resign();
  // Resigns in favour of the candidate with that value. All other candidates step aside for up to
  // three seconds. If nobody campaigns with it, or a member does not answer within a second:
  // Errc::no_candidate, and it still leads. No promise that the other one leads next: it may die
  // meanwhile, and a Mutex of that name does not step aside. Errc::not_held if it does not lead, or
  // has lost its lead.
  std::error_code hand_over(std::string_view candidate);

  // Whether it leads, as far as it can know.
  bool is_leader() const;
  // Of its term. Throws std::system_error, Errc::not_held, if it does not lead.
  Fence fence() const;
  // Fires when leadership can no longer be relied on: the daemon is gone or silent.
  std::stop_token lost() const;
  // How long it leads for certain without further word from the daemon; zero once that is lost.
  std::chrono::milliseconds valid_for() const;
  // Fires when somebody asks this leader to step down (`hapax resign`). It is a wish: the program
  // finishes its work and then resigns, or goes on. New with each campaign. Callbacks run on a
  // thread of the library and must not wait for anything that it does.
  std::stop_token asked_to_resign() const;
  // In whose favour it was asked to step down; empty: nobody's.
  std::string wanted_successor() const;

  // --- everybody ---

  // Who leads now; nothing if nobody does. Throws std::system_error.
  std::optional<Leader> leader();
  // Asks the leader to step down, in favour of `successor` unless that is empty. Errc::no_leader if
  // nobody leads; Errc::no_candidate, and nobody is asked, if nobody campaigns with that value or a
  // member does not answer.
  std::error_code ask_to_resign(std::string_view successor = {});

  // What an observer learns: who leads from now on, or nobody.
  struct Change {
    std::optional<Leader> leader;                           // Nothing: nobody.
    bool is_vacant() const { return !leader.has_value(); }  // Nobody leads.
  };
  // Who leads now, and every change. Members push changes; terms never come in the wrong order, but
  // a vacancy that is over before the news of it arrives may go unseen. Of changes that nobody has
  // fetched, only the latest hundred are kept.
  class Observation {
   public:
    Observation(Observation&&) noexcept;  // What is left can only be destroyed, or assigned to.
    Observation& operator=(Observation&&) noexcept;  // Ends what it was before.
    ~Observation();                                  // Ends it. Never waits.

    // The next change; the first is the current state. Nothing if `cancel` is asked to stop, or the
    // daemon is lost.
    std::optional<Change> next(std::stop_token cancel = {});
    // … or the deadline has passed.
    std::optional<Change> next_until(Clock::time_point deadline, std::stop_token cancel = {});
    bool is_lost() const;  // The daemon is: no change will come.

   private:
    friend class Election;
    class Impl;
    explicit Observation(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
  };
  // Throws std::system_error.
  Observation observe();

  const std::string& name() const;  // Of the lock.

 private:
  bool try_until(std::string_view value, Clock::time_point deadline);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hapax
