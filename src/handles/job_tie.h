// What ties a job to what its client holds.
#pragma once

#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/types.h>

#include "handles/own_gateway.h"
#include "hapax/client.h"

namespace hapax::detail {

class JobTie {
 public:
  explicit JobTie(Client& client) : gateway_(client.gateway_) {}

  // The connection: a process that inherits it keeps what is held from being free. -1: none.
  int descriptor() const { return gateway_->descriptor(); }
  // The daemon, if it is on this machine, ends the group rather than free what is held.
  void has_job(pid_t group) const noexcept { gateway_->has_job(group); }
  // The job is stopped, and we are to be: what the daemon holds for us is not lost by that.
  void excuse_silence(bool is_excused) const noexcept { gateway_->excuse_silence(is_excused); }
  // Why what was held is lost, for people; empty: nobody has said.
  std::string why_lost() const { return gateway_->why_lost(); }
  // How long a new lease lasts now; 0: there are none.
  std::chrono::milliseconds ttl() const { return gateway_->ttl(); }
  // Over TCP the daemon frees what is held when it has not heard from us for long, and cannot end
  // the job before that; an engine, to which there is no such way, frees it as well.
  bool is_remote() const {
    if (descriptor() < 0) return true;
    int domain = AF_UNIX;
    socklen_t size = sizeof domain;
    (void)getsockopt(descriptor(), SOL_SOCKET, SO_DOMAIN, &domain, &size);
    return domain != AF_UNIX;
  }

 private:
  const OwnGateway gateway_;
};

}  // namespace hapax::detail
