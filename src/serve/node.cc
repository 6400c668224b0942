#include <csignal>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/counted.h"
#include "base/descriptor_limit.h"
#include "console/become.h"
#include "console/exit_status.h"
#include "console/log.h"
#include "daemon/daemon.h"
#include "engine/url.h"
#include "figures/figures_json.h"
#include "live/live.h"
#include "loop/signals.h"
#include "metrics/metrics.h"
#include "serve/commands.h"
#include "serve/health.h"
#include "serve/loop_lag.h"
#include "serve/node_plan.h"
#include "systemd/supervisor.h"

namespace hapax::cli {
namespace {

using std::chrono::milliseconds;

struct NodeArguments {
  NodeSettings flags;
  std::string members;  // With commas.
  std::string config;
  bool check_config = false;
  bool new_group = false;
  bool insecure = false;
};

template <class T>
T value_or_fail(Result<T> result, int status) {
  if (!result) throw Failure{status, result.error().message};
  return std::move(*result);
}

NodeSettings settings_from(const NodeArguments& a) {
  NodeSettings flags = a.flags;
  flags.members = split_at_commas(a.members);
  if (a.new_group) flags.new_group = "true";
  if (a.insecure) flags.insecure = "true";
  NodeSettings file;
  const char* named = std::getenv("HAPAX_CONFIG");
  const std::string path = a.config.empty() && named != nullptr ? named : a.config;
  if (!path.empty()) file = value_or_fail(settings_from_file(path), kBadUsage);
  return overlay(overlay(std::move(file), settings_from_environment()), flags);
}

// What can be changed while it runs. What makes no sense changes nothing.
void reload(const NodeArguments& a, Daemon& daemon) {
  try {
    const NodeSettings settings = settings_from(a);
    auto roles = Roles::parse(settings.role);
    const auto log = log_options_from(settings);
    if (!roles || !log) {
      const std::string& wrong = !roles ? roles.error().message : log.error().message;
      return log_line("the roles stay as they were: " + wrong, LogLevel::error);
    }
    set_log(*log);
    daemon.set_roles(std::move(*roles));
    log_line(fmt::format("roles read again: {} lines", settings.role.size()));
    const auto until = daemon.renew_certificate();
    if (!until) {
      log_line("the certificate stays as it was: " + until.error().message, LogLevel::error);
    } else if (*until) {
      log_line(fmt::format("certificate read again: good until {:%Y-%m-%d}",
                           fmt::gmtime(std::chrono::system_clock::to_time_t(**until))));
    }
  } catch (const Failure& e) {
    log_line(fmt::format("the roles stay as they were: {}", e.what()), LogLevel::error);
  }
}

// Alive is who answers; ready is who grants locks. Both say why.
HttpPages pages_of(const Daemon& daemon, const LoopLag& lag) {
  const auto began = std::chrono::steady_clock::now();
  return {{"/metrics", [&] { return HttpPage{metrics_text(daemon.facts(), lag.seen())}; }},
          {"/healthz",
           [began] {
             const auto age = std::chrono::steady_clock::now() - began;
             return HttpPage{fmt::format("alive, for {} s\n", age / std::chrono::seconds{1})};
           }},
          {"/readyz", [&] {
             const std::string obstacle = daemon.obstacle();
             if (!obstacle.empty()) return HttpPage{obstacle + "\n", false};
             const auto facts = daemon.facts();
             const auto lease = facts->lease ? fmt::format("a lease for another {} ms, ",
                                                           facts->lease->left / milliseconds{1})
                                             : "";
             return HttpPage{fmt::format("ready: {}view {} of {}\n", lease, number(facts->epoch),
                                         counted(facts->view_size, "member"))};
           }}};
}

live::LiveHost page_host(Daemon& daemon) {
  return {.has_started = [&] { return daemon.facts().has_value(); },
          .roles = [&]() -> const Roles& { return daemon.roles(); },
          .state = [&] { return daemon.state(); },
          .figures = [&] { return figures_json(*daemon.facts()); },
          .ask_how_all_are = [&](auto tell) { return daemon.ask_how_all_are(std::move(tell)); },
          .who = [&](auto& name, auto tell) { return daemon.who(name, std::move(tell)); },
          .all_locks = [&](auto tell) { return daemon.all_locks(std::move(tell)); },
          .record = [&](const std::string& name, auto duration,
                        auto tell) { return daemon.record(name, duration, std::move(tell)); }};
}

// What it does, for `systemctl status`.
std::string status_line(const Daemon& daemon) {
  const auto state = daemon.state();
  return fmt::format("view {}: {}; {} held, {} waiting", state.epoch,
                     state.view ? state.view->standing : state.standing, state.held, state.waiting);
}

// Until SIGTERM or SIGINT.
int serve(NodePlan plan, const NodeArguments& a) {
  raise_descriptor_limit();
  Loop io;
  Signals hang_up{io, {SIGHUP}};  // From the start: it never ends us.
  const std::string here = plan.config.engine
                               ? fmt::format("{} of group {}", plan.config.name, plan.config.group)
                               : fmt::format("member {} of {}", number(plan.config.self) + 1,
                                             plan.config.members.size());
  const auto warnings = plan.config.policy.warnings();
  std::string clients;
  for (const auto& address : plan.config.clients) clients += ' ' + address.text();
  std::unique_ptr<live::Live> live;  // Outlives the daemon, whose log it hears.
  const auto daemon = value_or_fail(Daemon::create(io, std::move(plan.config),
                                                   [&](const std::string& line, LogLevel level) {
                                                     log_line(line, level);
                                                     if (live) live->note(line, level);
                                                   }),
                                    kBadUsage);
  LoopLag lag{io, [](auto late) {
                log_line(fmt::format("the loop was {} ms late: this machine is overloaded, or was "
                                     "stopped for a while",
                                     late / milliseconds{1}),
                         LogLevel::warning);
              }};
  const auto supervisor = value_or_fail(
      systemd::Supervisor::find(io, [&] { return status_line(*daemon); }), kUnavailable);
  std::unique_ptr<Health> health;
  if (plan.metrics) {
    health = value_or_fail(Health::open(io, *plan.metrics, pages_of(*daemon, lag)), kUnavailable);
  }
  if (plan.page) {
    live = value_or_fail(live::Live::open(io, *plan.page, page_host(*daemon)), kUnavailable);
    daemon->on_page([&](const Caller& caller) { return live->place_for(caller); });
  }
  if (const auto started = daemon->start(); !started) {
    throw Failure{kUnavailable, started.error().message};
  }
  for (const std::string& warning : warnings) log_line(warning, LogLevel::warning);
  if (health) log_line(fmt::format("metrics at http://{}/metrics", health->address().text()));
  if (live) {
    log_line(fmt::format("live page at http://{}/: `hapax live` says how you get in",
                         live->address().text()));
  }
  log_line(fmt::format("{} serves clients at{}", here, clients));
  lag.start();
  supervisor->ready();
  Signals signals{io, {SIGTERM, SIGINT}};
  bool is_over = false;
  const std::function<void()> on_hang_up = [&] {
    hang_up.await([&](int) {
      if (is_over) return;
      reload(a, *daemon);
      on_hang_up();
    });
  };
  on_hang_up();
  const auto end = [&] {
    is_over = true;
    hang_up.cancel();
    lag.stop();
    supervisor->close();
    if (health) health->close();
    if (live) live->close();
    daemon->stop();
  };
  // Locks are given back by those who hold them: they are told to. If you are in a hurry, say so
  // twice.
  signals.await([&](int signal) {
    log_line(fmt::format("{} ends when its clients have left: signal {}", here, signal));
    supervisor->stopping();
    daemon->wind_up();
    signals.await([&](int again) {
      log_line(fmt::format("{} ends at once: signal {}", here, again));
      end();
    });
  });
  daemon->on_left([&] {
    log_line(fmt::format("{} has left", here));
    signals.cancel();
    end();
  });
  daemon->run();
  return kHolds;
}

// Their libraries are many, and whoever only asks a daemon should not load them.
void hand_over_other_engines(const Start& start, const NodeConfig& config) {
  if (start.for_others == nullptr || !config.engine) return;
  const engine::Kind kind = engine::parse_url(*config.engine).value().kind;  // It was read before.
  if (engine::find(start.engines, kind) != nullptr) return;
  become(start.for_others, start.argv, fmt::format("a member on {}", name_of(kind)));
}

int run_node(const Start& start, const NodeArguments& a) {
  const NodeSettings settings = settings_from(a);
  NodePlan plan = value_or_fail(plan_of(settings), kBadUsage);
  plan.config.engines = start.engines;
  hand_over_other_engines(start, plan.config);
  set_log(plan.log);
  if (!a.check_config) return serve(std::move(plan), a);
  Loop io;
  // Reads the certificates and refuses what starting would; opens nothing.
  value_or_fail(Daemon::create(io, plan.config, {}), kBadUsage);
  fmt::print("{}", to_toml(plan, settings));
  return kHolds;
}

Command describe_node(NodeArguments& a) {
  Command command{"node", "Be a member of a group: a daemon, until SIGTERM", kLockGroup};

  NodeSettings& flags = a.flags;
  command.add("--self", &flags.self, "Which of the members this is, from 1");
  command.add("--members", &a.members,
              "Where each member is reached, in the same order everywhere: A1,A2,A3");
  command.add("--state", &flags.state,
              "What this member has promised, or seen in its engine, across restarts; in "
              "$XDG_STATE_HOME/hapax, /var/lib/hapax or ~/.local/state/hapax if not said",
              {.value = "FILE"});
  command.add("--new-group", &a.new_group,
              "No such group ran before, or all its members are stopped and nobody relies on what "
              "they granted. Waits for nobody; takes another list than before, and an embedded "
              "engine's file that is a copy");
  command.add("--epoch-above", &flags.epoch_above,
              "Fences begin above it, should the engine's records or all state files be lost",
              {.value = "EPOCH"});
  command.add("--restore", &flags.restore,
              "A file of `hapax backup`: the engine has lost its records, and this member puts "
              "settings and bans back; one member, once",
              {.value = "FILE"});
  command.add("--listen", &flags.listen,
              "Listen here: with --engine where the others reach us, else if not there. On the "
              "embedded engine a Unix socket in our own folder, if not said");
  command.add(
      "--clients", &flags.clients,
      "Serve programs here (repeatable), over TCP with TLS if there are certificates; else at "
      "$HAPAX_ADDRESS or the usual Unix socket",
      {.takes_one_each = true});
  command.add("--socket-mode", &flags.socket_mode,
              "Who may connect to the Unix sockets of --clients: 0600 if not said, 0660 with "
              "--socket-group, 0666 for all",
              {.value = "MODE"});
  command.add("--socket-group", &flags.socket_group, "The group of these sockets",
              {.value = "GROUP"});
  command.add("--role", &flags.role,
              "WHO=RIGHTS, as in 'alice=lock,read on orders/*', 'client:billing=lock', "
              "'*=administer' (repeatable); all may lock and read if not said, and only this "
              "daemon's user and root administer",
              {.takes_one_each = true});
  command.add(
      "--lock-delay", &flags.lock_delay,
      "PATTERN=DURATION, as in 'orders/*=10s' (repeatable): how long a lock stays taken after "
      "a client of this daemon is gone without giving it back; none if not said",
      {.takes_one_each = true});
  command.add("--group", &flags.group, "Name of the group; members of others are refused");
  command.add("--algorithm", &flags.algorithm,
              "PATTERN=ALGORITHM, as in 'orders/*=maekawa' (repeatable); the first that "
              "matches. The same at all members",
              {.takes_one_each = true});
  command.add("--default-algorithm", &flags.default_algorithm,
              "For the other locks; carvalho-roucairol if not said");
  command.add("--election", &flags.election,
              "How the members of a list find who leads them: bully (if not said), "
              "ring-election or chang-roberts. The same at all members");
  command.add("--ca", &flags.ca, "The group's authority, PEM. Needed with --cert and --key",
              {.value = "FILE"});
  command.add("--cert", &flags.cert, "Our certificate, PEM", {.value = "FILE"});
  command.add("--key", &flags.key, "Its private key, PEM", {.value = "FILE"});
  command.add("--insecure", &a.insecure,
              "Plain TCP on this machine: any of its users may then pose as a member or a client");
  const char* const views = "Members that come and go";
  command.add("--engine", &flags.engine,
              "Find the others through it: etcd://H1:2379,H2:2379 | zookeeper://H1:2181 | "
              "embedded:PATH (this machine only)",
              {.group = views});
  command.add("--advertise", &flags.advertise, "Where the others reach us, if not at --listen",
              {.group = views});
  command.add("--name", &flags.name, "For people; the host's if not said", {.group = views});
  command.add("--seat", &flags.seat,
              "1 … 64; the lowest free one if not said; with TLS, the certificate's",
              {.group = views});
  command.add("--ttl", &flags.ttl,
              "How long a lease lasts, 500ms or more, as the engine allows; 5s if not said. "
              "The same at all members",
              {.group = views});
  command.add("--engine-ca", &flags.engine_ca, "Authority of the engine's servers, PEM",
              {.group = views, .value = "FILE"});
  command.add("--engine-cert", &flags.engine_cert, "Our certificate for the engine, PEM",
              {.group = views, .value = "FILE"});
  command.add("--engine-key", &flags.engine_key, "Its private key, PEM",
              {.group = views, .value = "FILE"});
  command.add("--engine-user", &flags.engine_user, "Log in to the engine as", {.group = views});
  command.add("--engine-password-file", &flags.engine_password_file,
              "Whose first line is the password", {.group = views, .value = "FILE"});
  command.add("--metrics", &flags.metrics,
              "Answer GET /metrics, /healthz (alive) and /readyz (grants locks) here: "
              "127.0.0.1:PORT");
  command.add("--page", &flags.page,
              "Show a live page of the group here, 127.0.0.1:PORT, to whom `hapax live` lets in");
  command.add("--log-level", &flags.log_level,
              "debug, info (if not said), warning or error, and what is worse", {.value = "LEVEL"});
  command.add("--log-format", &flags.log_format, "text (if not said) or json, a line each",
              {.value = "FORMAT"});
  command.add("--config", &a.config,
              "Settings from this TOML file: the names of the flags without --");
  command.add("--check-config", &a.check_config, "Print the settings in force as TOML, and end");
  command.footer =
      "Examples:\n"
      "  hapax node --self 1 --members unix:one,unix:two\n"
      "  hapax node --config hapax.toml --metrics 127.0.0.1:9464\n"
      "  hapax node --engine embedded:/var/lib/hapax/group.db\n"
      "  hapax node --engine etcd://10.0.0.5:2379 --listen 10.0.0.1:7400 --ca ca.pem --cert m1.pem "
      "--key m1.key\n"
      "  hapax node --config hapax.toml --check-config\n"
      "A file is overridden by the environment (HAPAX_SELF, HAPAX_MEMBERS, …), and that by flags.\n"
      "An address is unix:/PATH, unix:NAME (in $XDG_RUNTIME_DIR, /run/hapax or ~/.cache/hapax), "
      "or\n"
      "HOST:PORT with --ca, --cert and --key, as `hapax certs` makes them.\n"
      "SIGHUP makes it read its roles and the level of its log again.\n"
      "Exit status: 0 stopped by SIGTERM or SIGINT, 64 usage or settings, 69 an address or the "
      "seat is\ntaken.";
  return command;
}

}  // namespace

Command node_command(const Start& start) {
  return make_command(describe_node,
                      [start](const NodeArguments& a) { return run_node(start, a); });
}

}  // namespace hapax::cli
