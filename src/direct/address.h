// Where an engine is and how it is used, from what a client is told.
#pragma once

#include <string>

#include "engine/options.h"
#include "engine/url.h"
#include "hapax/client.h"

namespace hapax::direct {

struct EngineAddress {
  engine::Url url;
  engine::Options options;

  engine::Options options_for_files() const;
};

// Throws std::system_error: bad_address.
EngineAddress engine_address(const std::string& address, const ClientOptions& options);
// Throws std::system_error: bad_address.
void check_ttl(const ClientOptions& options);
[[noreturn]] void bad_address(const std::string& why);

}  // namespace hapax::direct
