// `hapax up`: the two kinds of groups that it can start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "campaigns/election_id.h"
#include "console/signals.h"
#include "hapax/client.h"
#include "locks/policy.h"

namespace hapax::cli {

struct UpArguments {
  std::uint32_t size = 3;
  std::vector<std::string> algorithm;
  std::string default_algorithm;
  std::string election{name_of(ElectionId{})};
  std::string clients_dir;
  std::string ttl = "5s";
  std::string page;  // Empty: none.
  bool fixed = false;
};

// What follows from them, and where everything is.
struct UpPlan {
  UpArguments arguments;
  Policy policy;
  ElectionId election;
  std::string usual;  // Where programs look by default.
  std::filesystem::path sockets, clients;
};

// Until a signal. Throw Failure.
void up_on_engine(const UpPlan& plan, Signals& signals);  // Daemons, each a process.
void up_fixed(const UpPlan& plan, Signals& signals);      // A list that never changes, in here.

void say_hello(const UpPlan& plan);
std::string counts_of(const GroupStatus& status);

}  // namespace hapax::cli
