#include "visitors/client_request.h"

#include <utility>

#include "visitors/client_job.h"
#include "visitors/visitor.h"

namespace hapax {

ClientRequest::ClientRequest(Visitor& visitor, session::RequestId id, WaiterId waiter,
                             std::string name, Want want, KeptGrant* word)
    : visitor_(visitor),
      id_(id),
      waiter_(waiter),
      name_(std::move(name)),
      want_(want),
      counts_(visitor.counts->of(name_)),
      word_(word) {
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
  session::Granted granted{id_, grant.fence};
  // A word belongs to one lock at a time, whatever its client says.
  if (word_ != nullptr && !word_->holder() && want_ == Want::exclusive &&
      visitor_.may_keep(grant)) {
    granted.entry = word_->next();
    word_->grant(grant, true);
  }
  visitor_.tell(granted);
}

KeptGrant* ClientRequest::by_word() const {
  if (word_ == nullptr || word_->holder() != waiter_) return nullptr;
  // It writes there what it likes: but it has not entered more than once a nanosecond.
  const std::chrono::nanoseconds since = Clock::now() - since_;
  word_->believe_at_most(static_cast<std::uint64_t>(since.count()));
  return word_;
}

bool ClientRequest::stop_keeping() {
  KeptGrant* const word = by_word();
  const auto given = word == nullptr ? std::nullopt : word->stop_keeping();
  if (!given) return false;
  visitor_.give_back(id_, given->last);  // And with it, this.
  return true;
}

void ClientRequest::on_wanted(WaiterId) { (void)stop_keeping(); }

bool ClientRequest::is_inside(WaiterId) {
  KeptGrant* const word = by_word();
  if (word == nullptr || word->is_inside()) return true;
  visitor_.requests.erase(id_);  // And with it, this.
  return false;
}

std::optional<Turn> ClientRequest::take_back(WaiterId) {
  KeptGrant* const word = by_word();
  return word == nullptr ? std::nullopt : std::optional{word->take_back()};
}

void ClientRequest::on_recalled(WaiterId) {
  if (stop_keeping()) return;
  visitor_.tell(session::Lost{id_, "its daemon ends, or leaves its group"});
}

void ClientRequest::on_asked_to_resign(const std::string& to) {
  visitor_.tell(session::StepDown{id_, to});
}

void ClientRequest::on_lost(WaiterId, const std::string& why) {
  Visitor& visitor = visitor_;
  const session::RequestId id = id_;
  (void)take_back(waiter_);    // It was told of its grant after that had been lost.
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
  const KeptGrant* const word = by_word();
  person.fence = word != nullptr ? word->fence() : fence_;
  return person;
}

}  // namespace hapax
