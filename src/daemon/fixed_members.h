// A fixed list of members, in one view for ever: the mesh, the lock table, and the elections among
// the members. A member that dies is waited for. Its place in the view is its seat.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "campaigns/view_elections.h"
#include "daemon/members.h"
#include "daemon/node_config.h"
#include "locks/lock_table.h"
#include "net/mesh.h"

namespace hapax {

class FixedMembers final : public Members {
 public:
  static Result<std::unique_ptr<Members>> create(boost::asio::io_context& io,
                                                 const NodeConfig& config, MemberHost& host);

  Result<void> start() override { return mesh_->start(); }
  void stop() override { mesh_->stop(); }

  Result<void> acquire(const std::string& name, WaiterId waiter, Want want) override {
    return flushed(table_.acquire(name, waiter, want, out_));
  }
  Result<void> release(const std::string& name, WaiterId waiter,
                       std::optional<Turn> last) override {
    return flushed(last ? table_.release_kept(name, waiter, *last, out_)
                        : table_.release(name, waiter, out_));
  }
  Result<void> abandon(const std::string& name, WaiterId waiter) override {
    return flushed(table_.abandon(name, waiter, out_));
  }

  Seat self() const override { return config_.self; }
  std::vector<Seat> others() const override;
  bool is_up(Seat peer) const override { return mesh_->is_up(peer); }
  void tell(Seat to, std::span<const std::uint8_t> message) override {
    (void)mesh_->send(to, message);
  }

  Epoch epoch() const override { return config_.epoch; }
  const LockTable* table() const override { return &table_; }
  const net::Stats& links() const override { return mesh_->stats(); }
  std::optional<Seat> coordinator() const override { return seat_of(table_.coordinator()); }
  std::optional<Seat> leader() const override { return seat_of(elected_.reach.leader()); }
  Term term() const override { return elected_.reach.term(); }
  std::uint64_t complaints() const override { return complaints_; }
  void describe(session::State& state) const override;
  std::optional<std::chrono::milliseconds> lease_left() const override { return std::nullopt; }
  std::chrono::milliseconds ttl() const override { return {}; }

  Result<void> leave(std::chrono::milliseconds patience) override;
  void evict(const std::string& whom, std::function<void(std::string)> done) override;

 private:
  FixedMembers(const NodeConfig& config, MemberHost& host);

  // Here the one identity becomes the other.
  static NodeId place_of(Seat seat) { return NodeId{number(seat)}; }
  static Seat seat_of(NodeId place) { return Seat{number(place)}; }
  static std::optional<Seat> seat_of(std::optional<NodeId> place) {
    if (!place) return std::nullopt;
    return seat_of(*place);
  }

  Membership membership() const {
    return {config_.epoch, static_cast<std::uint32_t>(config_.members.size()),
            place_of(config_.self)};
  }
  net::MeshHandlers mesh_handlers();
  void on_message(Seat from, std::span<const std::uint8_t> message);
  void flush();
  Result<void> flushed(Result<void> outcome) {
    flush();
    return outcome;
  }

  NodeConfig config_;
  MemberHost& host_;
  LockTable table_;
  ViewElections elected_;
  Outbox out_;
  std::unique_ptr<net::Mesh> mesh_;
  std::uint64_t complaints_ = 0;
};

}  // namespace hapax
