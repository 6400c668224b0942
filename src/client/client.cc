#include "hapax/client.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

#include "client/connection.h"
#include "client/questions.h"

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

}  // namespace

Client::Client() : Client(default_address()) {}

Client::Client(std::string_view address)
    : gateway_(std::make_shared<client::Connection>(address_or_throw(address))) {}

Client::~Client() = default;

std::vector<LockInfo> Client::who(std::string_view name, std::vector<std::uint32_t>* silent) {
  return client::who(*gateway_, name, silent);
}
GroupStatus Client::status() { return client::status(*gateway_); }
MemberStats Client::stats() { return client::stats(*gateway_); }

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
