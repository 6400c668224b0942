// How a handle of the program (a Client, a Mutex, …) reaches its gateway.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "handles/gateway.h"

namespace hapax::detail {

// Stands for a gateway in a child made by fork(): what is held is the parent's, so that nothing can
// be relied on, asked for or given back here. Every call fails with Errc::forked.
Gateway& forked_gateway() noexcept;

class OwnGateway {
 public:
  explicit OwnGateway(std::shared_ptr<Gateway> gateway) : gateway_(std::move(gateway)) {}

  // Whether it was made by this process. Ask before taking a mutex: at the time of the fork another
  // thread may have had it.
  bool is_ours() const noexcept { return gateway_->is_ours(); }
  Gateway& operator*() const noexcept { return is_ours() ? *gateway_ : forked_gateway(); }
  Gateway* operator->() const noexcept { return &**this; }

 private:
  std::shared_ptr<Gateway> gateway_;
};

// Who serves that name: the gateway itself, or one of those behind it.
Served served(const std::shared_ptr<Gateway>& gateway, std::string_view name,
              Named what = Named::one);

// Destroyed with the last handle: by a thread that may wait for it, and by the process that made
// it. A child leaves it as it is, since it has none of its threads.
std::shared_ptr<Gateway> shared(std::unique_ptr<Gateway> gateway);

}  // namespace hapax::detail
