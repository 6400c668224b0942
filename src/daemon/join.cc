#include "daemon/join.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

#include "base/boot_clock.h"
#include "engine/makers.h"
#include "engine/url.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "membership/commit_probe.h"
#include "membership/list_group.h"
#include "membership/member_state.h"

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
  options.adopts_copy = config.state.is_new_group;
  return options;
}

// Runs the loop until `done`, and says every now and then what is being waited for.
void await(Loop& io, const std::function<bool()>& done, const engine::Engine& engine,
           const NodeConfig& config, MemberHost& host) {
  constexpr milliseconds kSayEvery{5'000};
  for (auto said = std::chrono::steady_clock::now(); !done();) {
    io.restart();
    io.run_one_for(milliseconds{100});
    if (std::chrono::steady_clock::now() - said < kSayEvery) continue;
    said = std::chrono::steady_clock::now();
    const engine::Health health = engine.health();
    host.log(health.reachable
                 ? fmt::format("waiting for a seat: {} answers; a life of this member from before "
                               "may have it until its lease is over",
                               *config.engine)
                 : fmt::format("waiting for the engine {}: {}", *config.engine, health.said),
             LogLevel::warning);
  }
  io.restart();
}

// What a commit takes; or why that is too long. Through an engine that has more patience than the
// member will have, so that a slow one is told from one that is away. Nothing: no word by the
// time that somebody who cannot wait has set.
Result<std::optional<Span>> measure_commits(Loop& io, const engine::Url& url,
                                            const NodeConfig& config, MemberHost& host,
                                            const std::function<bool()>& is_too_late) {
  engine::Options options = engine_options(config);
  options.timeout = std::max(milliseconds{3'000}, in_ms(config.times.ttl));
  auto engine = engine::open(config.engines, io, url, options);
  if (!engine) return engine.error();
  Timer moment{io};
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

// REQUIRES: config.listen, or a list.
GroupOptions group_options(const NodeConfig& config) {
  GroupOptions options;
  if (!config.engine) {
    options.list = FixedList{config.self, config.members};
    options.election = name_of(config.election);
  }
  options.engine = config.engine.value_or("");
  options.state = config.state;
  options.state.serves_clients = !config.clients.empty();
  options.listen = config.listen ? *config.listen : config.members[number(config.self)];
  options.advertise = config.advertise;
  options.name = config.name;
  options.seat = config.seat;
  options.group = config.group;
  options.tls = config.tls;
  options.is_insecure = config.is_insecure;
  options.policy = config.policy;
  options.times = config.times;
  return options;
}

// An engine's member can do without a place to remember: the engine does.
GroupOptions engine_group_options(const NodeConfig& config) {
  GroupOptions options = group_options(config);
  if (!options.state.path.empty()) return options;
  options.state.is_usual_path = true;
  const auto path =
      usual_state_path(config.group, options.advertise.value_or(options.listen).text());
  if (path) options.state.path = *path;
  return options;
}

Result<Joined> join_list(Loop& io, const NodeConfig& config, MemberHost& host) {
  GroupOptions options = group_options(config);
  if (options.state.path.empty()) {
    auto path = usual_state_path(config.group, config.members[number(config.self)].text());
    if (!path) return path.error();
    options.state.path = std::move(*path);
  }
  auto group = ListGroup::create(io, std::move(options), host);
  if (!group) return group.error();
  if (const auto started = (*group)->start(); !started) return started.error();
  return Joined{nullptr, std::move(*group), nullptr};
}

}  // namespace

Result<void> check_group(Loop& io, const NodeConfig& config) {
  if (config.engine) {
    const auto url = engine::parse_url(*config.engine);
    if (!url) return url.error();
    if (const auto good = engine::check(config.engines, *url, engine_options(config)); !good) {
      return good.error();
    }
    if (!config.listen) return error("--listen says where the other members reach us: HOST:PORT");
  }
  return group_options(config).check(io);
}

Result<Joined> join(Loop& io, const NodeConfig& config, MemberHost& host) {
  if (!config.engine) return join_list(io, config, host);
  const engine::Url url = engine::parse_url(*config.engine).value();
  auto engine = engine::open(config.engines, io, url, engine_options(config));
  if (!engine) return engine.error();
  auto joined = EngineGroup::create(io, engine_group_options(config), **engine, host);
  if (!joined) return joined.error();
  EngineGroup& group = **joined;
  const auto began = std::chrono::steady_clock::now();
  const auto is_too_late = [&] {
    return config.enlist_within && std::chrono::steady_clock::now() - began > *config.enlist_within;
  };
  const auto commit = measure_commits(io, url, config, host, is_too_late);
  if (!commit) return commit.error();
  if (const auto started = group.start(); !started) return started.error();
  await(
      io, [&] { return group.is_enlisted() || !group.refusal().empty() || is_too_late(); },
      **engine, config, host);
  if (!group.is_enlisted()) {
    if (!group.refusal().empty()) return error("{}", group.refusal());
    return error("the engine {} does not let us in: {}", *config.engine, (*engine)->health().said);
  }
  const Span typical = commit->value_or(milliseconds{10});
  const LeaseTimes& times = group.options().times;
  host.log(fmt::format(
      "TTL {} ms: what a member that dies has held is free after {} ms at most, with three members "
      "and commits of {} ms, as measured now",
      in_ms(times.ttl).count(), in_ms(times.worst_takeover(3, typical)).count(),
      std::chrono::ceil<milliseconds>(typical).count()));
  return Joined{std::move(*engine), std::move(*joined), &group};
}

Result<std::unique_ptr<engine::Engine>> open_files(Loop& io, const NodeConfig& config) {
  if (!config.engine) {
    return error(
        "this group is a fixed list of members, which has no engine to keep files in; for files "
        "use one (`hapax node --engine`)");
  }
  engine::Options options = engine_options(config);
  options.part = "files";
  options.timeout = std::max(options.timeout, milliseconds{3'000});  // No lease hangs on it.
  return engine::open(config.engines, io, engine::parse_url(*config.engine).value(), options);
}

}  // namespace hapax
