// A fixed list of members, in one view for ever: the mesh, the lock table, and the elections among
// the members. A member that dies is waited for.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "net/mesh.h"
#include "locks/lock_table.h"
#include "campaigns/member_elections.h"
#include "daemon/members.h"
#include "daemon/node_config.h"

namespace hapax {

class FixedMembers final : public Members {
 public:
  static Result<std::unique_ptr<Members>> create(boost::asio::io_context& io,
                                                 const NodeConfig& config, Handlers handlers);

  Result<void> start() override { return mesh_->start(); }
  void stop() override { mesh_->stop(); }

  Result<void> acquire(const std::string& name, WaiterId waiter, Want want) override {
    return table_.acquire(name, waiter, want, out_);
  }
  Result<void> release(const std::string& name, WaiterId waiter,
                       std::optional<Turn> last) override {
    return last ? table_.release_kept(name, waiter, *last, out_)
                : table_.release(name, waiter, out_);
  }
  Result<void> abandon(const std::string& name, WaiterId waiter) override {
    return table_.abandon(name, waiter, out_);
  }
  void flush() override;

  NodeId self() const override { return config_.self; }
  std::vector<NodeId> others() const override;
  bool is_up(NodeId peer) const override { return mesh_->is_up(peer); }
  void tell(NodeId to, std::span<const std::uint8_t> message) override {
    (void)mesh_->send(to, message);
  }

  Epoch epoch() const override { return config_.epoch; }
  const LockTable* table() const override { return &table_; }
  const net::Stats& links() const override { return mesh_->stats(); }
  std::optional<NodeId> coordinator() const override { return table_.coordinator(); }
  std::optional<NodeId> leader() const override { return elected_.reach.leader(); }
  Term term() const override { return elected_.reach.term(); }
  std::uint64_t complaints() const override { return complaints_; }
  void describe(session::State& state) const override;
  std::optional<std::chrono::milliseconds> lease_left() const override { return std::nullopt; }
  std::chrono::milliseconds ttl() const override { return {}; }

  Result<void> leave(std::chrono::milliseconds patience) override;
  void evict(const std::string& whom, std::function<void(std::string)> done) override;

 private:
  FixedMembers(const NodeConfig& config, Handlers handlers);

  Membership membership() const {
    return {config_.epoch, static_cast<std::uint32_t>(config_.members.size()), config_.self};
  }
  void on_message(NodeId from, std::span<const std::uint8_t> message);

  NodeConfig config_;
  Handlers handlers_;
  LockTable table_;
  MemberElections elected_;
  Outbox out_;
  std::unique_ptr<net::Mesh> mesh_;
  std::uint64_t complaints_ = 0;
};

}  // namespace hapax
