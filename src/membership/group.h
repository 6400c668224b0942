// A member of a group whose members find one another through an engine: the service, its registrar,
// the mesh to the others, and a timer. One thread, that of the io_context.
//
// It enlists, is dialled by the others and dials them, announces itself when it is connected to
// everybody, and from then on is where the views say. When its life ends, it begins another one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seat.h"
#include "engine/engine.h"
#include "membership/directory.h"
#include "membership/group_options.h"
#include "membership/life_links.h"
#include "membership/member_host.h"
#include "membership/registrar.h"
#include "membership/upkeep.h"
#include "service/orders.h"
#include "service/service.h"

namespace hapax {

class Group final {
 public:
  // Refuses options that make no sense. REQUIRES: engine and host outlive it.
  static Result<std::unique_ptr<Group>> create(boost::asio::io_context& io, GroupOptions options,
                                               engine::Engine& engine, MemberHost& host);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void start();
  // Without a goodbye to the engine: whoever waits for what is held here waits for the lease.
  void stop();
  // Nobody may ask for more; what is held is given time until `patience` is over and is then lost.
  void leave(Span patience);

  // As those of the service. What a call brings about is carried out before it returns, and the
  // host is told meanwhile; unless the host calls while it is told, and then right after that.
  Result<void> acquire(std::string_view name, WaiterId waiter, Want want = Want::exclusive);
  Result<void> release(std::string_view name, WaiterId waiter, std::optional<Turn> last);
  Result<void> abandon(std::string_view name, WaiterId waiter);

  // To whoever sits there and is connected; others do not hear it.
  void tell(Seat seat, std::span<const std::uint8_t> message) { links_.tell(seat, message); }
  bool is_up(Seat seat) const { return links_.is_up(seat); }

  struct Other {
    Enlisted who;
    bool is_member = false;  // Of the view.
    bool is_self = false;
    bool is_up = false;  // Connected to us.
    bool is_evicted = false;
  };
  std::vector<Other> others() const;  // All that are enlisted, with ourselves.
  void evict(Life life, std::function<void(Outcome)> done);

  const Service& service() const { return service_; }
  engine::Health health() const { return registrar_.health(); }
  const LeaseTimes& times() const { return options_.times; }
  std::optional<Span> lease_left() const;
  bool is_in_jeopardy() const;
  // Why we are not let in; empty if nothing is wrong.
  const std::string& refusal() const { return refusal_; }
  bool is_enlisted() const { return number(registrar_.me().life) != 0; }
  // REQUIRES: enlisted. It stays the same for all lives.
  Seat seat() const { return Seat{registrar_.me().seat}; }
  const net::Stats& links() const { return links_.stats(); }
  std::uint64_t complaints() const { return complaints_; }

 private:
  Group(boost::asio::io_context& io, GroupOptions options, engine::Engine& engine,
        MemberHost& host);

  Registrar::Handlers registrar_handlers();
  void enlist();
  void on_enlisted(const Enlisted& me);
  void on_directory(const Directory& directory);
  void on_message(Seat seat, Life from, std::span<const std::uint8_t> message);
  void on_up(Seat seat, Life life);
  void on_view();
  void on_time();
  void carry_out();
  void carry_out(const Orders& orders);
  void tend();
  void see_to_membership();
  void arm();
  void drain();

  boost::asio::io_context& io_;
  GroupOptions options_;
  MemberHost& host_;
  Service service_;
  Registrar registrar_;
  LifeLinks links_;
  Upkeep upkeep_;
  Orders orders_;
  Orders now_;  // Being carried out; kept for its memory.
  boost::asio::steady_timer timer_;
  Instant armed_{};
  std::map<Seat, Life> met_;      // Who was last seen at a seat.
  std::set<Seat> seats_in_view_;  // As the last view began.
  std::string refusal_;
  std::uint64_t complaints_ = 0;
  bool is_carrying_out_ = false;
  bool is_tending_due_ = false;
  bool is_stopped_ = false;
  bool has_left_ = false;  // It was nowhere to leave from.
  std::optional<Instant> leaving_until_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace hapax
