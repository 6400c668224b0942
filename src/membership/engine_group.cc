#include "membership/engine_group.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/boot_clock.h"
#include "base/counted.h"
#include "base/printable.h"
#include "engine/url.h"
#include "loop/loop.h"
#include "net/listener.h"

namespace hapax {

using boost::system::error_code;

Result<std::unique_ptr<EngineGroup>> EngineGroup::create(Loop& io, GroupOptions options,
                                                         engine::Engine& engine, MemberHost& host) {
  if (const auto good = options.check(io); !good) return good.error();
  if (options.tls) options.seat = number(net::member_in(*options.tls).value());
  return std::unique_ptr<EngineGroup>{new EngineGroup{io, std::move(options), engine, host}};
}

EngineGroup::EngineGroup(Loop& io, GroupOptions options, engine::Engine& engine, MemberHost& host)
    : Group(io, std::move(options), host),
      service_(options_.policy, options_.times, host, options_.state.is_new_group),
      registrar_(engine, options_.settings(), options_.state.is_new_group, registrar_handlers()),
      upkeep_(service_, registrar_, options_.times,
              [this](Life life) { return links_.is_up(life); }),
      settings_(service_, registrar_, Settings{options_.times.ttl, options_.policy},
                [this](const std::vector<Enlisted>& lives) {
                  constexpr std::uint32_t kKnowSettings = 3;  // Of the members' wire.
                  std::vector<Life> all;
                  for (const Enlisted& e : lives) all.push_back(e.life);
                  return links_.all_speak(kKnowSettings, all);
                }),
      lease_news_(options_.engine, options_.times,
                  [this](const std::string& line, LogLevel level) { log(line, level); }),
      timer_(io),
      seat_timer_(io) {}

EngineGroup::~EngineGroup() = default;

Registrar::Handlers EngineGroup::registrar_handlers() {
  return {
      .on_directory = [this](const Directory& d) { on_directory(d); },
      .on_unreadable =
          [this](const std::string& why) {
            if (is_stopped_) return;
            host_.log_once("cannot read the group's records: " + why);
            service_.on_unreadable(boot_clock_now(), orders_);
            tend();
          },
      .on_gap = [this] { service_.look_anew(); },
      .on_committed =
          [this](const EngineAsk& ask, Outcome outcome) {
            if (is_stopped_) return;
            const Instant now = boot_clock_now();
            counts_.note_commit(now - ask.sent);
            ++counts_.outcomes[static_cast<std::size_t>(outcome)];
            service_.on_committed(now, ask, outcome, orders_);
            tend();
          },
      .on_enlisted = [this](const Enlisted& me) { on_enlisted(me); },
      .on_went_back = [this] { on_went_back(); },
      .on_refused =
          [this](const std::string& theirs) {
            refusal_ = fmt::format(
                "the group {} runs with {}; this member was given {}: give all of "
                "them the same, or stop them all first; one that died counts until a member "
                "with the old settings has cleared it away",
                options_.group, theirs, settings_.given().text());
            if (is_enlisted()) host_.log_once(refusal_);
          },
      .on_not_enlisted =
          [this] { host_.log_once("cannot enlist, and tries again: " + registrar_.health().said); },
      .on_taken =
          [this](const Enlisted& owner) {
            refusal_ = fmt::format(
                "seat {} is taken by {}, life {} at {}, which is alive: give each member a seat "
                "of its own, and with TLS a certificate of its own",
                owner.seat + 1, owner.name, owner.life, owner.address);
            if (is_enlisted()) host_.log_once(refusal_);
          },
      .on_banned =
          [this](const Ban& ban) {
            refusal_ = fmt::format(
                "{}, seat {}, is banned from group {} by {}, and stays out until `hapax evict {} "
                "--unban` at another member",
                ban.name, ban.seat + 1, options_.group, ban.by, ban.name);
            if (is_enlisted()) host_.log_once(refusal_);
          },
      .after_a_lease =
          [this](std::function<void()> then) {
            seat_timer_.expires_after(longest_ttl());
            seat_timer_.async_wait([this, then = std::move(then)](const error_code& cancelled) {
              if (!cancelled && !is_stopped_) then();
            });
          }};
}

Result<void> EngineGroup::start() {
  // Before anybody counts on us. Later on it may be taken for a moment, by our former life.
  const auto probe = net::Listener::open(io_, options_.listen, {});
  if (!probe) return probe.error();
  (*probe)->close();
  if (const auto recalled = recall(); !recalled) return recalled.error();
  options_.state.restored ? restore() : enlist();
  return {};
}

void EngineGroup::stop() {
  if (is_stopped_) return;
  timer_.cancel();
  seat_timer_.cancel();
  Group::stop();
  // Not from within what the engine or its watch has called.
  io_.post([this, weak = std::weak_ptr{alive_}] {
    if (!weak.expired()) registrar_.stop();
  });
}

// --- what is remembered ---

Result<void> EngineGroup::recall() {
  const StatePlan& plan = options_.state;
  if (plan.path.empty()) return {};
  auto file = StateFile::open(plan.path);
  if (!file) {
    if (!plan.is_usual_path) return file.error();
    log("views are not remembered across runs of this member: " + file.error().message,
        LogLevel::warning);
    return {};
  }
  file_.emplace(std::move(*file));
  const auto& found = file_->state();
  if (found && found->settings == options_.where()) seen_ = found->promised;
  return {};
}

// Before anything of that view is sent, so that no fence of it was given out that nobody remembers.
void EngineGroup::remember(Epoch epoch) {
  if (epoch <= seen_) return;
  seen_ = epoch;
  if (!file_) return;
  const MemberState state{options_.where(), epoch, registrar_.me().life, false};
  if (const auto written = file_->write(state); !written) host_.log_once(written.error().message);
}

bool EngineGroup::may_have_lost_all() const {
  return registrar_.directory().reg.roll.members.empty() && !service_.is_new_group();
}

void EngineGroup::note_if_older(const Register& reg) {
  remember(reg.roll.epoch);
  if (std::exchange(is_older_, reg.roll.epoch < seen_) || !is_older_) return;
  notice_ = fmt::format("its records went back, from view {} to {}", seen_,
                        reg.version == 0 ? "none" : fmt::format("view {}", reg.roll.epoch));
  log(fmt::format("the engine was restored from an older copy, or wiped: {}. What was held here "
                  "is lost; the group begins anew, in later views",
                  notice_),
      LogLevel::error);
}

void EngineGroup::note_eviction(const Directory& directory) {
  const Life life = registrar_.me().life;
  const auto by = directory.evicted_by.find(life);
  if (by == directory.evicted_by.end() || std::exchange(evicted_, life) == life) return;
  const bool is_banned =
      std::any_of(directory.bans.begin(), directory.bans.end(),
                  [&](const Ban& ban) { return ban.seat == registrar_.me().seat; });
  log(fmt::format("evicted by {}: beats of life {} are refused, and what is held here is lost when "
                  "the lease is over; {}",
                  printable(by->second), life,
                  is_banned ? "banned, too: it stays out until that is lifted (`hapax evict "
                              "--unban`)"
                            : "it comes back as another life, unless it is stopped"),
      LogLevel::warning);
}

void EngineGroup::on_went_back() {
  if (is_stopped_) return;
  notice_ = "its records went back to what they were before";
  log("the engine was restored from an older copy, or wiped: " + notice_, LogLevel::error);
  service_.on_went_back(boot_clock_now(), orders_);
  tend();
}

// --- what happens ---

void EngineGroup::enlist() {
  registrar_.enlist(options_.advertise.value_or(options_.listen).text(), options_.name,
                    options_.seat);
}

void EngineGroup::on_enlisted(const Enlisted& me) {
  if (is_stopped_) return;
  refusal_.clear();
  host_.log(fmt::format("enlisted as life {} at seat {}", me.life, me.seat + 1));
  options_.seat = me.seat;
  if (may_have_lost_all()) {
    log(fmt::format(
        "by the engine, nobody is in group {}: its next view begins in {:.1f} s, when leases are "
        "over of which the engine may have lost the records; if there never was such a group, say "
        "--new-group",
        options_.group,
        std::chrono::duration<double>(service_.lease().longest().patience()).count()));
  }
  take_settings();
  service_.be_born(me.life, std::max(seen_, options_.state.epoch_above), &options_.policy);
  upkeep_.be_born();
  open_links();
  tend();
}

// Once more later if the address is taken.
void EngineGroup::open_links() {
  const Enlisted& me = registrar_.me();
  const auto opened = links_.open(Seat{me.seat}, me.life);
  const std::string wrong = opened ? "" : opened.error().message;
  if (std::exchange(cannot_listen_, wrong) != wrong && !opened) {
    log(wrong, LogLevel::error);
  }
}

void EngineGroup::on_directory(const Directory& directory) {
  if (is_stopped_) return;
  note_if_older(directory.reg);
  note_eviction(directory);
  links_.learn(directory);
  const bool is_here = links_.is_open() && service_.keeper().self() == registrar_.me().life;
  if (is_here) links_.meet(directory);
  if (is_here && directory.set) follow_ttl(*directory.set);
  // Where there has been a view, its number may be that of an old copy, adopted or restored.
  const bool is_first = service_.is_new_group() && directory.reg.version == 0;
  const Epoch beyond = is_first ? Epoch{} : epoch_of_today();
  service_.on_register(boot_clock_now(), directory.reg, beyond, orders_);
  tend();
}

void EngineGroup::on_frame(Life from, std::span<const std::uint8_t> frame) {
  service_.on_frame(boot_clock_now(), from, frame, orders_);
}

void EngineGroup::on_up(Seat seat, Life life) {
  note_met(seat, life);
  tend();
}

void EngineGroup::on_link_broken() { service_.on_link_broken(boot_clock_now(), orders_); }

// Who is not in it any more has lost what it had. The view that begins may be one that we have
// committed and not read yet.
void EngineGroup::on_view() {
  const Roll& roll = service_.keeper().roll();
  follow_settings();
  std::set<Seat> seats;
  for (const Enlisted& e : registrar_.directory().lives) {
    if (roll.has(e.life)) seats.insert(Seat{e.seat});
  }
  for (const Seat seat : std::exchange(seats_in_view_, seats)) {
    if (!seats.contains(seat)) host_.on_forgotten(seat);
  }
}

void EngineGroup::on_time() {
  armed_ = {};
  const Keeper& keeper = service_.keeper();
  if (is_enlisted() && !links_.is_open() && registrar_.me().life == keeper.self() &&
      keeper.standing() == Standing::outside) {
    open_links();
  }
  service_.on_time(boot_clock_now(), orders_);
  tend();
}

// --- what comes of it ---

void EngineGroup::conclude(const Orders& orders) {
  for (const EngineAsk& ask : orders.asks) registrar_.carry_out(ask);
  if (orders.begun) on_view();
  if (!orders.ended) return;
  if (!is_leaving_)
    log("this life is over: what was held is lost; another begins", LogLevel::error);
  links_.close();
  is_leaving_ ? host_.on_left() : enlist();
}

void EngineGroup::see_to_membership() {
  const Instant now = boot_clock_now();
  if (upkeep_.is_struck_off() && !registrar_.is_enlisting()) {
    links_.close();
    enlist();
  }
  if (links_.is_open() && !is_leaving_ && upkeep_.may_announce(now)) {
    service_.announce(now, orders_);
  } else if (!registrar_.me().announced && upkeep_.is_time_to_show_life(now)) {
    registrar_.show_life();
  }
  if (const auto reach = upkeep_.reach(now)) {
    registrar_.set_reached(reach->members);
    if (reach->gives_way_to) {
      const Enlisted* other = registrar_.directory().find(*reach->gives_way_to);
      host_.log(
          fmt::format("{} (life {}) has been out of reach for a TTL: giving way to it",
                      other == nullptr ? "a member" : printable(other->name), *reach->gives_way_to),
          LogLevel::warning);
      service_.leave(now, orders_);
    }
  }
  for (const Enlisted& life : upkeep_.stale(now)) registrar_.strike(life);
  settings_.look(now);
  tell_news(now);
  drain();
  arm();
}

void EngineGroup::arm() {
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

Result<void> EngineGroup::ask(std::string_view name, WaiterId waiter, Want want) {
  return service_.acquire(boot_clock_now(), name, waiter, want, orders_);
}
Result<void> EngineGroup::give_back(std::string_view name, WaiterId waiter,
                                    std::optional<Turn> last) {
  return service_.release(boot_clock_now(), name, waiter, last, orders_);
}
Result<void> EngineGroup::withdraw(std::string_view name, WaiterId waiter) {
  return service_.abandon(boot_clock_now(), name, waiter, orders_);
}

void EngineGroup::take_away(const std::string& name, WaiterId waiter) {
  service_.lose(boot_clock_now(), name, waiter, orders_);
}

// --- going ---

void EngineGroup::leave(Span patience) {
  is_leaving_ = true;
  const Instant until = boot_clock_now() + patience;
  leaving_until_ = std::min(leaving_until_.value_or(until), until);
  tend();
}

void EngineGroup::drain() {
  if (!leaving_until_ || service_.keeper().is_leaving()) return;
  const Standing standing = service_.keeper().standing();
  if (standing == Standing::outside || standing == Standing::ended) {
    if (std::exchange(has_left_, true)) return;
    registrar_.withdraw([this] { host_.on_left(); });
    return;
  }
  const auto held = service_.views().held();
  if (held > 0 && boot_clock_now() < *leaving_until_) return;
  if (held > 0) {
    log(fmt::format("{} not given back in time, and lost", counted(held, "lock is", "locks are")),
        LogLevel::warning);
  }
  service_.leave(boot_clock_now(), orders_);
}

// --- for people ---

void EngineGroup::tell_news(Instant now) {
  const engine::Health engine = registrar_.health();
  const auto left = service_.lease_left(now);
  lease_news_.look(now, {.engine_answers = engine.reachable,
                         .engine_said = engine.said,
                         .has_lease = left.has_value(),
                         .in_jeopardy = service_.is_in_jeopardy(now),
                         .lease_left = left.value_or(Span{0}),
                         .lost_grants = service_.views().stats().lost_grants,
                         .is_leaving = is_leaving_});
  counts_.lease_losses = lease_news_.losses();
  for (const Life life : service_.keeper().roll().members) {
    if (const auto heard = service_.beats().changed_at(life)) view_news_.heard(life, *heard);
  }
}

std::string EngineGroup::name_for(Life life) const {
  const Enlisted* who = registrar_.directory().find(life);
  return who != nullptr && !who->name.empty() ? who->name : fmt::format("life {}", life);
}

std::string EngineGroup::why_gone(Life life) const {
  const auto& evicted = registrar_.directory().evicted;
  return std::find(evicted.begin(), evicted.end(), life) != evicted.end() ? "evicted" : "";
}

std::vector<EngineGroup::Other> EngineGroup::enlisted() const {
  std::vector<Other> all;
  const Directory& directory = registrar_.directory();
  for (const Enlisted& e : directory.lives) {
    const bool is_self = e.life == service_.keeper().self();
    all.push_back({e, directory.reg.roll.has(e.life), is_self, is_self || links_.is_up(e.life),
                   std::find(directory.evicted.begin(), directory.evicted.end(), e.life) !=
                       directory.evicted.end()});
  }
  return all;
}

std::vector<Seat> EngineGroup::others() const {
  std::set<Seat> others;
  for (const Other& other : enlisted()) {
    if (other.is_member && !other.is_self) others.insert(Seat{other.who.seat});
  }
  return {others.begin(), others.end()};
}

namespace {

std::function<void(Outcome)> in_words(std::function<void(std::string)> done) {
  return [done = std::move(done)](Outcome outcome) {
    switch (outcome) {
      case Outcome::committed:
        return done("");
      case Outcome::conflict:
        return done("it has just gone by itself");
      case Outcome::unknown:
        return done("the engine did not answer: look with `hapax members` whether it was marked");
    }
  };
}

}  // namespace

void EngineGroup::evict(const std::string& whom, Return return_,
                        std::function<void(std::string)> done) {
  std::vector<Enlisted> found;
  for (const Enlisted& e : registrar_.directory().lives) {
    if (e.name == whom || fmt::format("{}", e.life) == whom) found.push_back(e);
  }
  if (found.empty()) return done(fmt::format("there is no member {}; see `hapax members`", whom));
  if (found.size() > 1) {
    return done(fmt::format("{} members are called {}; name one by its life", found.size(), whom));
  }
  registrar_.change(return_ == Return::banned ? banning(found.front(), options_.name)
                                              : evicting(found.front().life, options_.name),
                    in_words(std::move(done)));
}

void EngineGroup::unban(const std::string& whom, std::function<void(std::string)> done) {
  for (const Ban& ban : directory().bans) {
    if (ban.name != whom && fmt::format("{}", ban.seat + 1) != whom) continue;
    if (Seat{ban.seat} == seat())
      return done("it is this member that is banned: ask at another one");
    return registrar_.change(lifting(ban), in_words(std::move(done)));
  }
  done(fmt::format("no member {} is banned; see `hapax members`", whom));
}

// Without a lease nothing is left of it.
std::optional<Span> EngineGroup::lease_left() const {
  return service_.lease_left(boot_clock_now()).value_or(Span{0});
}
engine::Health EngineGroup::health() const {
  engine::Health health = registrar_.health();
  if (!notice_.empty()) health.said += "; " + notice_;
  return health;
}

namespace {

// Those that beat: names, and what is wrong with the connections.
std::string alive_but_not_reached(const std::vector<EnlistedMember>& enlisted,
                                  const Service& service, const LifeLinks& links) {
  std::string names;
  for (const EnlistedMember& other : enlisted) {
    if (other.is_up || !service.is_fresh(other.who.life, boot_clock_now())) continue;
    const std::string trouble = links.trouble_with(Seat{other.who.seat});
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", other.who.name,
                         trouble.empty() ? "" : fmt::format(" ({})", trouble));
  }
  return names;
}

}  // namespace

std::string EngineGroup::standing() const {
  const Keeper& keeper = service_.keeper();
  if (keeper.standing() == Standing::announced && may_have_lost_all() && !keeper.founds()) {
    return "waiting for leases that the engine may have lost";
  }
  if (keeper.standing() == Standing::outside) {
    if (const auto names = alive_but_not_reached(enlisted(), service_, links_); !names.empty()) {
      return "outside: it joins when it is connected to " + names;
    }
  }
  Span until_over{0};
  for (const AwayMember& member : away()) until_over = std::max(until_over, *member.free_in);
  if (keeper.standing() == Standing::outside && until_over > Span{0}) {
    return fmt::format("waiting for leases from before, over in about {} s",
                       std::chrono::ceil<std::chrono::seconds>(until_over).count());
  }
  return std::string{name_of(keeper.standing())};
}
std::string EngineGroup::engine_trouble() const {
  const engine::Health engine = health();
  if (engine.reachable) return "";
  const auto url = engine::parse_url(options_.engine);
  const bool is_here = url && url->kind == engine::Kind::embedded;
  std::string place = options_.engine.substr(options_.engine.find(':') + 1);
  if (place.starts_with("//")) place.erase(0, 2);
  const std::string where = fmt::format("{} at {}",
                                        is_here ? "the embedded engine"
                                        : url   ? name_of(url->kind)
                                                : "the engine",
                                        place);
  const auto since = std::chrono::steady_clock::now() - engine.since;
  return fmt::format("{} does not answer since {} s ({})", where,
                     std::chrono::floor<std::chrono::seconds>(since).count(), engine.said);
}

// The latest life there: lives are in order.
std::string EngineGroup::name_at(Seat seat) const {
  const auto& lives = registrar_.directory().lives;
  const auto at = std::find_if(lives.rbegin(), lives.rend(),
                               [&](const Enlisted& e) { return Seat{e.seat} == seat; });
  return at == lives.rend() ? Group::name_at(seat) : "member " + at->name;
}

std::string EngineGroup::obstacle() const {
  const Keeper& keeper = service_.keeper();
  const bool has_lease = lease_left() > Span{0};
  if (is_leaving_) return "this member leaves its group; ask at another one";
  if (has_lease && keeper.may_grant()) return "";
  if (has_lease) return "a new view is about to begin, and waits for all its members";
  const std::string trouble = engine_trouble();
  if (!trouble.empty()) return fmt::format("no lease: {}; locks are granted when it does", trouble);
  if (!refusal_.empty()) return "no lease: " + refusal_;
  return fmt::format("no lease: this member is {}", standing());
}

// What is granted there is good until its lease is over, which is when its beat has stood still
// for long enough.
std::vector<AwayMember> EngineGroup::away() const {
  std::vector<AwayMember> away;
  const Instant now = boot_clock_now();
  for (const Other& other : enlisted()) {
    if (!other.is_member || other.is_up) continue;
    away.push_back({Seat{other.who.seat}, "member " + other.who.name,
                    service_.beats().overdue_in(other.who.life, now)});
  }
  return away;
}

bool EngineGroup::is_in_jeopardy() const { return service_.is_in_jeopardy(boot_clock_now()); }

}  // namespace hapax
