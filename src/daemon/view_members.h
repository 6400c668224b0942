// Members as the engine's views say: they come and go, and what a member that dies has held is free
// when its lease is over.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "daemon/members.h"
#include "daemon/node_config.h"
#include "engine/engine.h"
#include "engine/url.h"
#include "membership/group.h"

namespace hapax {

class ViewMembers final : public Members {
 public:
  // Opens nothing and contacts nobody.
  static Result<std::unique_ptr<Members>> create(boost::asio::io_context& io,
                                                 const NodeConfig& config, MemberHost& host);

  // Waits until it is enlisted, running the io_context, for as long as it takes or the
  // configuration says; `log` says what is being waited for.
  Result<void> start() override;
  void stop() override {
    if (group_) group_->stop();
  }

  Result<void> acquire(const std::string& name, WaiterId waiter, Want want) override {
    return group_->acquire(name, waiter, want);
  }
  Result<void> release(const std::string& name, WaiterId waiter,
                       std::optional<Turn> last) override {
    return group_->release(name, waiter, last);
  }
  Result<void> abandon(const std::string& name, WaiterId waiter) override {
    return group_->abandon(name, waiter);
  }

  Seat self() const override { return self_; }
  std::vector<Seat> others() const override;
  bool is_up(Seat peer) const override { return group_->is_up(peer); }
  void tell(Seat to, std::span<const std::uint8_t> message) override { group_->tell(to, message); }

  Epoch epoch() const override;
  const LockTable* table() const override { return group_->service().table(); }
  const net::Stats& links() const override { return group_->links(); }
  std::optional<Seat> coordinator() const override { return std::nullopt; }
  // The oldest member of the view: everybody in the view agrees.
  std::optional<Seat> leader() const override;
  Term term() const override { return Term{number(epoch())}; }
  std::uint64_t complaints() const override { return group_->complaints(); }
  void describe(session::State& state) const override;
  std::optional<std::chrono::milliseconds> lease_left() const override;
  std::chrono::milliseconds ttl() const override;

  Result<void> leave(std::chrono::milliseconds patience) override;
  void evict(const std::string& whom, std::function<void(std::string)> done) override;

 private:
  ViewMembers(boost::asio::io_context& io, const NodeConfig& config, engine::Url url,
              MemberHost& host);

  boost::asio::io_context& io_;
  const NodeConfig config_;
  const engine::Url url_;
  MemberHost& host_;
  // There from start() on.
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Group> group_;
  Seat self_{};
};

}  // namespace hapax
