#include "handles/gateway_makers.h"

#include <fmt/format.h>
#include <system_error>

#include "hapax/error.h"

namespace hapax::detail {

[[gnu::weak]] std::span<const GatewayMaker> gateway_makers() { return {}; }

std::string_view scheme_of(std::string_view address) {
  const std::size_t end = address.find("://");
  return end == std::string_view::npos ? std::string_view{} : address.substr(0, end);
}

std::string_view not_promised_at(std::string_view address) {
  for (const GatewayMaker& maker : gateway_makers()) {
    if (maker.scheme == scheme_of(address)) return maker.not_promised;
  }
  return {};
}

std::unique_ptr<Gateway> open_by_scheme(const std::string& address, const ClientOptions& options) {
  const std::string_view scheme = scheme_of(address);
  std::string known;
  for (const GatewayMaker& maker : gateway_makers()) {
    if (maker.scheme == scheme) return maker.open(address, options);
    known += fmt::format(" {}://", maker.scheme);
  }
  const std::string why =
      known.empty() ? "link hapax::engines (pkg-config: hapax-engines), which knows engines"
                    : "known are" + known;
  throw std::system_error{make_error_code(Errc::bad_address),
                          fmt::format("this program knows no {}://: {}", scheme, why)};
}

}  // namespace hapax::detail
