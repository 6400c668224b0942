#include "serve/node_plan.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>
#include <unistd.h>
#include <utility>

#include "base/credentials.h"
#include "base/duration.h"
#include "base/file_text.h"
#include "engine/url.h"
#include "hapax/client.h"
#include "net/usual_folder.h"
#include "records/backup.h"
#include "records/directory.h"

namespace hapax::cli {
namespace {

// Leaves room for all epochs that can come after it.
constexpr std::uint64_t kHighestEpochGiven = std::uint64_t{1} << 48;

// The number of a member, from 1.
Result<Seat> member_from(const std::string& text, std::size_t size) {
  std::uint32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < 1 || value > size) {
    return error("--self {}: the members are 1 … {}, in the order of --members", text, size);
  }
  return Seat{value - 1};
}

Result<std::vector<net::Address>> addresses(const char* flag,
                                            const std::vector<std::string>& texts) {
  std::vector<net::Address> list;
  for (const std::string& text : texts) {
    auto address = net::find_address(text);
    if (!address) return error("--{}: {}", flag, address.error().message);
    list.push_back(std::move(*address));
  }
  return list;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// What only a group on an engine has.
Result<void> add_engine(NodeConfig& config, const NodeSettings& s) {
  const auto url = engine::parse_url(*s.engine);
  if (!url) return error("--engine: {}", url.error().message);
  config.engine = *s.engine;
  if (!s.listen && url->kind != engine::Kind::embedded) {
    return error("--listen is missing: where the other members reach us, as in --listen {}",
                 "10.0.0.1:7400");
  }
  if (!s.listen) config.listen = net::fresh_socket();
  if (s.advertise) {
    auto advertise = addresses("advertise", {*s.advertise});
    if (!advertise) return advertise.error();
    config.advertise = advertise->front();
  }
  config.name = s.name.value_or(host_name());
  if (config.name.empty() || config.name.size() > 64) {
    return error("--name has 1 … 64 characters");
  }
  if (s.seat) {
    const auto seat = member_from(*s.seat, kSeats);
    if (!seat) return error("--seat {}: seats are 1 … {}", *s.seat, kSeats);
    config.seat = number(*seat);
  }
  if (s.ttl) {
    const auto ttl = parse_duration(*s.ttl, "--ttl");
    if (!ttl) return ttl.error();
    config.times.ttl = Span{*ttl};
    if (config.times.ttl < kShortestTtl || config.times.ttl > std::chrono::hours{1}) {
      return error("--ttl {} is out of range; use 500ms … 1h", *s.ttl);
    }
  }
  if (s.engine_ca || s.engine_cert || s.engine_key) {
    config.engine_tls = net::TlsFiles{s.engine_ca.value_or(""), s.engine_cert.value_or(""),
                                      s.engine_key.value_or("")};
  }
  config.engine_user = s.engine_user.value_or("");
  if (s.engine_password_file) {
    std::ifstream file{*s.engine_password_file};
    if (!std::getline(file, config.engine_password)) {
      return error("--engine-password-file {} cannot be read", *s.engine_password_file);
    }
  }
  return {};
}

Result<bool> truth(const char* flag, const std::optional<std::string>& text) {
  if (text && *text != "true" && *text != "false") {
    return error("--{} is true or false, not {}", flag, *text);
  }
  return text == "true";
}

// What is taken from a copy of the records that the engine has lost.
Result<void> add_backup(NodeConfig& config, const std::string& path, const std::string& group) {
  const auto text = text_of_file(path);
  if (!text) return error("--restore: {}", text.error().message);
  auto backup = backup_in(*text);
  if (!backup) return error("--restore {}: {}", path, backup.error().message);
  if (backup->group != group) {
    return error("--restore {}: it is of group {}, and this member of group {}", path,
                 backup->group, group);
  }
  config.state.restored = std::move(*backup);
  return {};
}

// What is remembered, and what may be assumed if it is not.
Result<void> add_state(NodeConfig& config, const NodeSettings& s) {
  if (s.state) config.state.path = *s.state;
  const auto is_new = truth("new-group", s.new_group);
  if (!is_new) return is_new.error();
  config.state.is_new_group = *is_new;
  if (s.epoch_above) {
    std::uint64_t epoch = 0;
    const char* end = s.epoch_above->data() + s.epoch_above->size();
    const auto [stop, failed] = std::from_chars(s.epoch_above->data(), end, epoch);
    if (failed != std::errc{} || stop != end || epoch > kHighestEpochGiven) {
      return error("--epoch-above {}: a number up to {}, as a fence begins with", *s.epoch_above,
                   kHighestEpochGiven);
    }
    config.state.epoch_above = Epoch{epoch};
  }
  if (!s.restore) return {};
  if (!s.engine) return error("--restore is for a group on an engine, which has lost its records");
  return add_backup(config, *s.restore, s.group.value_or(config.group));
}

Result<void> add_sharing(NodeConfig& config, const NodeSettings& s) {
  if (s.socket_mode) {
    mode_t mode = 0;
    const char* end = s.socket_mode->data() + s.socket_mode->size();
    const auto [stop, failed] = std::from_chars(s.socket_mode->data(), end, mode, 8);
    if (failed != std::errc{} || stop != end || (mode & ~mode_t{0666}) != 0) {
      return error("--socket-mode {}: as for chmod, 0600, 0660 or 0666", *s.socket_mode);
    }
    config.sharing.mode = mode;
  }
  if (s.socket_group) {
    const auto group = group_named(*s.socket_group);
    if (!group) return error("--socket-group: {}", group.error().message);
    config.sharing.group = *group;
    if (!s.socket_mode) config.sharing.mode = 0660;
  }
  return {};
}

// Where this machine's own users ask over plain HTTP.
Result<std::optional<net::Address>> loopback_port(const char* flag, const char* why,
                                                  const std::optional<std::string>& text) {
  std::optional<net::Address> place;
  if (!text) return place;
  auto list = addresses(flag, {*text});
  if (!list) return list.error();
  if (!list->front().is_local() || list->front().is_unix()) {
    return error("--{} {}: {}; use 127.0.0.1:PORT", flag, *text, why);
  }
  place = std::move(list->front());
  return place;
}

Result<void> add_tls(NodeConfig& config, const NodeSettings& s) {
  const auto insecure = truth("insecure", s.insecure);
  if (!insecure) return insecure.error();
  config.is_insecure = *insecure;
  if (!s.ca && !s.cert && !s.key) return {};
  if (!s.ca || !s.cert || !s.key)
    return error("--ca, --cert and --key go together; give all three");
  config.tls = net::TlsFiles{*s.ca, *s.cert, *s.key};
  return {};
}

}  // namespace

Result<ElectionId> election_from(const std::string& name) {
  if (const auto id = election_named(name)) return *id;
  return error("--election: there is no election \"{}\"; there are {}", name, election_names());
}

Result<NodePlan> plan_of(const NodeSettings& s) {
  NodePlan plan;
  if (s.engine && (!s.members.empty() || s.self)) {
    return error("--engine finds the members by itself: leave out --members and --self");
  }
  if (s.engine) {
    if (const auto added = add_engine(plan.config, s); !added) return added.error();
  } else if (s.members.empty()) {
    return error("--members is missing: where each member is reached, as in {}; or --engine",
                 "--members 10.0.0.1:7400,10.0.0.2:7400,10.0.0.3:7400");
  } else {
    auto members = addresses("members", s.members);
    if (!members) return members.error();
    plan.config.members = std::move(*members);
    if (!s.self) return error("--self is missing: which of the members this is, from 1");
    const auto self = member_from(*s.self, plan.config.members.size());
    if (!self) return self.error();
    plan.config.self = *self;
  }
  if (const auto added = add_state(plan.config, s); !added) return added.error();
  if (s.listen) {
    auto listen = addresses("listen", {*s.listen});
    if (!listen) return listen.error();
    plan.config.listen = listen->front();
  }
  auto clients =
      addresses("clients", s.clients.empty() ? std::vector{Client::own_address()} : s.clients);
  if (!clients) return clients.error();
  plan.config.clients = std::move(*clients);
  if (s.group) plan.config.group = *s.group;
  if (const auto done = add_tls(plan.config, s); !done) return done.error();
  if (const auto done = add_sharing(plan.config, s); !done) return done.error();
  for (const std::string& rule : s.algorithm) {
    if (const auto added = plan.config.policy.add(rule); !added) {
      return error("--algorithm: {}", added.error().message);
    }
  }
  auto roles = Roles::parse(s.role);
  if (!roles) return error("--role: {}", roles.error().message);
  plan.config.roles = std::move(*roles);
  for (const std::string& rule : s.lock_delay) {
    if (const auto added = plan.config.lock_delays.add(rule); !added) {
      return error("--lock-delay: {}", added.error().message);
    }
  }
  if (s.default_algorithm) {
    if (const auto done = plan.config.policy.set_default(*s.default_algorithm); !done) {
      return error("--default-algorithm: {}", done.error().message);
    }
  }
  if (s.election) {
    const auto election = election_from(*s.election);
    if (!election) return election.error();
    plan.config.election = *election;
  }
  const auto log = log_options_from(s);
  if (!log) return log.error();
  plan.log = *log;
  const auto metrics =
      loopback_port("metrics", "metrics are shown on this machine only", s.metrics);
  if (!metrics) return metrics.error();
  plan.metrics = *metrics;
  const auto page = loopback_port(
      "page", "the live page is shown on this machine only (from elsewhere: ssh -L)", s.page);
  if (!page) return page.error();
  plan.page = *page;
  return plan;
}

Result<LogOptions> log_options_from(const NodeSettings& s) {
  LogOptions options;
  if (s.log_level) {
    const auto level = log_level_from(*s.log_level);
    if (!level) return level.error();
    options.level = *level;
  }
  if (s.log_format) {
    const auto format = log_format_from(*s.log_format);
    if (!format) return format.error();
    options.format = *format;
  }
  return options;
}

std::string to_toml(const NodePlan& plan, const NodeSettings& s) {
  const NodeConfig& config = plan.config;
  const auto array = [](const auto& list, const auto& text) {
    toml::array values;
    for (const auto& item : list) values.push_back(text(item));
    return values;
  };
  const auto shown = [](const net::Address& address) { return address.text(); };
  const auto same = [](const std::string& text) { return text; };
  std::string out;
  const auto line = [&](const char* key, const auto& value) {
    std::ostringstream text;
    text << toml::value{value};
    out += fmt::format("{} = {}\n", key, text.str());
  };
  const auto list = [&](const char* key, const toml::array& values) {
    std::ostringstream text;
    text << values;
    out += fmt::format("{} = {}\n", key, text.str());
  };
  if (config.engine) {
    line("engine", *config.engine);
    line("name", config.name);
    line("ttl", fmt::format("{}ms", config.times.ttl / std::chrono::milliseconds{1}));
    if (config.seat) line("seat", std::int64_t{*config.seat + 1});
    if (config.advertise) line("advertise", config.advertise->text());
    if (s.engine_ca) line("engine-ca", *s.engine_ca);
    if (s.engine_cert) line("engine-cert", *s.engine_cert);
    if (s.engine_key) line("engine-key", *s.engine_key);
    if (s.engine_user) line("engine-user", *s.engine_user);
    if (s.engine_password_file) line("engine-password-file", *s.engine_password_file);
  } else {
    line("self", std::int64_t{number(config.self) + 1});
    list("members", array(config.members, shown));
  }
  if (s.state) line("state", *s.state);
  if (config.state.is_new_group) line("new-group", true);
  if (s.epoch_above) line("epoch-above", *s.epoch_above);
  if (s.restore) line("restore", *s.restore);
  if (config.listen) line("listen", config.listen->text());
  list("clients", array(config.clients, shown));
  line("group", config.group);
  if (!s.algorithm.empty()) list("algorithm", array(s.algorithm, same));
  line("default-algorithm",
       s.default_algorithm.value_or(std::string{name_of(Policy{}.algorithm_for(""))}));
  line("election", std::string{name_of(config.election)});
  if (config.tls) {
    line("ca", config.tls->authority);
    line("cert", config.tls->certificate);
    line("key", config.tls->key);
  }
  if (config.is_insecure) line("insecure", true);
  if (!s.role.empty()) list("role", array(s.role, same));
  if (!s.lock_delay.empty()) list("lock-delay", array(s.lock_delay, same));
  if (s.socket_mode) line("socket-mode", *s.socket_mode);
  if (s.socket_group) line("socket-group", *s.socket_group);
  if (plan.metrics) line("metrics", plan.metrics->text());
  if (plan.page) line("page", plan.page->text());
  line("log-level", std::string{name_of(plan.log.level)});
  line("log-format", std::string{name_of(plan.log.format)});
  return out;
}

}  // namespace hapax::cli
