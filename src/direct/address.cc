#include "direct/address.h"

#include <chrono>
#include <fmt/format.h>
#include <system_error>

#include "hapax/error.h"

namespace hapax::direct {

void bad_address(const std::string& why) {
  throw std::system_error{make_error_code(Errc::bad_address), why};
}

void check_ttl(const ClientOptions& options) {
  constexpr std::chrono::milliseconds kShortest{1'000};
  constexpr std::chrono::hours kLongest{1};
  if (options.engine_ttl < kShortest || options.engine_ttl > kLongest) {
    bad_address(
        fmt::format("a session of {} ms is out of range; use 1s … 1h", options.engine_ttl.count()));
  }
}

engine::Options EngineAddress::options_for_files() const {
  engine::Options own = options;
  own.part = "files";
  own.timeout = std::chrono::seconds{3};  // No lease hangs on it.
  return own;
}

EngineAddress engine_address(const std::string& address, const ClientOptions& options) {
  EngineAddress engine;
  const auto url = engine::parse_url(address);
  if (!url) bad_address(url.error().message);
  engine.url = *url;
  if (!options.authority.empty() || !options.certificate.empty() || !options.key.empty()) {
    engine.options.tls = {options.authority, options.certificate, options.key};
  }
  engine.options.group = options.engine_group;
  engine.options.user = options.engine_user;
  engine.options.password = options.engine_password;
  engine.options.timeout = std::chrono::seconds{2};
  if (const auto good = engine::check_options(engine.url, engine.options); !good) {
    bad_address(good.error().message);
  }
  check_ttl(options);
  return engine;
}

}  // namespace hapax::direct
