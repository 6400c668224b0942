// A request of a client: the lock that it waits for, or holds.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/want.h"
#include "daemon/asker.h"
#include "figures/request_counts.h"

namespace hapax {

class Visitor;

class ClientRequest final : public Asker {
 public:
  ClientRequest(Visitor& visitor, session::RequestId id, WaiterId waiter, std::string name,
                Want want);
  ~ClientRequest() override;
  ClientRequest(const ClientRequest&) = delete;
  ClientRequest& operator=(const ClientRequest&) = delete;

  WaiterId waiter() const { return waiter_; }
  const std::string& name() const { return name_; }
  bool is_held() const { return fence_.has_value(); }

  void on_granted(const Grant& grant) override;
  void on_wanted(WaiterId) override {}
  // It keeps its request: it holds the lock until it lets go.
  void on_recalled(WaiterId) override;
  void on_asked_to_resign(const std::string& to) override;
  // Both end the request.
  void on_lost(WaiterId, const std::string& why) override;
  void on_refused(const std::string& why) override;
  session::Person describe() const override;

 private:
  using Clock = std::chrono::steady_clock;

  Visitor& visitor_;
  session::RequestId id_;
  WaiterId waiter_;
  std::string name_;
  Want want_;
  RuleCounts& counts_;                      // The visitor has them.
  std::optional<Fence> fence_;              // While it holds.
  Clock::time_point since_ = Clock::now();  // It waits, or holds.
};

}  // namespace hapax
