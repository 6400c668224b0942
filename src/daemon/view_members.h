// Members as the engine's views say: they come and go, and what a member that dies has held is free
// when its lease is over.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/url.h"
#include "membership/group.h"
#include "daemon/members.h"
#include "daemon/node_config.h"

namespace hapax {

class ViewMembers final : public Members {
 public:
  // Opens nothing and contacts nobody.
  static Result<std::unique_ptr<Members>> create(boost::asio::io_context& io,
                                                 const NodeConfig& config, Handlers handlers);

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
  void flush() override { group_->carry_out(); }

  NodeId self() const override { return self_; }
  std::vector<NodeId> others() const override;
  bool is_up(NodeId peer) const override { return group_->is_seat_up(peer); }
  void tell(NodeId to, std::span<const std::uint8_t> message) override {
    group_->tell(to, message);
  }

  Epoch epoch() const override;
  const LockTable* table() const override { return group_->service().table(); }
  const net::Stats& links() const override { return group_->links(); }
  std::optional<NodeId> coordinator() const override { return std::nullopt; }
  // The oldest member of the view: everybody in the view agrees.
  std::optional<NodeId> leader() const override;
  Term term() const override { return Term{number(epoch())}; }
  std::uint64_t complaints() const override { return group_->complaints(); }
  void describe(session::State& state) const override;
  std::optional<std::chrono::milliseconds> lease_left() const override;
  std::chrono::milliseconds ttl() const override;

  Result<void> leave(std::chrono::milliseconds patience) override;
  void evict(const std::string& whom, std::function<void(std::string)> done) override;

 private:
  ViewMembers(boost::asio::io_context& io, const NodeConfig& config, engine::Url url,
              Handlers handlers);
  void on_up(NodeId seat, Life life);
  void on_view();

  boost::asio::io_context& io_;
  const NodeConfig config_;
  const engine::Url url_;
  const Handlers handlers_;
  // There from start() on.
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Group> group_;
  NodeId self_{};
  std::map<NodeId, Life> met_;      // Who was last seen at a seat.
  std::set<NodeId> seats_in_view_;  // As the last view began.
};

}  // namespace hapax
