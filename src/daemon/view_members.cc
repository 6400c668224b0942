#include "daemon/view_members.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <utility>

#include "base/boot_clock.h"
#include "engines/open.h"
#include "membership/commit_probe.h"

namespace hapax {

using std::chrono::milliseconds;

namespace {

milliseconds in_ms(Span span) { return std::chrono::duration_cast<milliseconds>(span); }

engine::Options engine_options(const NodeConfig& config) {
  engine::Options options;
  options.group = config.group;
  options.timeout = std::max(milliseconds{10}, in_ms(config.times.engine_limit()));
  if (config.engine_tls) {
    options.tls = engine::TlsFiles{config.engine_tls->authority, config.engine_tls->certificate,
                                   config.engine_tls->key};
  }
  options.user = config.engine_user;
  options.password = config.engine_password;
  return options;
}

// Runs the io_context until `done`, and says every now and then what is being waited for.
void await(boost::asio::io_context& io, const std::function<bool()>& done,
           const engine::Engine& engine, const NodeConfig& config, MemberHost& host) {
  constexpr milliseconds kSayEvery{5'000};
  for (auto said = std::chrono::steady_clock::now(); !done();) {
    io.restart();
    io.run_one_for(milliseconds{100});
    if (std::chrono::steady_clock::now() - said < kSayEvery) continue;
    said = std::chrono::steady_clock::now();
    host.log(fmt::format("waiting for the engine {}: {}", *config.engine, engine.health().said));
  }
  io.restart();
}

// What a commit takes; or why that is too long. Through an engine that has more patience than the
// member will have, so that a slow one is told from one that is away. Nothing: no word by the
// time that somebody who cannot wait has set.
Result<std::optional<Span>> measure_commits(boost::asio::io_context& io, const engine::Url& url,
                                            const NodeConfig& config, MemberHost& host,
                                            const std::function<bool()>& is_too_late) {
  engine::Options options = engine_options(config);
  options.timeout = std::max(milliseconds{3'000}, in_ms(config.times.ttl));
  auto engine = engine::open(io, url, options);
  if (!engine) return engine.error();
  boost::asio::steady_timer moment{io};
  const auto later = [&moment](std::function<void()> then) {
    moment.expires_after(milliseconds{100});
    moment.async_wait([then = std::move(then)](const boost::system::error_code& cancelled) {
      if (!cancelled) then();
    });
  };
  CommitProbe probe{**engine, {boot_clock_now, later}, config.times.slowest_commit()};
  probe.start();
  await(
      io, [&] { return probe.typical().has_value() || is_too_late(); }, **engine, config, host);
  if (!probe.typical()) return std::optional<Span>{};
  const Span commit = *probe.typical();
  if (const auto good = check_beats(config.times, commit); !good) return good.error();
  return std::optional{commit};
}

// REQUIRES: config.listen.
GroupOptions group_options(const NodeConfig& config) {
  GroupOptions options;
  options.listen = *config.listen;
  options.advertise = config.advertise;
  options.name = config.name;
  options.seat = config.seat;
  options.group = config.group;
  options.tls = config.tls;
  options.policy = config.policy;
  options.times = config.times;
  return options;
}

}  // namespace

ViewMembers::ViewMembers(boost::asio::io_context& io, const NodeConfig& config, engine::Url url,
                         MemberHost& host)
    : io_(io), config_(config), url_(std::move(url)), host_(host) {}

Result<std::unique_ptr<Members>> ViewMembers::create(boost::asio::io_context& io,
                                                     const NodeConfig& config, MemberHost& host) {
  auto url = engine::parse_url(*config.engine);
  if (!url) return url.error();
  if (const auto good = engine::check(*url, engine_options(config)); !good) return good.error();
  if (!config.listen) return error("--listen says where the other members reach us: HOST:PORT");
  if (const auto good = group_options(config).check(io); !good) return good.error();
  return std::unique_ptr<Members>{new ViewMembers{io, config, std::move(*url), host}};
}

Result<void> ViewMembers::start() {
  auto opened = engine::open(io_, url_, engine_options(config_));
  if (!opened) return opened.error();
  engine_ = std::move(*opened);
  auto joined = Group::create(io_, group_options(config_), *engine_, host_);
  if (!joined) return joined.error();
  group_ = std::move(*joined);
  const auto began = std::chrono::steady_clock::now();
  const auto is_too_late = [&] {
    return config_.enlist_within &&
           std::chrono::steady_clock::now() - began > *config_.enlist_within;
  };
  const auto commit = measure_commits(io_, url_, config_, host_, is_too_late);
  if (!commit) return commit.error();
  group_->start();
  await(
      io_, [&] { return group_->is_enlisted() || !group_->refusal().empty() || is_too_late(); },
      *engine_, config_, host_);
  if (!group_->is_enlisted()) {
    if (!group_->refusal().empty()) return error("{}", group_->refusal());
    return error("the engine {} does not let us in: {}", *config_.engine, engine_->health().said);
  }
  self_ = group_->seat();
  const LeaseTimes& times = config_.times;
  const Span typical = commit->value_or(milliseconds{10});
  host_.log(fmt::format(
      "TTL {} ms: what a member that dies has held is free after {} ms at most, with three members "
      "and commits of {} ms, as measured now",
      in_ms(times.ttl).count(), in_ms(times.worst_takeover(3, typical)).count(),
      std::chrono::ceil<milliseconds>(typical).count()));
  return {};
}

std::vector<Seat> ViewMembers::others() const {
  std::vector<Seat> others;
  for (const Group::Other& other : group_->others()) {
    if (other.is_member && !other.is_self) others.push_back(Seat{other.who.seat});
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

Epoch ViewMembers::epoch() const { return group_->service().reg().roll.epoch; }

std::optional<Seat> ViewMembers::leader() const {
  const Roll& roll = group_->service().reg().roll;
  for (const Group::Other& other : group_->others()) {
    if (!roll.members.empty() && other.who.life == roll.members.front()) {
      return Seat{other.who.seat};
    }
  }
  return std::nullopt;
}

void ViewMembers::describe(session::State& state) const {
  session::ViewState view;
  view.engine = *config_.engine;
  const engine::Health health = group_->health();
  view.engine_reachable = health.reachable;
  view.engine_said = health.said;
  view.ttl_ms = static_cast<std::uint64_t>(ttl().count());
  if (const auto left = lease_left()) view.lease_ms = static_cast<std::uint64_t>(left->count());
  view.in_jeopardy = group_->is_in_jeopardy();
  const Keeper& keeper = group_->service().keeper();
  view.standing = std::string{name_of(keeper.standing())};
  for (const Group::Other& other : group_->others()) {
    view.lives.push_back({number(other.who.life), other.who.seat, other.who.name, other.who.address,
                          other.is_member, other.is_up, other.is_evicted, other.who.beat});
  }
  state.view = std::move(view);
}

std::optional<milliseconds> ViewMembers::lease_left() const {
  const auto left = group_->lease_left();
  return left ? in_ms(*left) : milliseconds{0};
}
milliseconds ViewMembers::ttl() const { return in_ms(group_->times().ttl); }

Result<void> ViewMembers::leave(milliseconds patience) {
  group_->leave(patience);
  return {};
}

void ViewMembers::evict(const std::string& whom, std::function<void(std::string)> done) {
  std::vector<Life> found;
  for (const Group::Other& other : group_->others()) {
    if (other.who.name == whom || fmt::format("{}", other.who.life) == whom) {
      found.push_back(other.who.life);
    }
  }
  if (found.empty()) return done(fmt::format("there is no member {}; see `hapax members`", whom));
  if (found.size() > 1) {
    return done(fmt::format("{} members are called {}; name one by its life", found.size(), whom));
  }
  group_->evict(found.front(), [done = std::move(done)](Outcome outcome) {
    switch (outcome) {
      case Outcome::committed:
        return done("");
      case Outcome::conflict:
        return done("it has just gone by itself");
      case Outcome::unknown:
        return done("the engine did not answer: look with `hapax members` whether it was marked");
    }
  });
}

}  // namespace hapax
