// What Prometheus and a supervisor ask a daemon over plain HTTP, on this machine only:
// GET /metrics and GET /healthz. On the thread of the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/address.h"

namespace hapax::cli {

class Health {
 public:
  // Listens. An error unless the address is of this machine.
  static Result<std::unique_ptr<Health>> open(boost::asio::io_context& io,
                                              const net::Address& address,
                                              std::function<std::string()> metrics);
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  const net::Address& address() const;  // With the port that was free.
  void close();

 private:
  class Impl;
  explicit Health(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace hapax::cli
