#include "hapax/client.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

#include "client/connection.h"

namespace hapax {
namespace {

net::Address address_or_throw(std::string_view text) {
  const auto address = net::parse_address(text);
  if (!address) {
    throw std::system_error{make_error_code(Errc::bad_address), address.error().message};
  }
  if (!address->is_local()) {
    throw std::system_error{make_error_code(Errc::bad_address),
                            "a client reaches only daemons of its own machine so far"};
  }
  return *address;
}

void throw_if(std::error_code error, const char* what) {
  if (error) throw std::system_error{error, what};
}

}  // namespace

Client::Client() : Client(default_address()) {}

Client::Client(std::string_view address)
    : gateway_(std::make_shared<client::Connection>(address_or_throw(address))) {}

Client::~Client() = default;

std::vector<LockInfo> Client::who(std::string_view name) {
  std::vector<LockInfo> locks;
  throw_if(gateway_->who(name, locks), "who");
  return locks;
}

GroupStatus Client::status() {
  GroupStatus status;
  throw_if(gateway_->status(status), "status");
  return status;
}

std::stop_token Client::lost() const { return gateway_->lost(); }

std::string Client::default_address() {
  if (const char* given = std::getenv("HAPAX_ADDRESS"); given != nullptr && *given != '\0') {
    return given;
  }
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string directory = runtime != nullptr && *runtime != '\0' ? runtime : "/tmp";
  return "unix:" + directory + "/hapax-" + std::to_string(getuid()) + ".sock";
}

}  // namespace hapax
