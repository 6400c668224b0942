#include "cli/reach.h"

#include <fmt/format.h>

#include "cli/exit_status.h"
#include "hapax/error.h"
#include "net/address.h"
#include "node/lock_name.h"

namespace hapax::cli {

void add_address(CLI::App& command, std::string& address) {
  command.add_option("--address", address,
                     "Where the daemon is: unix:/path or host:port; else $HAPAX_ADDRESS or the "
                     "usual Unix socket");
}

Client reach(const std::string& given) {
  const std::string address = given.empty() ? Client::default_address() : given;
  if (const auto parsed = net::parse_address(address); !parsed) {
    throw Failure{kBadUsage, fmt::format("--address: {}", parsed.error().message)};
  } else if (!parsed->is_local()) {
    throw Failure{kBadUsage, fmt::format("--address {}: a daemon is reached on its own machine "
                                         "only; use unix:/path or 127.0.0.1:PORT",
                                         address)};
  }
  try {
    return Client{address};
  } catch (const std::system_error& e) {
    if (e.code() == Errc::unreachable) {
      throw Failure{kUnavailable,
                    fmt::format("no daemon answers at {}; start one with `hapax up 3`", address)};
    }
    fail(e.code(), e.what());
  }
}

void fail(std::error_code error, const std::string& what) {
  if (error == Errc::bad_name || error == Errc::bad_address || error == Errc::bad_value)
    throw Failure{kBadUsage, what};
  throw Failure{kUnavailable, fmt::format("{}: {}", what, error.message())};
}

void require_value(const char* flag, const std::string& value) {
  if (check_lock_name(value)) return;
  throw Failure{kBadUsage, fmt::format("{}: {}", flag, make_error_code(Errc::bad_value).message())};
}

void require_lock_name(const std::string& name) {
  const auto good = check_lock_name(name);
  if (!good) throw Failure{kBadUsage, good.error().message};
}

}  // namespace hapax::cli
