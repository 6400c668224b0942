#include "service/list_views.h"

#include "service/view_frame.h"

namespace hapax {

ListViews::ListViews(Policy policy, Holders& holders, NodeId self, Life life, std::uint32_t size,
                     Epoch promised)
    : views_(std::move(policy), holders), list_(self, life, size, promised) {
  views_.be_born(life);
  ViewOrders none;
  // There are no leases: what is granted is good for as long as this life lasts.
  views_.tell_keeper(
      [](Keeper& keeper, Keeper::Effects& fx) { keeper.on_announced(Outcome::committed, fx); },
      none);
}

void ListViews::met(NodeId peer, Life life, ViewOrders& orders) {
  list_.met(peer, life);
  go_on(orders);
}

void ListViews::on_frame(Life from, std::span<const std::uint8_t> frame, ViewOrders& orders) {
  if (counts(frame)) views_.on_frame(from, frame, orders);
  go_on(orders);
}

// Of reports, those for the roll that we have reported for, or are about to.
bool ListViews::counts(std::span<const std::uint8_t> bytes) {
  const auto frame = divide_view_frame(bytes);
  if (!frame || !frame->is_report) return true;
  auto part = decode<ReportPart>(frame->rest);
  if (!part) return true;  // It is complained about.
  const Roll roll{frame->epoch, std::move(part->members)};
  list_.on_report(roll);
  return roll == views_.keeper().roll() || roll == list_.wanted();
}

void ListViews::on_link_broken(ViewOrders& orders) {
  views_.tell_keeper([](Keeper& keeper, Keeper::Effects&) { keeper.renew_view(); }, orders);
  go_on(orders);
}

void ListViews::promised(Epoch epoch, ViewOrders& orders) {
  if (const auto roll = list_.promised(epoch)) {
    views_.tell_keeper([&](Keeper& keeper, Keeper::Effects& fx) { keeper.on_roll(*roll, fx); },
                       orders);
  }
  go_on(orders);
}

Result<void> ListViews::release(std::string_view name, WaiterId waiter, std::optional<Turn> last,
                                ViewOrders& orders) {
  const auto released = views_.release(name, waiter, last, orders);
  if (views_.keeper().is_leaving()) go_on(orders);
  return released;
}

void ListViews::leave(ViewOrders& orders) {
  views_.tell_keeper([](Keeper& keeper, Keeper::Effects& fx) { keeper.leave(fx); }, orders);
  go_on(orders);
}

void ListViews::go_on(ViewOrders& orders) {
  const Keeper& keeper = views_.keeper();
  if (keeper.standing() == Standing::ended) return;
  if (keeper.is_leaving() && views_.held() == 0) {
    views_.tell_keeper([](Keeper& k, Keeper::Effects& fx) { k.retire(fx); }, orders);
    return;
  }
  list_.propose(keeper.roll(), keeper.is_renewing());
  if (list_.wanted()) orders.promise = list_.wanted()->epoch;
}

void ListViews::encode_to(Bytes& bytes) const {
  views_.encode_to(bytes);
  hapax::encode_to(bytes, list_);
}

}  // namespace hapax
