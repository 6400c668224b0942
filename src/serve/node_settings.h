// A daemon's settings as people write them: in a TOML file, in the environment, as flags. A later
// source overrides an earlier one, setting by setting.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hapax::cli {

// Names are those of the flags. Nothing, or an empty list: not said here.
struct NodeSettings {
  std::optional<std::string> self;  // From 1.
  std::vector<std::string> members;
  std::optional<std::string> listen;
  std::vector<std::string> clients;
  std::optional<std::string> group;
  std::vector<std::string> algorithm;   // PATTERN=ALGORITHM.
  std::vector<std::string> role;        // WHO=RIGHTS on PATTERNS.
  std::vector<std::string> lock_delay;  // PATTERN=DURATION.
  std::optional<std::string> default_algorithm;
  std::optional<std::string> election;
  std::optional<std::string> state, new_group, epoch_above, restore;
  std::optional<std::string> ca, cert, key, insecure;
  std::optional<std::string> socket_mode, socket_group;
  std::optional<std::string> metrics, page, log_level, log_format;
  std::optional<std::string> engine, advertise, name, seat, ttl;
  std::optional<std::string> engine_ca, engine_cert, engine_key, engine_user, engine_password_file;
};

Result<NodeSettings> settings_from_file(const std::string& path);
// What is in the file of that name.
Result<NodeSettings> settings_in(std::string_view text, const std::string& path);
// HAPAX_SELF, HAPAX_MEMBERS, …; lists with commas.
NodeSettings settings_from_environment();
// What `above` says, and the rest from `below`.
NodeSettings overlay(NodeSettings below, const NodeSettings& above);

// a,b,c as three.
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace hapax::cli
