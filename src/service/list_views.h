// A member of a fixed list across views, as a value: its views, driven by unanimity. Knows no time,
// no files and no network: the daemon drives it, the swarm, and the checker of views.
//
// What the driver must ensure, besides what view/unanimity.h says: an epoch in `promise` is written
// down before anything that was ordered with it or later is sent, and then told by promised().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "core/fence.h"
#include "core/want.h"
#include "service/member_views.h"
#include "service/orders.h"
#include "view/unanimity.h"

namespace hapax {

class ListViews {
 public:
  // `promised`: as of its last life. REQUIRES: `holders` outlives it and its copies.
  ListViews(Policy policy, Holders& holders, NodeId self, Life life, std::uint32_t size,
            Epoch promised);

  void take_part(ViewOrders& orders) { go_on(orders); }

  // --- the other members, by their places in the list ---

  void met(NodeId peer, Life life, ViewOrders& orders);
  void parted(NodeId peer) { list_.parted(peer); }
  void on_frame(Life from, std::span<const std::uint8_t> frame, ViewOrders& orders);
  // A link lost something: start the view afresh.
  void on_link_broken(ViewOrders& orders);
  // The epoch has been written down.
  void promised(Epoch epoch, ViewOrders& orders);

  // --- clients; see Service ---

  Result<void> acquire(std::string_view name, WaiterId waiter, Want want, ViewOrders& orders) {
    return views_.acquire(name, waiter, want, orders);
  }
  Result<void> release(std::string_view name, WaiterId waiter, std::optional<Turn> last,
                       ViewOrders& orders);
  Result<void> abandon(std::string_view name, WaiterId waiter, ViewOrders& orders) {
    return views_.abandon(name, waiter, orders);
  }
  void lose(const std::string& name, WaiterId waiter, ViewOrders& orders) {
    views_.lose(name, waiter, orders);
    go_on(orders);
  }
  // Grants nothing any more, and ends when nothing is held.
  void leave(ViewOrders& orders);

  // --- what to ask ---

  const MemberViews& views() const { return views_; }
  const Unanimity& list() const { return list_; }
  void encode_to(Bytes& bytes) const;

 private:
  bool counts(std::span<const std::uint8_t> frame);
  void go_on(ViewOrders& orders);

  MemberViews views_;
  Unanimity list_;
};

}  // namespace hapax
