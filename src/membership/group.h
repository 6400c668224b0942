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
#include "engine/engine.h"
#include "net/address.h"
#include "net/mesh.h"
#include "net/tls.h"
#include "membership/directory.h"
#include "service/orders.h"
#include "membership/registrar.h"
#include "service/service.h"

namespace hapax {

struct GroupOptions {
  net::Address listen;                    // With a port, unless a Unix socket.
  std::optional<net::Address> advertise;  // Where the others reach us, if not there.
  std::string name;                       // For people: the host's, say.
  std::optional<std::uint32_t> seat;      // From 0; the lowest free one if not said.
  std::string group = "hapax";
  std::optional<net::TlsFiles> tls;  // The certificate's number is then the seat.
  Policy policy;
  LeaseTimes times;
  std::function<void(const std::string&)> log;
};

class Group final : private Holders {
 public:
  struct Handlers {
    std::function<void(const Orders::Grant&)> on_granted;
    std::function<void(WaiterId)> on_lost;
    std::function<void(WaiterId)> on_recalled = [](WaiterId) {};
    std::function<void(WaiterId)> on_wanted;
    std::function<bool(WaiterId)> is_inside;
    // As of Holders.
    std::function<std::optional<Turn>(WaiterId)> take_back = [](WaiterId) { return std::nullopt; };
    // The lease lasts until then. All that was lost before has been told.
    std::function<void(Instant)> on_leased = [](Instant) {};
    std::function<void(NodeId seat, std::span<const std::uint8_t>)>
        on_message;                                // Not of the views.
    std::function<void()> on_view;                 // Begun.
    std::function<void(NodeId seat, Life)> on_up;  // Connected, again perhaps.
    std::function<void()> on_settled;              // All that there was to tell has been told.
    std::function<void()> on_left;                 // After leave().
  };

  // An error that says what makes no sense: one that listens elsewhere than on this machine needs
  // TLS, say. Opens nothing.
  static Result<void> check(boost::asio::io_context& io, const GroupOptions& options);
  // Refuses what check() does. REQUIRES: the engine outlives it.
  static Result<std::unique_ptr<Group>> create(boost::asio::io_context& io, GroupOptions options,
                                               engine::Engine& engine, Handlers handlers);
  ~Group() override;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void start();
  // Without a goodbye to the engine: whoever waits for what is held here waits for the lease.
  void stop();
  // Nobody may ask for more; what is held is given time until `patience` is over and is then lost.
  void leave(Span patience);

  // Calls and flush() carry out at once what has been ordered.
  Result<void> acquire(std::string_view name, WaiterId waiter, Want want = Want::exclusive);
  Result<void> release(std::string_view name, WaiterId waiter, std::optional<Turn> last);
  Result<void> abandon(std::string_view name, WaiterId waiter);

  void carry_out();

  // To whoever sits there and is connected; others do not hear it.
  void tell(NodeId seat, std::span<const std::uint8_t> message);
  bool is_seat_up(NodeId seat) const;

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
  NodeId seat() const { return NodeId{registrar_.me().seat}; }
  const net::Stats& links() const;
  std::uint64_t complaints() const { return complaints_; }

 private:
  Group(boost::asio::io_context& io, GroupOptions options, engine::Engine& engine,
        Handlers handlers);

  bool is_inside(WaiterId waiter) override { return handlers_.is_inside(waiter); }
  std::optional<Turn> take_back(WaiterId waiter) override { return handlers_.take_back(waiter); }

  void enlist();
  void close_mesh();
  bool is_struck_off() const;
  void show_life();
  void on_enlisted(const Enlisted& me);
  void on_directory(const Directory& directory);
  void open_mesh();
  void meet_others(const Directory& directory);
  void announce_if_connected();
  void give_way_if_cut_off();
  void strike_stale();
  void on_message(NodeId seat, std::span<const std::uint8_t> message);
  void on_up(NodeId seat);
  bool is_up(Life life) const;
  void send(Life to, std::span<const std::uint8_t> frame);
  void let_go_of_held();
  void arm();
  void drain();
  std::optional<NodeId> seat_of(Life life) const;
  void log(const std::string& line) const;

  boost::asio::io_context& io_;
  GroupOptions options_;
  Handlers handlers_;
  Service service_;
  Registrar registrar_;
  std::unique_ptr<net::Mesh> mesh_;
  std::unique_ptr<net::Mesh> last_mesh_;  // Of the life before; it may be calling us.
  Orders orders_;
  boost::asio::steady_timer timer_;
  Instant armed_{};
  struct Unsent {
    std::vector<Bytes> frames;
    std::size_t bytes = 0;
  };
  std::map<Life, Unsent> unsent_;       // For lives that we are not connected to yet.
  std::map<Life, Instant> down_since_;  // Members of the view that we do not reach.
  std::map<Life, std::pair<std::uint64_t, Instant>> unannounced_;  // Their beats, seen since.
  Instant shown_{};        // When we last said that we are there, though not announced.
  std::set<NodeId> held_;  // Seats not read from.
  std::set<std::string> logged_;
  std::string refusal_;
  net::Stats no_links_;
  std::uint64_t complaints_ = 0;
  bool is_carrying_out_ = false;
  bool is_stopped_ = false;
  bool has_left_ = false;  // It was nowhere to leave from.
  std::optional<Instant> leaving_until_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace hapax
