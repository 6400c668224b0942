// A group with a fixed list of members, which agree on their views by unanimity (view/unanimity.h).
// Nobody is ever removed: whoever is away is waited for. There are no leases, and no engine.
//
// A member that is started again is a new life. What it has promised is in its state file
// (member_state.h). Unless its last life ended with nothing held, it waits until all clients of
// that one must have noticed; only then does it talk to the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/timer.h"
#include "membership/group.h"
#include "membership/member_state.h"
#include "service/list_views.h"

namespace hapax {

class ListGroup final : public Group {
 public:
  // Refuses options that make no sense. REQUIRES: options.list; io and host outlive it.
  static Result<std::unique_ptr<Group>> create(Loop& io, GroupOptions options, MemberHost& host);

  // Reads the state file, and listens, or will.
  Result<void> start() override;
  void stop() override;
  void leave(Span patience) override;

  const MemberViews& views() const override { return list_->views(); }
  Seat seat() const override { return options_.list->self; }
  std::vector<Seat> others() const override;
  std::optional<Span> lease_left() const override { return std::nullopt; }
  std::string standing() const override;
  std::string obstacle() const override;
  std::vector<AwayMember> away() const override;

 private:
  ListGroup(Loop& io, GroupOptions options, MemberHost& host);

  Result<void> read_state();
  void wait();
  Result<void> open();
  void promise(Epoch epoch);
  std::string missing() const;
  static NodeId place_of(Seat seat) { return NodeId{number(seat)}; }  // A list's places are seats.

  Result<void> ask(std::string_view name, WaiterId waiter, Want want) override {
    return list_->acquire(name, waiter, want, orders_);
  }
  Result<void> give_back(std::string_view name, WaiterId waiter,
                         std::optional<Turn> last) override {
    return list_->release(name, waiter, last, orders_);
  }
  Result<void> withdraw(std::string_view name, WaiterId waiter) override {
    return list_->abandon(name, waiter, orders_);
  }
  void take_away(const std::string& name, WaiterId waiter) override {
    list_->lose(name, waiter, orders_);
  }
  void on_frame(Life from, std::span<const std::uint8_t> frame) override {
    list_->on_frame(from, frame, orders_);
  }
  void on_up(Seat seat, Life life) override;
  void on_down(Seat seat) override;
  void on_link_broken() override { list_->on_link_broken(orders_); }
  void prepare(const Orders& orders) override;
  void conclude(const Orders& orders) override;
  void see_to_membership() override {}
  std::string name_for(Life life) const override;

  std::optional<ListViews> list_;  // From start() on, as the file.
  std::optional<StateFile> file_;
  MemberState state_;
  Timer timer_;
  std::optional<Instant> waits_until_;  // For clients of our last life to notice.
};

}  // namespace hapax
