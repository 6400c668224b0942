// A member of a group: its locks across views, its links to the other members, and whoever hosts
// it. How a group agrees on its views is for those that derive from this: through an engine, with
// leases (engine_group.h), or by all members of a fixed list (list_group.h).
//
// On the thread of the loop. Every call carries out what it brings about before it returns,
// and tells the host meanwhile; what the host asks for while it is told, right after that.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seat.h"
#include "core/want.h"
#include "loop/loop.h"
#include "membership/away_member.h"
#include "membership/group_counts.h"
#include "membership/group_options.h"
#include "membership/life_links.h"
#include "membership/member_host.h"
#include "news/view_news.h"
#include "records/directory.h"
#include "service/member_views.h"
#include "service/orders.h"

namespace hapax {

class Group {
 public:
  virtual ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Before it nothing is opened, nobody is contacted, and only stop() makes sense.
  virtual Result<void> start() = 0;
  // Without a goodbye: whoever waits for what is held here goes on waiting.
  virtual void stop();
  // Nothing is granted any more, and the clients are told to leave. What they hold is given time
  // until `patience` is over. The host hears on_left().
  virtual void leave(Span patience) = 0;
  bool is_leaving() const { return is_leaving_; }

  // As those of MemberViews. An error of release: it was lost meanwhile, and that is being told.
  Result<void> acquire(std::string_view name, WaiterId waiter, Want want = Want::exclusive);
  Result<void> release(std::string_view name, WaiterId waiter, std::optional<Turn> last);
  Result<void> abandon(std::string_view name, WaiterId waiter);

  // Takes the lock from that waiter, who is told. REQUIRES: it holds that lock, and a view runs.
  void break_lock(const std::string& name, WaiterId waiter);
  // To whoever sits there and is connected; others do not hear it.
  void tell(Seat seat, std::span<const std::uint8_t> message) { links_.tell(seat, message); }
  bool is_up(Seat seat) const { return links_.is_up(seat); }
  // Why it is not, and what it runs.
  const LifeLinks& peers() const { return links_; }

  // Takes what the certificates' files have now; no link is dropped.
  Result<void> renew_tls() { return links_.renew_tls(); }

  virtual const MemberViews& views() const = 0;
  Epoch epoch() const { return views().keeper().roll().epoch; }
  virtual Seat seat() const = 0;                 // Ours. REQUIRES: started, and let in.
  virtual std::vector<Seat> others() const = 0;  // Who else is a member of the view, or will be.
  // How long clients may rely on what they hold without further word; nothing: there are no leases.
  virtual std::optional<Span> lease_left() const = 0;
  virtual std::string standing() const = 0;  // What it is doing, or what is in the way, for people.
  virtual std::string name_at(Seat seat) const;  // As people call it: member db2, member 2.
  virtual std::string obstacle() const = 0;      // Why nothing can be granted here; empty: it can.
  virtual std::vector<AwayMember> away() const = 0;  // Of the view: we do not reach them.
  std::string name() const { return options_.name.empty() ? name_at(seat()) : options_.name; }
  bool has_leases() const { return !options_.list; }
  const net::Stats& links() const { return links_.stats(); }
  std::uint64_t complaints() const { return complaints_; }
  const GroupCounts& counts() const { return counts_; }
  const GroupOptions& options() const { return options_; }

 protected:
  // REQUIRES: io and host outlive it.
  Group(Loop& io, GroupOptions options, MemberHost& host);

  // As the call of that name, in orders_.
  virtual Result<void> ask(std::string_view name, WaiterId waiter, Want want) = 0;
  virtual Result<void> give_back(std::string_view name, WaiterId waiter,
                                 std::optional<Turn> last) = 0;
  virtual Result<void> withdraw(std::string_view name, WaiterId waiter) = 0;
  virtual void take_away(const std::string& name, WaiterId waiter) = 0;
  virtual void on_frame(Life from, std::span<const std::uint8_t> frame) = 0;
  virtual void on_up(Seat seat, Life life) = 0;
  virtual void on_down(Seat seat) = 0;
  virtual void on_link_broken() = 0;
  // What comes before and after what all groups do with their orders.
  virtual void prepare(const Orders& orders) = 0;
  virtual void conclude(const Orders& orders) = 0;
  virtual void see_to_membership() = 0;
  // What people call a member, and more about one that is gone.
  virtual std::string name_for(Life life) const = 0;
  virtual std::string why_gone(Life) const { return {}; }

  // Of what is asked for and said about locks: all that has been ordered.
  void carry_out();
  // Of what may change who is a member, or when to look next.
  void tend();
  // Somebody at that seat is connected, and is perhaps not who it was.
  void note_met(Seat seat, Life life);
  void log(const std::string& line, LogLevel level = LogLevel::info) const {
    host_.log(line, level);
  }

  Loop& io_;
  GroupOptions options_;
  MemberHost& host_;
  LifeLinks links_;
  Orders orders_;
  GroupCounts counts_;
  ViewNews view_news_;
  bool is_stopped_ = false;
  bool is_leaving_ = false;  // For good.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);

 private:
  void on_message(Seat seat, Life from, std::span<const std::uint8_t> message);
  void carry_out(const Orders& orders);
  void tell_of_view();

  Orders now_;                // Being carried out; kept for its memory.
  std::map<Seat, Life> met_;  // Who was last seen at a seat.
  std::uint64_t complaints_ = 0;
  bool is_carrying_out_ = false;
  bool is_tending_due_ = false;
};

}  // namespace hapax
