// What a daemon does, from what its settings say.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "campaigns/election_id.h"
#include "console/log.h"
#include "daemon/node_config.h"
#include "net/address.h"
#include "serve/node_settings.h"

namespace hapax::cli {

struct NodePlan {
  NodeConfig config;
  std::optional<net::Address> metrics, page;
  LogOptions log;
};

// An error that says what to write.
Result<LogOptions> log_options_from(const NodeSettings& settings);
// Fills in what is not said; an error that says what is missing or wrong.
Result<NodePlan> plan_of(const NodeSettings& settings);
// The same as TOML: what --check-config prints, and --config reads.
std::string to_toml(const NodePlan& plan, const NodeSettings& settings);

// By its name; an error that lists them.
Result<ElectionId> election_from(const std::string& name);

}  // namespace hapax::cli
