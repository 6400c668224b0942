#include "handles/own_gateway.h"

#include "handles/library_thread.h"
#include "handles/refusing_gateway.h"

namespace hapax::detail {
Gateway& forked_gateway() noexcept {
  static RefusingGateway gateway{Errc::forked};
  return gateway;
}

Served served(const std::shared_ptr<Gateway>& gateway, std::string_view name, Named what) {
  Served by =
      gateway->is_ours() ? gateway->serving(name, what) : Served{nullptr, std::string{name}};
  if (by.gateway == nullptr) by.gateway = gateway;
  return by;
}

std::shared_ptr<Gateway> shared(std::unique_ptr<Gateway> gateway) {
  return {gateway.release(), [](Gateway* last) {
            if (last->is_ours()) client::destroy(std::unique_ptr<Gateway>{last});
          }};
}

}  // namespace hapax::detail
