#include "membership/group.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "base/boot_clock.h"
#include "core/lock_name.h"
#include "service/view_frame.h"

namespace hapax {
namespace {

using boost::system::error_code;

constexpr std::size_t kMostUnacknowledged = std::size_t{256} << 20;  // Bytes for one life.
constexpr int kStaleTtls = 10;  // An unannounced life is struck off after so many.

// Locks are safe only if all members go by the same leases and the same algorithms.
std::string settings_text(const GroupOptions& options) {
  std::string locks = options.policy.text();
  constexpr std::size_t kShown = 4096;
  if (locks.size() > kShown) {
    locks = fmt::format("{}… ({:016x})", locks.substr(0, kShown), hash_of_lock(locks));
  }
  return fmt::format("TTL {} ms and locks by {}", options.times.ttl / std::chrono::milliseconds{1},
                     locks);
}

}  // namespace

Result<void> Group::check(boost::asio::io_context& io, const GroupOptions& options) {
  if (options.times.ttl < kShortestTtl) {
    return error("a TTL of {} ms leaves no time for three beats; use 500 ms or more",
                 options.times.ttl / std::chrono::milliseconds{1});
  }
  if (!options.listen.is_unix() && options.listen.port == 0) {
    return error("--listen {}: the others must know the port; name one", options.listen.text());
  }
  net::MeshOptions probe;
  probe.members = {options.advertise.value_or(options.listen)};
  probe.listen = options.listen;
  probe.group = options.group;
  probe.tls = options.tls;
  if (options.tls) {
    const auto seat = net::member_in(*options.tls);
    if (!seat) return seat.error();
    if (number(*seat) >= kSeats) {
      return error("a group has seats for {} members; the certificate is made out to member-{}",
                   kSeats, number(*seat) + 1);
    }
    probe.members.clear();
    probe.seats = kSeats;
    probe.self = *seat;
  }
  // Opens nothing; refuses what start would.
  if (auto mesh = net::Mesh::create(io, probe, {}); !mesh) return mesh.error();
  return {};
}

Result<std::unique_ptr<Group>> Group::create(boost::asio::io_context& io, GroupOptions options,
                                             engine::Engine& engine, Handlers handlers) {
  if (const auto good = check(io, options); !good) return good.error();
  if (options.tls) options.seat = number(net::member_in(*options.tls).value());
  return std::unique_ptr<Group>{new Group{io, std::move(options), engine, std::move(handlers)}};
}

Group::Group(boost::asio::io_context& io, GroupOptions options, engine::Engine& engine,
             Handlers handlers)
    : io_(io),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      service_(options_.policy, options_.times, *this),
      registrar_(
          engine, settings_text(options_),
          {.on_directory = [this](const Directory& d) { on_directory(d); },
           .on_unreadable =
               [this](const std::string& why) {
                 if (is_stopped_) return;
                 if (logged_.insert(why).second) log("cannot read the group's records: " + why);
                 service_.on_unreadable(boot_clock_now(), orders_);
                 carry_out();
               },
           .on_committed =
               [this](const EngineAsk& ask, Outcome outcome) {
                 if (is_stopped_) return;
                 service_.on_committed(boot_clock_now(), ask, outcome, orders_);
                 carry_out();
               },
           .on_enlisted = [this](const Enlisted& me) { on_enlisted(me); },
           .on_refused =
               [this](const std::string& theirs) {
                 refusal_ = fmt::format(
                     "the group {} runs with {}; this member was given {}: give all of "
                     "them the same, or stop them all first; one that died counts until a member "
                     "with the old settings has cleared it away",
                     options_.group, theirs, settings_text(options_));
                 if (is_enlisted() && logged_.insert(refusal_).second) log(refusal_);
               }}),
      timer_(io) {}

Group::~Group() = default;

void Group::log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

void Group::start() { enlist(); }

void Group::stop() {
  if (std::exchange(is_stopped_, true)) return;
  timer_.cancel();
  if (mesh_) mesh_->stop();
  // Not from within what the engine or its watch has called.
  boost::asio::post(io_, [this, weak = std::weak_ptr{alive_}] {
    if (!weak.expired()) registrar_.stop();
  });
}

// --- becoming a life ---

void Group::enlist() {
  registrar_.enlist(options_.advertise.value_or(options_.listen).text(), options_.name,
                    options_.seat);
}

void Group::on_enlisted(const Enlisted& me) {
  if (is_stopped_) return;
  log(fmt::format("enlisted as life {} at seat {}", me.life, me.seat + 1));
  options_.seat = me.seat;
  service_.be_born(me.life);
  unsent_.clear();
  down_since_.clear();
  held_.clear();
  open_mesh();
  carry_out();
}

void Group::open_mesh() {
  const Enlisted& me = registrar_.me();
  net::MeshOptions options;
  options.self = NodeId{me.seat};
  options.seats = kSeats;
  options.listen = options_.listen;
  options.group = options_.group;
  options.incarnation = number(me.life);
  options.tls = options_.tls;
  options.log = options_.log;
  // A report may name every lock that a member can hold, and what it waits for is asked for at once
  // after it.
  options.limits.resend_bytes = kMostUnacknowledged;
  options.limits.resend_messages = std::size_t{1} << 20;
  net::MeshHandlers handlers;
  handlers.on_message = [this](NodeId seat, std::span<const std::uint8_t> message) {
    on_message(seat, message);
  };
  handlers.on_up = [this](NodeId seat) { on_up(seat); };
  handlers.on_down = [this](NodeId seat, std::string_view why) {
    const auto life = Life{mesh_->incarnation_of(seat)};
    log(fmt::format("life {} at seat {} is away: {}", life, number(seat) + 1, why));
    held_.erase(seat);
  };
  auto mesh = net::Mesh::create(io_, std::move(options), std::move(handlers));
  HAPAX_CHECK(mesh.has_value());  // create() has tried.
  mesh_ = std::move(*mesh);
  if (const auto started = mesh_->start(); !started) {
    // The address is taken, by our former life for a moment or by somebody else: once more later.
    log(started.error().message);
    mesh_.reset();
  }
}

// --- the directory ---

void Group::on_directory(const Directory& directory) {
  if (is_stopped_) return;
  const bool is_here = mesh_ != nullptr && service_.keeper().self() == registrar_.me().life;
  if (is_here) meet_others(directory);
  service_.on_register(boot_clock_now(), directory.reg, orders_);
  carry_out();
}

void Group::meet_others(const Directory& directory) {
  std::map<std::uint32_t, const Enlisted*> newest;
  for (const Enlisted& e : directory.lives) newest[e.seat] = &e;  // Lives are in order.
  for (const auto& [seat, e] : newest) {
    if (seat == registrar_.me().seat) continue;
    const auto address = net::parse_address(e->address);
    const auto set =
        address ? mesh_->set_address(NodeId{seat}, *address) : Result<void>{address.error()};
    if (!set && logged_.insert(e->address).second) {
      log(fmt::format("cannot dial life {}: {}", e->life, set.error().message));
    }
  }
}

std::optional<NodeId> Group::seat_of(Life life) const {
  const Enlisted* e = registrar_.directory().find(life);
  if (e == nullptr) return std::nullopt;
  return NodeId{e->seat};
}

bool Group::is_up(Life life) const {
  const auto seat = seat_of(life);
  if (!seat || mesh_ == nullptr || number(*seat) == registrar_.me().seat) return false;
  return mesh_->is_up(*seat) && mesh_->incarnation_of(*seat) == number(life);
}

// Those whose beat stands still are not waited for: nobody may be left to remove them but us.
void Group::announce_if_connected() {
  if (mesh_ == nullptr || leaving_until_) return;
  const Keeper& keeper = service_.keeper();
  if (keeper.standing() != Standing::outside || keeper.self() != registrar_.me().life) return;
  const Directory& directory = registrar_.directory();
  if (directory.find(keeper.self()) == nullptr) return;  // Not read yet, or struck off.
  const Instant now = boot_clock_now();
  for (const Beat& beat : directory.reg.beats) {
    if (!is_up(beat.life) && !service_.is_overdue(beat.life, now)) return;
  }
  service_.announce(now, orders_);
}

// Of two members that do not reach each other for a TTL, one goes, and comes back when it is
// connected: who reaches fewer, then who is younger. Who does not reach the engine, either, is dead
// or soon given up on, and nobody gives way to it.
void Group::give_way_if_cut_off() {
  const Keeper& keeper = service_.keeper();
  const bool is_member =
      keeper.standing() == Standing::running || keeper.standing() == Standing::changing;
  if (!is_member || keeper.is_leaving()) return;
  const Instant now = boot_clock_now();
  std::uint32_t reached = 0;
  std::vector<Life> away;
  for (const Life life : keeper.roll().members) {
    if (life == keeper.self()) continue;
    if (is_up(life)) {
      ++reached;
      down_since_.erase(life);
    } else if (now - down_since_.try_emplace(life, now).first->second > options_.times.ttl) {
      away.push_back(life);
    }
  }
  registrar_.set_reached(reached);
  for (const Life life : away) {
    const Enlisted* other = registrar_.directory().find(life);
    if (other == nullptr || !service_.is_fresh(life, now)) continue;
    const bool is_ours_to_go =
        std::pair{reached, number(life)} < std::pair{other->reached, number(keeper.self())};
    if (!is_ours_to_go) continue;
    log(fmt::format("life {} has been out of reach for a TTL: giving way to it", life));
    down_since_.clear();
    service_.leave(now, orders_);
    return;
  }
}

// Whoever waits to be connected says from time to time that it is still there.
void Group::show_life() {
  const Keeper& keeper = service_.keeper();
  if (keeper.standing() != Standing::outside || keeper.self() != registrar_.me().life) return;
  const Instant now = boot_clock_now();
  if (now - shown_ < options_.times.ttl) return;
  shown_ = now;
  registrar_.show_life();
}

// By others that did not hear of us for long, or evicted: be another life.
bool Group::is_struck_off() const {
  const Keeper& keeper = service_.keeper();
  return keeper.standing() == Standing::outside && keeper.self() == registrar_.me().life &&
         number(keeper.self()) != 0 && registrar_.is_up_to_date() &&
         registrar_.directory().find(keeper.self()) == nullptr;
}

void Group::close_mesh() {
  if (!mesh_) return;
  mesh_->stop();
  last_mesh_ = std::move(mesh_);
  held_.clear();
}

// Lives that were enlisted and never announced, and whose process is gone.
void Group::strike_stale() {
  if (service_.keeper().standing() != Standing::running) return;
  const Instant now = boot_clock_now();
  const Directory& directory = registrar_.directory();
  std::erase_if(unannounced_, [&](const auto& u) { return directory.find(u.first) == nullptr; });
  for (const Enlisted& e : directory.lives) {
    if (e.announced) continue;
    const auto [at, is_new] = unannounced_.try_emplace(e.life, std::pair{e.version, now});
    if (!is_new && at->second.first != e.version) at->second = {e.version, now};
    if (now - at->second.second < kStaleTtls * options_.times.ttl || is_up(e.life)) continue;
    registrar_.strike(e);
    at->second.second = now;
  }
}

// --- the others ---

void Group::on_message(NodeId seat, std::span<const std::uint8_t> message) {
  const Life from{mesh_->incarnation_of(seat)};
  if (!is_view_frame(message)) return handlers_.on_message(seat, message);
  service_.on_frame(boot_clock_now(), from, message, orders_);
  if (service_.is_full(from) && held_.insert(seat).second) mesh_->hold(seat, true);
  carry_out();
}

void Group::on_up(NodeId seat) {
  const Life life{mesh_->incarnation_of(seat)};
  log(fmt::format("life {} at seat {} is here", life, number(seat) + 1));
  if (const auto at = unsent_.find(life); at != unsent_.end()) {
    const Unsent unsent = std::move(at->second);
    unsent_.erase(at);
    for (const Bytes& frame : unsent.frames) send(life, frame);
  }
  handlers_.on_up(seat, life);
  carry_out();
}

void Group::send(Life to, std::span<const std::uint8_t> frame) {
  const auto seat = seat_of(to);
  if (!seat || mesh_ == nullptr) return;  // Given up on: nobody listens.
  // A mesh queues for the process that it knows at a seat. For one it has yet to meet, we do.
  if (mesh_->incarnation_of(*seat) == number(to)) {
    if (!mesh_->send(*seat, frame)) service_.on_link_broken(boot_clock_now(), orders_);
    return;
  }
  Unsent& unsent = unsent_[to];
  if (unsent.bytes + frame.size() <= kMostUnacknowledged) {
    unsent.frames.emplace_back(frame.begin(), frame.end());
    unsent.bytes += frame.size();
  } else {
    service_.on_link_broken(boot_clock_now(), orders_);
  }
}

bool Group::is_seat_up(NodeId seat) const {
  if (mesh_ == nullptr || number(seat) >= kSeats || number(seat) == registrar_.me().seat) {
    return false;
  }
  return mesh_->is_up(seat);
}
void Group::tell(NodeId seat, std::span<const std::uint8_t> message) {
  // What does not fit is lost: only people's questions are told here.
  if (is_seat_up(seat)) (void)mesh_->send(seat, message);
}
const net::Stats& Group::links() const { return mesh_ ? mesh_->stats() : no_links_; }

// --- what the service has ordered ---

void Group::carry_out() {
  if (std::exchange(is_carrying_out_, true)) return;  // Whoever is at it goes on.
  for (int round = 0; round < 2; ++round) {
    while (!orders_.is_empty()) {
      const Orders now = std::exchange(orders_, {});
      for (const WaiterId waiter : now.lost) handlers_.on_lost(waiter);
      if (now.leased_until) handlers_.on_leased(*now.leased_until);
      for (const Orders::Grant& grant : now.grants) handlers_.on_granted(grant);
      for (const WaiterId waiter : now.recalled) handlers_.on_recalled(waiter);
      for (const WaiterId waiter : now.wanted) handlers_.on_wanted(waiter);
      {
        // Together, and at once: nothing is to be waited for.
        std::optional<net::Mesh::Turn> turn;
        if (mesh_ && !now.sends.empty()) turn.emplace(*mesh_);
        for (const Orders::Send& order : now.sends) send(order.to, now.bytes(order));
      }
      for (const EngineAsk& ask : now.asks) registrar_.carry_out(ask);
      for (const Orders::Complaint& complaint : now.complaints) {
        ++complaints_;
        if (logged_.size() < 1000 && logged_.insert(complaint.text).second) {
          log(fmt::format("life {}: {}", complaint.peer, complaint.text));
        }
      }
      if (now.begun) {
        const Roll& roll = service_.keeper().roll();
        log(fmt::format("view {} of {} members begins", roll.epoch, roll.members.size()));
        handlers_.on_view();
      }
      if (now.ended) {
        if (!leaving_until_) log("this life is over: what was held is lost");
        close_mesh();
        leaving_until_ ? handlers_.on_left() : enlist();
      }
      handlers_.on_settled();
    }
    if (round == 0 && !is_stopped_) {
      if (is_struck_off() && !registrar_.is_enlisting()) {
        close_mesh();
        enlist();
      }
      show_life();
      announce_if_connected();
      give_way_if_cut_off();
      strike_stale();
      drain();
      let_go_of_held();
    }
  }
  is_carrying_out_ = false;
  arm();
}

void Group::let_go_of_held() {
  for (auto at = held_.begin(); at != held_.end();) {
    if (service_.is_full(Life{mesh_->incarnation_of(*at)})) {
      ++at;
    } else {
      mesh_->hold(*at, false);
      at = held_.erase(at);
    }
  }
}

void Group::arm() {
  if (is_stopped_) return;
  const Instant now = boot_clock_now();
  // Not much later than it takes to notice that others do not reach us.
  Instant next = std::min(service_.next_deadline(), now + options_.times.ttl / 4);
  next = std::max(next, now + std::chrono::milliseconds{1});
  if (armed_ > now && armed_ <= next) return;
  armed_ = next;
  timer_.expires_after(next - now);
  timer_.async_wait([this](const error_code& cancelled) {
    if (cancelled || is_stopped_) return;
    armed_ = {};
    if (is_enlisted() && mesh_ == nullptr && registrar_.me().life == service_.keeper().self() &&
        service_.keeper().standing() == Standing::outside) {
      open_mesh();
    }
    service_.on_time(boot_clock_now(), orders_);
    carry_out();
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
  carry_out();
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
  carry_out();
}

void Group::drain() {
  if (!leaving_until_ || service_.keeper().is_leaving()) return;
  const Standing standing = service_.keeper().standing();
  if (standing == Standing::outside || standing == Standing::ended) {
    if (std::exchange(has_left_, true)) return;
    registrar_.withdraw([this] { handlers_.on_left(); });
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
    others.push_back({e, directory.reg.roll.has(e.life), is_self, is_self || is_up(e.life),
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
