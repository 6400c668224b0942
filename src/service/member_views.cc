#include "service/member_views.h"

#include <algorithm>

#include "base/check.h"
#include "service/view_frame.h"

namespace hapax {

void MemberViews::be_born(Life life, Epoch above) {
  const Standing standing = keeper_.standing();
  HAPAX_CHECK((standing == Standing::ended || standing == Standing::outside));
  keeper_ = Keeper{life, std::max(above, keeper_.roll().epoch)};
  ++stats_.lives;
}

// --- the keeper ---

void MemberViews::carry_out(const Keeper::Effects& effects, ViewOrders& orders) {
  if (effects.lost) {
    const std::size_t before = orders.lost.size();
    locks_.lose_all(keeper_, orders);
    stats_.lost_grants += orders.lost.size() - before;
  }
  if (effects.recall) locks_.recall_all(orders);
  if (effects.stop) locks_.stop();
  if (effects.report) locks_.report(keeper_, orders);
  if (effects.begin) {
    ++stats_.views;
    locks_.begin(keeper_, orders);
  }
  if (!effects.ended) return;
  locks_.end();
  backlogs_.clear();
  orders.ended = true;
}

// What is left to do after a step: frames that can be handled by now, and grants that a lease lets
// through by now.
void MemberViews::go_on(ViewOrders& orders) {
  while (take_backlog(orders)) {
  }
  if (keeper_.may_grant()) locks_.grant_what_waits_for_a_lease(orders);
  if (keeper_.is_leaving() && held() == 0) keeper_.drained();
}

// --- the other members ---

void MemberViews::on_frame(Life from, std::span<const std::uint8_t> frame, ViewOrders& orders) {
  if (!backlogs_.contains(from) && take(from, frame, orders)) {
    if (is_in_view(frame)) return;  // A lock's message leaves nothing else to do.
  } else {
    Backlog& backlog = backlogs_[from];
    backlog.frames.emplace_back(frame.begin(), frame.end());
    backlog.bytes += frame.size();
    ++stats_.kept_frames;
  }
  go_on(orders);
}

bool MemberViews::is_full(Life from) const {
  const auto at = backlogs_.find(from);
  return at != backlogs_.end() && at->second.bytes >= Backlog::kMostBytes;
}

// Whether anything could be taken.
bool MemberViews::take_backlog(ViewOrders& orders) {
  bool any = false;
  for (auto& [life, backlog] : backlogs_) {
    while (!backlog.frames.empty() && take(life, backlog.frames.front(), orders)) {
      backlog.bytes -= backlog.frames.front().size();
      backlog.frames.pop_front();
      any = true;
    }
  }
  if (any) std::erase_if(backlogs_, [](const auto& b) { return b.second.frames.empty(); });
  return any;
}

// False if it has to be kept for later.
bool MemberViews::take(Life from, std::span<const std::uint8_t> frame, ViewOrders& orders) {
  switch (what_to_do_with(frame)) {
    case Keeper::Handling::keep:
      return false;
    case Keeper::Handling::drop:
      ++stats_.old_frames;
      return true;
    case Keeper::Handling::handle:
      handle(from, frame, orders);
      return true;
  }
  return true;
}

// What nobody writes is handled, too: its sender is complained about.
Keeper::Handling MemberViews::what_to_do_with(std::span<const std::uint8_t> bytes) const {
  const auto frame = divide_view_frame(bytes);
  if (!frame) return Keeper::Handling::handle;
  return frame->is_report ? keeper_.what_to_do_with_report(frame->epoch)
                          : keeper_.what_to_do_with_message(frame->epoch);
}

void MemberViews::handle(Life from, std::span<const std::uint8_t> bytes, ViewOrders& orders) {
  const auto frame = divide_view_frame(bytes);
  if (!frame) {
    orders.complaints.push_back({from, "sent a frame that no member of this version writes"});
    return;
  }
  const auto place = keeper_.roll().place_of(from);
  if (!place) {
    orders.complaints.push_back({from, "speaks of a view that it is no member of"});
  } else if (frame->is_report) {
    on_report(from, frame->rest, orders);
  } else {
    locks_.receive(keeper_, *place, frame->rest, orders);
  }
}

void MemberViews::on_report(Life from, std::span<const std::uint8_t> bytes, ViewOrders& orders) {
  auto part = decode<ReportPart>(bytes);
  if (!part) {
    orders.complaints.push_back({from, "sent a report that no member of this version writes"});
    return;
  }
  if (part->members != keeper_.roll().members) {
    orders.complaints.push_back({from, "reports for another roll of this epoch"});
    return;
  }
  const bool is_last = part->last;
  if (const auto heard = locks_.hear(from, std::move(*part)); !heard) {
    orders.complaints.push_back({from, heard.error().message});
  }
  if (!is_last) return;
  Keeper::Effects effects;
  keeper_.on_report(from, keeper_.roll().epoch, effects);
  carry_out(effects, orders);
}

// --- clients ---

Result<void> MemberViews::release(std::string_view name, WaiterId waiter, std::optional<Turn> last,
                                  ViewOrders& orders) {
  const auto released = locks_.release(keeper_, name, waiter, last, orders);
  if (released) go_on(orders);
  return released;
}

void MemberViews::lose(const std::string& name, WaiterId waiter, ViewOrders& orders) {
  ++stats_.lost_grants;
  locks_.lose(keeper_, name, waiter, orders);
  go_on(orders);
}

void MemberViews::encode_to(Bytes& bytes) const {
  hapax::encode_to(bytes, keeper_);
  locks_.encode_to(bytes);
  for (const auto& [life, backlog] : backlogs_) {
    hapax::encode_to(bytes, life);
    hapax::encode_to(bytes, std::uint64_t{backlog.frames.size()});
    for (const Bytes& frame : backlog.frames) hapax::encode_to(bytes, frame);
  }
}

}  // namespace hapax
