#include "node/view_members.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <functional>
#include <utility>

#include "engine/open.h"
#include "node/boot_clock.h"
#include "node/commit_probe.h"

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
           const engine::Engine& engine, const NodeConfig& config, const Members::Handlers& h) {
  constexpr milliseconds kSayEvery{5'000};
  for (auto said = std::chrono::steady_clock::now(); !done();) {
    io.restart();
    io.run_one_for(milliseconds{100});
    if (std::chrono::steady_clock::now() - said < kSayEvery) continue;
    said = std::chrono::steady_clock::now();
    h.log(fmt::format("waiting for the engine {}: {}", *config.engine, engine.health().said));
  }
  io.restart();
}

// What a commit takes; or why that is too long. Through an engine that has more patience than the
// member will have, so that a slow one is told from one that is away.
Result<Span> measure_commits(boost::asio::io_context& io, const engine::Url& url,
                             const NodeConfig& config, const Members::Handlers& handlers) {
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
      io, [&] { return probe.typical().has_value(); }, **engine, config, handlers);
  const Span commit = *probe.typical();
  if (const auto good = check_beats(config.times, commit); !good) return good.error();
  return commit;
}

}  // namespace

Result<std::unique_ptr<Members>> ViewMembers::create(boost::asio::io_context& io,
                                                     const NodeConfig& config, Handlers handlers) {
  const auto url = engine::parse_url(*config.engine);
  if (!url) return url.error();
  auto opened = engine::open(io, *url, engine_options(config));
  if (!opened) return opened.error();
  if (!config.listen) return error("--listen says where the other members reach us: HOST:PORT");
  std::unique_ptr<ViewMembers> made{new ViewMembers};
  made->url_ = *config.engine;
  made->engine_ = std::move(*opened);
  GroupOptions options;
  options.listen = *config.listen;
  options.advertise = config.advertise;
  options.name = config.name;
  options.seat = config.seat;
  options.group = config.group;
  options.tls = config.tls;
  options.policy = config.policy;
  options.times = config.times;
  options.log = handlers.log;
  Group::Handlers group;
  group.on_granted = [h = handlers.on_granted](const Orders::Grant& grant) {
    h(grant.waiter, grant.fence, grant.may_keep);
  };
  group.on_lost = handlers.on_lost;
  group.on_wanted = handlers.on_wanted;
  group.is_inside = handlers.is_inside;
  group.on_message = handlers.on_gossip;
  group.on_view = [] {};
  group.on_settled = handlers.on_settled;
  group.on_left = handlers.on_left;
  auto joined = Group::create(io, std::move(options), *made->engine_, std::move(group));
  if (!joined) return joined.error();
  made->group_ = std::move(*joined);
  if (config.only_check) return std::unique_ptr<Members>{std::move(made)};
  const auto commit = measure_commits(io, *url, config, handlers);
  if (!commit) return commit.error();
  made->group_->start();
  await(
      io, [&] { return made->group_->is_enlisted(); }, *made->engine_, config, handlers);
  made->self_ = made->group_->seat();
  const LeaseTimes& times = config.times;
  handlers.log(fmt::format(
      "TTL {} ms: what a member that dies has held is free after {} ms at most, with three members "
      "and commits of {} ms, as measured now",
      in_ms(times.ttl).count(), in_ms(times.worst_takeover(3, *commit)).count(),
      std::chrono::ceil<milliseconds>(*commit).count()));
  return std::unique_ptr<Members>{std::move(made)};
}

std::vector<NodeId> ViewMembers::others() const {
  std::vector<NodeId> others;
  for (const Group::Other& other : group_->others()) {
    if (other.is_member && !other.is_self) others.push_back(NodeId{other.who.seat});
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

Epoch ViewMembers::epoch() const { return group_->service().reg().roll.epoch; }

std::optional<NodeId> ViewMembers::leader() const {
  const Roll& roll = group_->service().reg().roll;
  for (const Group::Other& other : group_->others()) {
    if (!roll.members.empty() && other.who.life == roll.members.front()) {
      return NodeId{other.who.seat};
    }
  }
  return std::nullopt;
}

void ViewMembers::describe(session::State& state) const {
  session::ViewState view;
  view.engine = url_;
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
