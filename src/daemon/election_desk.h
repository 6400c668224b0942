// Elections as clients at the door ask for them: campaigning, handing over, asking to step down,
// observing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "campaigns/campaigns.h"
#include "daemon/visitor.h"
#include "session/protocol.h"

namespace hapax {

class ElectionDesk {
 public:
  // The daemon, which keeps visitors and their requests.
  class Host : public CampaignHost {
   public:
    // A place for one more request; nothing, and it is told why, if there is none.
    virtual std::optional<WaiterId> admit(Visitor& visitor, session::RequestId request,
                                          const std::string& name) = 0;
    virtual void refuse(Visitor& visitor, session::RequestId request, std::string why) = 0;
    // Releases what the request holds, if it is still there.
    virtual void give_back(Visitor& visitor, session::RequestId request) = 0;
    virtual bool is_here(const std::shared_ptr<Visitor>& visitor) const = 0;
  };

  ElectionDesk(Campaigns& campaigns, Host& host) : campaigns_(campaigns), host_(host) {}

  void on(Visitor& visitor, session::Campaign&& c);
  void on(Visitor& visitor, session::HandOver&& h);
  void on(Visitor& visitor, session::AskResign&& a);
  void on(Visitor& visitor, session::Observe&& o);
  // Nothing, if it observes nothing by that request.
  void end_observation(Visitor& visitor, session::RequestId request);
  // It is gone: it observes nothing any more.
  void forget(Visitor& visitor);

  // Whether one can campaign for that name with that value; an error that says what to do.
  static Result<void> check(const std::string& name, const std::string& value);

 private:
  Campaigns::Done tell_outcome(Visitor& visitor, session::RequestId request,
                               std::optional<session::RequestId> campaign);

  Campaigns& campaigns_;
  Host& host_;
};

}  // namespace hapax
