// The way from a Mutex to what grants it: a daemon at the other end of a socket, or a member inside
// this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <system_error>
#include <vector>

#include "base/forks.h"
#include "core/want.h"
#include "hapax/client.h"
#include "hapax/error.h"
#include "hapax/fence.h"
#include "session/protocol.h"

namespace hapax::detail {

using Deadline = std::chrono::steady_clock::time_point;

// A grant that has not been given back.
struct Holding {
  std::uint64_t request = 0;
  Fence fence;
  // Fires when this very grant cannot be relied on any more. Without a state: the gateway's.
  std::stop_token lost{};
  std::uint64_t term = 0;   // Of the lease it was granted under, if the gateway counts them.
  std::uint64_t entry = 0;  // By a word that others share, its number there.
};

// What an answer to who() does not say.
struct LeftOut {
  std::vector<std::uint32_t> silent;  // Members that did not answer.
  std::uint64_t more_locks = 0;
};

// What a gateway knows of one lock from one grant to the next; the Mutex only holds it.
class LockHandle {
 public:
  virtual ~LockHandle() = default;
};

// A request that nobody waits for.
class Completion {
 public:
  // Once, on a thread of the gateway's choice. May be gone when it returns.
  virtual void on_answer(std::error_code error, const Holding& holding) noexcept = 0;

 protected:
  ~Completion() = default;
};

class Candidate;
class Changes;

class Gateway;

// Who serves a name, and what the name is there.
struct Served {
  std::shared_ptr<Gateway> gateway;  // Null: who was asked.
  std::string name;

  // What stands before it in the name that was given: `eu:/`, mostly nothing.
  std::string before(std::string_view given) const {
    return std::string{given.substr(0, given.size() - name.size())};
  }
};

// What a name is of.
enum class Named : std::uint8_t {
  one,    // A lock, a file, an election.
  folder  // All whose names begin with it and a slash; all there are, if it is empty.
};

class Gateway {
 public:
  virtual ~Gateway() = default;

  // Of a gateway to several groups: the one that has this name. Throws std::system_error.
  virtual Served serving(std::string_view name, Named /*what*/) {
    return {nullptr, std::string{name}};
  }

  // Not so in a child made by fork(), which has none of its threads: see own_gateway.h.
  bool is_ours() const noexcept { return forks_ == forks(); }

  // Everything about one lock. May be null.
  virtual std::shared_ptr<LockHandle> handle(const std::string& name) = 0;
  // Takes the lock if nobody else has to be asked: it was kept since the last release. Never waits.
  virtual bool enter_again(LockHandle* handle, Holding& holding) noexcept = 0;
  // Waits for the lock. `holding` is set if no error is returned.
  virtual std::error_code acquire(const std::string& name, LockHandle* handle, Deadline deadline,
                                  const std::stop_token& cancel, Holding& holding) = 0;
  // Does not wait. REQUIRES: `completion` lives until it is answered.
  virtual void acquire_later(const std::string& name, LockHandle* handle,
                             const std::stop_token& cancel, Completion& completion) = 0;
  // Reads only the numbers of `holding`, `request` and `entry`, and not any more once somebody else
  // may be granted the lock.
  virtual void release(LockHandle* handle, const Holding& holding) noexcept = 0;

  // The same without a handle: in any mode, any number at a time. `why` says more about a
  // refusal.
  virtual std::error_code acquire_as(const std::string& name, Want want, Deadline deadline,
                                     const std::stop_token& cancel, Holding& holding,
                                     std::string& why) = 0;
  virtual void give_back(const Holding& holding) noexcept = 0;

  // Waits for the lock as a candidate. `candidate` may be told things from the grant on.
  virtual std::error_code campaign(const std::string& name, const std::string& value,
                                   Deadline deadline, const std::stop_token& cancel,
                                   const std::shared_ptr<Candidate>& candidate,
                                   Holding& holding) = 0;
  virtual void resign(const Holding& holding) noexcept = 0;
  // No error: it has resigned.
  virtual std::error_code hand_over(const Holding& holding, const std::string& to) = 0;
  virtual std::error_code ask_to_resign(const std::string& name, const std::string& to) = 0;
  // `changes` is closed when there will be no more.
  virtual std::uint64_t observe(const std::string& name,
                                const std::shared_ptr<Changes>& changes) = 0;
  virtual void unobserve(std::uint64_t observation) noexcept = 0;

  virtual std::error_code who(std::string_view name, std::vector<LockInfo>& locks,
                              LeftOut& left_out) = 0;
  virtual std::error_code status(bool all, GroupStatus& status) = 0;
  virtual std::error_code stats(MemberStats& stats) = 0;

  // What administrators ask for. `told`: what is said of it, or why it is refused.
  virtual std::error_code administer(session::Ask asked, std::chrono::milliseconds patience,
                                     std::string& told) = 0;

  // About files, which not all offer. The answer is of that question, or Refused. A write whose
  // answer is lost is Errc::unknown_outcome.
  virtual std::error_code ask_about_files(session::Ask /*asked*/, session::Answer& told) {
    told = session::Refused{0, "no files are kept here, nor fences checked: ask a daemon"};
    return {};
  }

  // The way to the daemon, for a job to inherit: what is held is held as long as anybody has it
  // open. -1: there is none.
  virtual int descriptor() const { return -1; }
  // What is held is held for this process group.
  virtual void has_job(pid_t /*group*/) noexcept {}
  // This process is about to be stopped, and its job is: as long as that is so, it loses nothing
  // that the daemon still holds for it, although it hears nothing of it.
  virtual void excuse_silence(bool /*is_excused*/) noexcept {}

  // Fires when no current grant can be relied on any more.
  virtual std::stop_token lost() const = 0;
  // What was lost last is lost because of this, for people; empty: nobody has said.
  virtual std::string why_lost() const { return {}; }
  // Whether what is granted can be lost at all before it is given back.
  virtual bool can_lose() const { return true; }
  // The same for that grant, and no later one.
  virtual std::stop_token lost(const Holding& holding) const {
    return holding.lost.stop_possible() ? holding.lost : lost();
  }
  // How long grants are good for without further word.
  virtual std::chrono::milliseconds valid_for() const = 0;
  // How long a new lease lasts, as far as we were told; 0: there are none.
  virtual std::chrono::milliseconds ttl() const { return std::chrono::milliseconds{0}; }
  std::chrono::milliseconds valid_for(const Holding& holding) const {
    return lost(holding).stop_requested() ? std::chrono::milliseconds{0} : valid_for();
  }

 private:
  const std::uint32_t forks_ = forks();
};

// The news of a grant may arrive when its lease is over, and whoever gets it would be alone in
// relying on it: asks again, until what is granted is good for a while. Errc::unavailable if that
// has not come about by the deadline.
template <class Ask, class GiveBack>
std::error_code ask_until_good(const Gateway& gateway, Deadline deadline, const Holding& holding,
                               Ask ask, GiveBack give_back) {
  for (;;) {
    if (const std::error_code error = ask()) return error;
    if (gateway.valid_for(holding) > std::chrono::milliseconds{0}) return {};
    give_back();
    if (std::chrono::steady_clock::now() >= deadline) return Errc::unavailable;
  }
}

}  // namespace hapax::detail
