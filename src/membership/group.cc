#include "membership/group.h"

#include <fmt/format.h>
#include <utility>

#include "base/boot_clock.h"
#include "service/view_frame.h"

namespace hapax {

Group::Group(Loop& io, GroupOptions options, MemberHost& host)
    : io_(io),
      options_(std::move(options)),
      host_(host),
      links_(io, options_,
             {.log = [this](const std::string& line, LogLevel level) { host_.log(line, level); },
              .called = [this](Seat seat) { return name_at(seat); },
              .on_message = [this](Seat seat, Life from,
                                   auto message) { on_message(seat, from, message); },
              .on_up = [this](Seat seat, Life life) { on_up(seat, life); },
              .on_down = [this](Seat seat) { on_down(seat); },
              .on_broken =
                  [this] {
                    on_link_broken();
                    is_tending_due_ = true;
                  }}),
      view_news_(boot_clock_now()) {}

Group::~Group() = default;

void Group::stop() {
  is_stopped_ = true;
  links_.stop();
}

// --- what happens ---

void Group::on_message(Seat seat, Life from, std::span<const std::uint8_t> message) {
  if (!is_view_frame(message)) return host_.on_message(seat, message);
  on_frame(from, message);
  if (views().is_full(from)) links_.hold(seat);
  is_in_view(message) ? carry_out() : tend();
}

void Group::note_met(Seat seat, Life life) {
  const auto [at, is_first] = met_.try_emplace(seat, life);
  const bool is_another = !is_first && std::exchange(at->second, life) != life;
  is_another ? host_.on_forgotten(seat) : host_.on_met(seat);
}

// --- clients ---

Result<void> Group::acquire(std::string_view name, WaiterId waiter, Want want) {
  if (is_leaving_) return error("this member is leaving its group");
  const auto asked = ask(name, waiter, want);
  carry_out();
  return asked;
}
Result<void> Group::release(std::string_view name, WaiterId waiter, std::optional<Turn> last) {
  const auto released = give_back(name, waiter, last);
  is_leaving_ ? tend() : carry_out();  // It may have been the last.
  return released;
}
Result<void> Group::abandon(std::string_view name, WaiterId waiter) {
  const auto abandoned = withdraw(name, waiter);
  carry_out();
  return abandoned;
}

std::string Group::name_at(Seat seat) const { return fmt::format("member {}", number(seat) + 1); }

void Group::break_lock(const std::string& name, WaiterId waiter) {
  take_away(name, waiter);
  is_leaving_ ? tend() : carry_out();
}

// --- what comes of it ---

void Group::carry_out() {
  if (std::exchange(is_carrying_out_, true)) return;  // Whoever is at it goes on.
  while (!orders_.is_empty() || is_tending_due_) {
    if (orders_.is_empty()) {
      is_tending_due_ = false;
      if (is_stopped_) continue;
      if (views().keeper().standing() != Standing::running) view_news_.stopped(boot_clock_now());
      see_to_membership();
      links_.let_go([this](Life life) { return views().is_full(life); });
      continue;
    }
    std::swap(now_, orders_);
    carry_out(now_);
    // A view or a life has begun or ended.
    if (now_.begun || now_.ended || !now_.lost.empty()) is_tending_due_ = true;
    now_.clear();
  }
  is_carrying_out_ = false;
}

void Group::tend() {
  is_tending_due_ = true;
  carry_out();
}

void Group::carry_out(const Orders& orders) {
  prepare(orders);
  for (const WaiterId waiter : orders.lost) host_.on_lost(waiter);
  if (orders.leased_until) host_.on_leased(*orders.leased_until);
  for (const Grant& grant : orders.grants) host_.on_granted(grant);
  for (const WaiterId waiter : orders.recalled) host_.on_recalled(waiter);
  for (const WaiterId waiter : orders.wanted) host_.on_wanted(waiter);
  for (const Orders::Send& send : orders.sends) {
    if (!links_.send(send.to, orders.bytes(send))) break;
  }
  for (const Orders::Complaint& complaint : orders.complaints) {
    ++complaints_;
    const auto seat = links_.seat_of(complaint.peer);
    host_.log_once(fmt::format("{} (life {}): {}", seat ? name_at(*seat) : "somebody",
                               complaint.peer, complaint.text));
  }
  if (orders.begun) tell_of_view();
  conclude(orders);
  host_.on_settled();
}

void Group::tell_of_view() {
  const auto begun = view_news_.begun(
      boot_clock_now(), views().keeper().roll(), [this](Life life) { return name_for(life); },
      [this](Life life) { return why_gone(life); });
  counts_.view_changes.note(begun.without);
  log(begun.text);
}

}  // namespace hapax
