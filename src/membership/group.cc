#include "membership/group.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/boot_clock.h"
#include "service/view_frame.h"

namespace hapax {

using boost::system::error_code;

Result<std::unique_ptr<Group>> Group::create(boost::asio::io_context& io, GroupOptions options,
                                             engine::Engine& engine, MemberHost& host) {
  if (const auto good = options.check(io); !good) return good.error();
  if (options.tls) options.seat = number(net::member_in(*options.tls).value());
  return std::unique_ptr<Group>{new Group{io, std::move(options), engine, host}};
}

Group::Group(boost::asio::io_context& io, GroupOptions options, engine::Engine& engine,
             MemberHost& host)
    : io_(io),
      options_(std::move(options)),
      host_(host),
      service_(options_.policy, options_.times, host),
      registrar_(engine, options_.settings(), registrar_handlers()),
      links_(io, options_,
             {.log = [this](const std::string& line) { host_.log(line); },
              .on_message = [this](Seat seat, Life from,
                                   auto message) { on_message(seat, from, message); },
              .on_up = [this](Seat seat, Life life) { on_up(seat, life); },
              .on_broken =
                  [this] {
                    service_.on_link_broken(boot_clock_now(), orders_);
                    is_tending_due_ = true;
                  }}),
      upkeep_(service_, registrar_, options_.times,
              [this](Life life) { return links_.is_up(life); }),
      timer_(io) {}

Group::~Group() = default;

Registrar::Handlers Group::registrar_handlers() {
  return {.on_directory = [this](const Directory& d) { on_directory(d); },
          .on_unreadable =
              [this](const std::string& why) {
                if (is_stopped_) return;
                host_.log_once("cannot read the group's records: " + why);
                service_.on_unreadable(boot_clock_now(), orders_);
                tend();
              },
          .on_committed =
              [this](const EngineAsk& ask, Outcome outcome) {
                if (is_stopped_) return;
                service_.on_committed(boot_clock_now(), ask, outcome, orders_);
                tend();
              },
          .on_enlisted = [this](const Enlisted& me) { on_enlisted(me); },
          .on_refused =
              [this](const std::string& theirs) {
                refusal_ = fmt::format(
                    "the group {} runs with {}; this member was given {}: give all of "
                    "them the same, or stop them all first; one that died counts until a member "
                    "with the old settings has cleared it away",
                    options_.group, theirs, options_.settings());
                if (is_enlisted()) host_.log_once(refusal_);
              }};
}

void Group::start() { enlist(); }

void Group::stop() {
  if (std::exchange(is_stopped_, true)) return;
  timer_.cancel();
  links_.stop();
  // Not from within what the engine or its watch has called.
  boost::asio::post(io_, [this, weak = std::weak_ptr{alive_}] {
    if (!weak.expired()) registrar_.stop();
  });
}

// --- what happens ---

void Group::enlist() {
  registrar_.enlist(options_.advertise.value_or(options_.listen).text(), options_.name,
                    options_.seat);
}

void Group::on_enlisted(const Enlisted& me) {
  if (is_stopped_) return;
  host_.log(fmt::format("enlisted as life {} at seat {}", me.life, me.seat + 1));
  options_.seat = me.seat;
  service_.be_born(me.life);
  upkeep_.be_born();
  links_.open(me);
  tend();
}

void Group::on_directory(const Directory& directory) {
  if (is_stopped_) return;
  links_.learn(directory);
  const bool is_here = links_.is_open() && service_.keeper().self() == registrar_.me().life;
  if (is_here) links_.meet(directory);
  service_.on_register(boot_clock_now(), directory.reg, orders_);
  tend();
}

void Group::on_message(Seat seat, Life from, std::span<const std::uint8_t> message) {
  if (!is_view_frame(message)) return host_.on_message(seat, message);
  service_.on_frame(boot_clock_now(), from, message, orders_);
  if (service_.is_full(from)) links_.hold(seat);
  is_in_view(message) ? carry_out() : tend();
}

void Group::on_up(Seat seat, Life life) {
  const auto [at, is_first] = met_.try_emplace(seat, life);
  const bool is_another = !is_first && std::exchange(at->second, life) != life;
  is_another ? host_.on_forgotten(seat) : host_.on_met(seat);
  tend();
}

// Who is not in it any more has lost what it had. The view that begins may be one that we have
// committed and not read yet.
void Group::on_view() {
  const Roll& roll = service_.keeper().roll();
  host_.log(fmt::format("view {} of {} members begins", roll.epoch, roll.members.size()));
  std::set<Seat> seats;
  for (const Enlisted& e : registrar_.directory().lives) {
    if (roll.has(e.life)) seats.insert(Seat{e.seat});
  }
  for (const Seat seat : std::exchange(seats_in_view_, seats)) {
    if (!seats.contains(seat)) host_.on_forgotten(seat);
  }
}

void Group::on_time() {
  armed_ = {};
  const Keeper& keeper = service_.keeper();
  if (is_enlisted() && !links_.is_open() && registrar_.me().life == keeper.self() &&
      keeper.standing() == Standing::outside) {
    links_.open(registrar_.me());
  }
  service_.on_time(boot_clock_now(), orders_);
  tend();
}

// --- what comes of it ---

// Of what is asked for and said about locks: all that the service has ordered.
void Group::carry_out() {
  if (std::exchange(is_carrying_out_, true)) return;  // Whoever is at it goes on.
  while (!orders_.is_empty() || is_tending_due_) {
    if (orders_.is_empty()) {
      is_tending_due_ = false;
      if (!is_stopped_) see_to_membership();
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

// Of what may change who is a member, or when to look next.
void Group::tend() {
  is_tending_due_ = true;
  carry_out();
}

void Group::carry_out(const Orders& orders) {
  for (const WaiterId waiter : orders.lost) host_.on_lost(waiter);
  if (orders.leased_until) host_.on_leased(*orders.leased_until);
  for (const Grant& grant : orders.grants) host_.on_granted(grant);
  for (const WaiterId waiter : orders.recalled) host_.on_recalled(waiter);
  for (const WaiterId waiter : orders.wanted) host_.on_wanted(waiter);
  if (!orders.sends.empty()) {
    links_.together([&] {
      for (const Orders::Send& send : orders.sends) links_.send(send.to, orders.bytes(send));
    });
  }
  for (const EngineAsk& ask : orders.asks) registrar_.carry_out(ask);
  for (const Orders::Complaint& complaint : orders.complaints) {
    ++complaints_;
    host_.log_once(fmt::format("life {}: {}", complaint.peer, complaint.text));
  }
  if (orders.begun) on_view();
  if (orders.ended) {
    if (!leaving_until_) host_.log("this life is over: what was held is lost");
    links_.close();
    leaving_until_ ? host_.on_left() : enlist();
  }
  host_.on_settled();
}

void Group::see_to_membership() {
  const Instant now = boot_clock_now();
  if (upkeep_.is_struck_off() && !registrar_.is_enlisting()) {
    links_.close();
    enlist();
  }
  if (upkeep_.is_time_to_show_life(now)) registrar_.show_life();
  if (links_.is_open() && !leaving_until_ && upkeep_.may_announce(now)) {
    service_.announce(now, orders_);
  }
  if (const auto reach = upkeep_.reach(now)) {
    registrar_.set_reached(reach->members);
    if (reach->gives_way_to) {
      host_.log(fmt::format("life {} has been out of reach for a TTL: giving way to it",
                            *reach->gives_way_to));
      service_.leave(now, orders_);
    }
  }
  for (const Enlisted& life : upkeep_.stale(now)) registrar_.strike(life);
  drain();
  links_.let_go([this](Life life) { return service_.is_full(life); });
  arm();
}

void Group::arm() {
  const Instant now = boot_clock_now();
  // Not much later than it takes to notice that others do not reach us.
  Instant next = std::min(service_.next_deadline(), now + options_.times.ttl / 4);
  next = std::max(next, now + std::chrono::milliseconds{1});
  if (armed_ > now && armed_ <= next) return;
  armed_ = next;
  timer_.expires_after(next - now);
  timer_.async_wait([this](const error_code& cancelled) {
    if (!cancelled && !is_stopped_) on_time();
  });
}

// --- clients ---

Result<void> Group::acquire(std::string_view name, WaiterId waiter, Want want) {
  if (leaving_until_) return error("this member is leaving its group");
  const auto asked = service_.acquire(boot_clock_now(), name, waiter, want, orders_);
  carry_out();
  return asked;
}
Result<void> Group::release(std::string_view name, WaiterId waiter, std::optional<Turn> last) {
  const auto released = service_.release(boot_clock_now(), name, waiter, last, orders_);
  leaving_until_ ? tend() : carry_out();  // It may have been the last.
  return released;
}
Result<void> Group::abandon(std::string_view name, WaiterId waiter) {
  const auto abandoned = service_.abandon(boot_clock_now(), name, waiter, orders_);
  carry_out();
  return abandoned;
}

// --- going ---

void Group::leave(Span patience) {
  const Instant until = boot_clock_now() + patience;
  leaving_until_ = std::min(leaving_until_.value_or(until), until);
  tend();
}

void Group::drain() {
  if (!leaving_until_ || service_.keeper().is_leaving()) return;
  const Standing standing = service_.keeper().standing();
  if (standing == Standing::outside || standing == Standing::ended) {
    if (std::exchange(has_left_, true)) return;
    registrar_.withdraw([this] { host_.on_left(); });
    return;
  }
  if (service_.held() > 0 && boot_clock_now() < *leaving_until_) return;
  service_.leave(boot_clock_now(), orders_);
}

// --- for people ---

std::vector<Group::Other> Group::others() const {
  std::vector<Other> others;
  const Directory& directory = registrar_.directory();
  for (const Enlisted& e : directory.lives) {
    const bool is_self = e.life == service_.keeper().self();
    others.push_back({e, directory.reg.roll.has(e.life), is_self, is_self || links_.is_up(e.life),
                      std::find(directory.evicted.begin(), directory.evicted.end(), e.life) !=
                          directory.evicted.end()});
  }
  return others;
}

void Group::evict(Life life, std::function<void(Outcome)> done) {
  registrar_.evict(life, options_.name, std::move(done));
}

std::optional<Span> Group::lease_left() const { return service_.lease_left(boot_clock_now()); }
bool Group::is_in_jeopardy() const { return service_.is_in_jeopardy(boot_clock_now()); }

}  // namespace hapax
