#include "daemon/client_request.h"

#include <utility>

#include "daemon/client_job.h"
#include "daemon/visitor.h"

namespace hapax {

ClientRequest::ClientRequest(Visitor& visitor, session::RequestId id, WaiterId waiter,
                             std::string name, Want want)
    : visitor_(visitor),
      id_(id),
      waiter_(waiter),
      name_(std::move(name)),
      want_(want),
      counts_(visitor.counts->of(name_)) {
  ++counts_.waiting;
}

ClientRequest::~ClientRequest() {
  if (!fence_) {
    --counts_.waiting;
    return;
  }
  --counts_.holding;
  counts_.holds.note(Clock::now() - since_);
}

void ClientRequest::on_granted(const Grant& grant) {
  const auto now = Clock::now();
  --counts_.waiting;
  ++counts_.holding;
  counts_.waits.note(now - std::exchange(since_, now));
  fence_ = grant.fence;
  visitor_.tell(session::Granted{id_, grant.fence});
}

void ClientRequest::on_recalled(WaiterId) {
  visitor_.tell(session::Lost{id_, "its daemon ends, or leaves its group"});
}

void ClientRequest::on_asked_to_resign(const std::string& to) {
  visitor_.tell(session::StepDown{id_, to});
}

void ClientRequest::on_lost(WaiterId, const std::string& why) {
  Visitor& visitor = visitor_;
  const session::RequestId id = id_;
  visitor.requests.erase(id);  // And with it, this.
  visitor.tell(session::Lost{id, why});
  // It should have ended its job by now; but it may be asleep, or dead.
  end_job(visitor);
}

void ClientRequest::on_refused(const std::string& why) {
  Visitor& visitor = visitor_;
  const session::RequestId id = id_;
  visitor.requests.erase(id);  // And with it, this.
  visitor.tell(session::Refused{id, why});
}

session::Person ClientRequest::describe() const {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since_);
  session::Person person;
  person.host = visitor_.host();
  person.pid = visitor_.pid();
  person.command = visitor_.command();
  person.since_ms = static_cast<std::uint64_t>(since.count());
  person.shared = want_ == Want::shared;
  person.fence = fence_;
  return person;
}

}  // namespace hapax
