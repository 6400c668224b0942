// The clients of a daemon: where they come in, what they ask for, and what becomes of it when they
// go. All on the thread of the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "campaigns/breaking.h"
#include "daemon/node_config.h"
#include "daemon/waiters.h"
#include "figures/request_counts.h"
#include "files/group_files.h"
#include "inquiries/inquiries.h"
#include "inquiries/recordings.h"
#include "locks/lock_delays.h"
#include "loop/loop.h"
#include "membership/group.h"
#include "net/address.h"
#include "net/listener.h"
#include "roles/roles.h"
#include "session/protocol.h"
#include "visitors/visitor.h"
#include "visitors/visitors.h"

namespace hapax {

// What the clients of a daemon need of it, which outlives them.
struct ClientsHost {
  Group& group;
  Waiters& waiters;
  Inquiries& inquiries;
  Recordings& recordings;
  Breaking& breaking;
  GroupFiles& files;
  const Roles& roles;
  const LockDelays& lock_delays;
  Waiters::After after;
  Log log, log_once, log_seldom;
  std::function<session::State()> state;
  std::function<session::Stats()> stats;
  // For people: an error, or `done` with nothing or what is wrong.
  std::function<Result<void>(std::chrono::milliseconds patience)> leave;
  std::function<void(const session::Evict& whom, std::function<void(std::string)> done)> evict;
  // What all members have in common, in JSON.
  std::function<std::string()> settings;
  // `done` with the same, or what is wrong.
  std::function<void(const session::SetSettings& asked, std::string by,
                     std::function<void(Result<std::string>)> done)>
      set_settings;
  std::function<void(std::function<void(Result<std::string>)> done)> backup;
  std::function<Result<std::string>(const Caller& caller)> page;
};

class Clients {
 public:
  using Host = ClientsHost;

  explicit Clients(Host host);
  ~Clients();
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  // `tls`: for clients behind TCP; may be null.
  Result<void> listen(Loop& io, const NodeConfig& config, std::shared_ptr<net::TlsContext> tls);
  // Nobody comes in any more or asks for more, waits end, and who holds nothing is sent away.
  void wind_up();
  // What they only keep is given back.
  void stop_keeping();
  // Tells those who asked for it that the daemon has left its group.
  void tell_left();
  // The group goes by other settings from now on: its TTL is told.
  void follow_settings();
  void stop();
  std::size_t size() const { return visitors_.size(); }
  const std::deque<RuleCounts>& counts() const { return counts_->rules(); }

 private:
  void receive(net::Socket socket, std::shared_ptr<net::TlsContext> tls);
  void on_gone(Visitor& visitor);
  enum class What { waits, everything };
  // Ends its requests, what it asked for last first; a turn at a time, since they may be very many.
  // Those from `below` on are done.
  void forget(const std::shared_ptr<Visitor>& visitor, What what, std::function<void()> then = {},
              std::optional<session::RequestId> below = std::nullopt);
  void forget_all(const std::shared_ptr<Visitor>& visitor);
  void forget_files(Visitor& visitor);
  // Gives back what the request holds, or ends its wait; nothing if it is over.
  void end_request(Visitor& visitor, session::RequestId request);
  // Tells that the wait for that lock is over, and why nobody could have been let in; or nothing of
  // that, if somebody holds it.
  void tell_ended(Visitor& visitor, session::RequestId request, const std::string& name);
  void end_observation(Visitor& visitor, session::RequestId request);
  // A place for one more request; null, and it is told why, if there is none.
  ClientRequest* admit(Visitor& visitor, session::RequestId request, const std::string& name,
                       Want want = Want::exclusive, std::uint32_t word = 0);
  // Whether it lacks the right, and it is told so. Who administers is logged.
  bool forbids(Visitor& visitor, session::RequestId request, Right right, const std::string& what,
               std::string_view lock = {});
  static void refuse(Visitor& visitor, session::RequestId request, const std::string& why);
  // Tells how it went, if the visitor is still there; and if it went well, ends that campaign.
  std::function<void(const std::string& wrong)> tell_outcome(
      Visitor& visitor, session::RequestId request, std::optional<session::RequestId> campaign);

  // Tells the text, or what is wrong, if the visitor is still there.
  std::function<void(const Result<std::string>&)> tell_text(Visitor& visitor,
                                                            session::RequestId request);

  void on(Visitor& visitor, session::Hello&& hello);
  void on(Visitor& visitor, session::Acquire&& a);
  void on(Visitor& visitor, session::Cancel&& c);
  void on(Visitor& visitor, session::Release&& r);
  void on(Visitor& visitor, session::Who&& w);
  void on(Visitor& visitor, session::AskState&& s);
  void on(Visitor& visitor, session::AskStats&& s);
  void on(Visitor& visitor, session::Ping&& p);
  void on(Visitor& visitor, session::Campaign&& c);
  void on(Visitor& visitor, session::HandOver&& h);
  void on(Visitor& visitor, session::AskResign&& a);
  void on(Visitor& visitor, session::Observe&& o);
  void on(Visitor& visitor, session::Leave&& l);
  void on(Visitor& visitor, session::Evict&& e);
  void on(Visitor& visitor, session::Break&& b);
  void on(Visitor& visitor, session::AskSettings&& a);
  void on(Visitor& visitor, session::SetSettings&& s);
  void on(Visitor& visitor, session::AskBackup&& a);
  void on(Visitor& visitor, session::AskPage&& a);
  void on(Visitor& visitor, session::AskRecording&& a);
  void on(Visitor& visitor, session::FileGet&& ask) { on_file(visitor, std::move(ask)); }
  void on(Visitor& visitor, session::FilePut&& ask) { on_file(visitor, std::move(ask)); }
  void on(Visitor& visitor, session::FileRemove&& ask) { on_file(visitor, std::move(ask)); }
  void on(Visitor& visitor, session::FileList&& ask) { on_file(visitor, std::move(ask)); }
  void on(Visitor& visitor, session::AskEvents&& ask) { on_file(visitor, std::move(ask)); }
  using FileAsk = std::variant<session::FileGet, session::FilePut, session::FileRemove,
                               session::FileList, session::AskEvents>;
  void on_file(Visitor& visitor, FileAsk&& ask);
  void on(Visitor& visitor, session::FenceCheck&& ask);
  void on(Visitor& visitor, session::AskStamps&& ask);
  // Tells whoever is still there.
  std::function<void(const session::Answer&)> tell_if_here(Visitor& visitor);
  void on(Visitor& visitor, session::Goodbye&&) { visitor.say_goodbye(); }
  void on(Visitor& visitor, session::Job&& job) { visitor.has_job(job); }
  void on(Visitor& visitor, session::Share&&) { visitor.share(); }

  Host host_;
  std::vector<std::shared_ptr<net::Listener>> listeners_;
  std::shared_ptr<RequestCounts> counts_;  // Visitors have it, too: some outlive us.
  Visitors visitors_;
  std::vector<std::pair<std::weak_ptr<SessionStream>, session::RequestId>> told_to_leave_;
  bool is_winding_up_ = false;
  bool is_stopped_ = false;
};

}  // namespace hapax
