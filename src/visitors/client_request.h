// A request of a client: the lock that it waits for, holds, or keeps for its next entry.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/want.h"
#include "figures/request_counts.h"
#include "service/kept_grant.h"
#include "visitors/asker.h"

namespace hapax {

class Visitor;

class ClientRequest final : public Asker {
 public:
  ClientRequest(Visitor& visitor, session::RequestId id, WaiterId waiter, std::string name,
                Want want, KeptGrant* word);
  ~ClientRequest() override;
  ClientRequest(const ClientRequest&) = delete;
  ClientRequest& operator=(const ClientRequest&) = delete;

  WaiterId waiter() const { return waiter_; }
  const std::string& name() const { return name_; }
  bool is_held() const { return fence_.has_value(); }

  void on_granted(const Grant& grant) override;
  // What it only keeps is given back at once, which ends the request.
  void on_wanted(WaiterId) override;
  // The same; what it holds, it holds until it lets go.
  void on_recalled(WaiterId) override;
  // Ends the request if it only keeps the lock.
  bool is_inside(WaiterId) override;
  std::optional<Turn> take_back(WaiterId) override;
  void on_asked_to_resign(const std::string& to) override;
  // Both end the request.
  void on_lost(WaiterId, const std::string& why) override;
  void on_refused(const std::string& why) override;
  session::Person describe() const override;

 private:
  using Clock = std::chrono::steady_clock;

  // What it was granted by, with a bound to what it may claim by now; null: not by a word.
  KeptGrant* by_word() const;
  // Whether that ended the request, since it only kept the lock.
  bool stop_keeping();

  Visitor& visitor_;
  session::RequestId id_;
  WaiterId waiter_;
  std::string name_;
  Want want_;
  RuleCounts& counts_;                      // The visitor has them …
  KeptGrant* const word_;                   // … and this, by which it may keep the lock, or null.
  std::optional<Fence> fence_;              // While it holds.
  Clock::time_point since_ = Clock::now();  // It waits, or holds.
};

}  // namespace hapax
