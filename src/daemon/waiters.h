// Those who ask for locks at this member, and who campaign: each asker goes by the waiter's number
// that the lock table knows it by. What askers are told comes last, when all else has been done,
// since they may act on it at once.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/seat.h"
#include "campaigns/campaigns.h"
#include "core/want.h"
#include "visitors/asker.h"
#include "membership/group.h"

namespace hapax {

class Waiters final : private CampaignHost {
 public:
  using After = std::function<void(std::chrono::milliseconds, std::function<void()>)>;

  // REQUIRES: `group` outlives it.
  Waiters(Seat self, Group& group, After after);

  // --- for askers ---

  WaiterId next() { return WaiterId{++last_waiter_}; }
  // The grant comes through `asker`, perhaps before this returns. An error if it cannot be asked
  // for. REQUIRES: `asker` lives until it has been granted and released, or abandoned.
  Result<void> acquire(const std::string& name, WaiterId waiter, Asker& asker, Want want);
  // `last`: the turn of its last entry, if it may have entered again by itself.
  void release(const std::string& name, WaiterId waiter, std::optional<Turn> last);
  // False if it was granted meanwhile.
  bool abandon(const std::string& name, WaiterId waiter);

  // Takes that lock from those who hold it here, with that fence if one is said; they are told
  // `why`. How many; or an error, if one of them cannot lose it.
  Result<std::uint32_t> break_lock(const std::string& name, const std::optional<Fence>& fence,
                                   const std::string& why);

  // The same for whoever wants to lead: released and abandoned alike.
  void campaign(const std::string& name, const std::string& value, WaiterId waiter, Asker& asker);
  // An error that says what to do, if one cannot campaign for that name with that value.
  static Result<void> check_campaign(const std::string& name, const std::string& value);
  bool is_waiting_or_inside(WaiterId waiter) const { return find(waiter) != nullptr; }
  Campaigns& campaigns() { return campaigns_; }

  // --- what the group says; see MemberHost ---

  void on_granted(const Grant& grant);
  void on_wanted(WaiterId waiter) { wanted_.push_back(waiter); }
  void on_lost(WaiterId waiter);
  void on_recalled(WaiterId waiter);
  bool is_inside(WaiterId waiter);
  std::optional<Turn> take_back(WaiterId waiter);
  // All that there was to tell has been told: now the askers.
  void settle();

  session::Person describe(WaiterId waiter) const override;

 private:
  Asker* find(WaiterId waiter) const;  // Null if nobody is.
  void tell_askers();

  // --- what campaigns need ---
  std::vector<Seat> others() const override { return group_.others(); }
  void send(Seat to, const PeerMessage& message) override;
  bool is_reached(Seat peer) const override { return group_.is_up(peer); }
  std::string name_at(Seat peer) const override { return group_.name_at(peer); }
  void enqueue(const std::string& name, WaiterId waiter) override;
  bool withdraw(const std::string& name, WaiterId waiter) override;
  void ask_to_resign(WaiterId leader, const std::string& to) override;
  void after(std::chrono::milliseconds delay, std::function<void()> then) override {
    after_(delay, std::move(then));
  }

  Seat self_;
  Group& group_;
  After after_;
  Campaigns campaigns_;
  boost::unordered_flat_map<std::uint64_t, Asker*> askers_;  // By waiter.
  std::vector<Grant> grants_;                                // Not yet told of.
  std::vector<WaiterId> wanted_;
  std::vector<Grant> new_leaders_;  // Granted, perhaps to a candidate, and not yet told of.
  bool is_telling_ = false;
  std::string breaking_;  // Why a lock is being broken, while one is.
  std::uint64_t last_waiter_ = 0;
};

}  // namespace hapax
