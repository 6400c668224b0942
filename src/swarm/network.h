// The network between the members: the product's links, over wires that delay, lose, repeat, are
// cut and break. The members meet, acknowledge and resend as in net/mesh.h; a link knows one member
// after the other there, life by life, as in membership/life_links.h.
//
// What is sent from one life to another carries a number that no link knows of, and at every
// delivery the referee sees whether it is the next.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "swarm/stage.h"
#include "swarm/swarm_link.h"
#include "swarm/wire.h"
#include "view/roll.h"

namespace hapax {

class Network {
 public:
  struct Handlers {
    std::function<void(std::uint32_t at, Life from, std::span<const std::uint8_t>)> on_message;
    std::function<void(std::uint32_t at, Life other)> on_up;
    std::function<void(std::uint32_t at, Life other)> on_down;
    std::function<void(std::uint32_t at)> on_broken;  // A link is full, and has lost something.
    std::function<Instant(std::uint32_t member)> asleep_until;
  };
  Network(SwarmStage& stage, MakeLink make_link, Handlers handlers);

  // The member is that life now, and knows nobody.
  void open(std::uint32_t member, Life life);
  enum class Parting { goodbye, crash };
  void close(std::uint32_t member, Parting parting);

  // Also to who is not connected yet. False: the link is full and has lost it; what was to be sent
  // after it must not be.
  [[nodiscard]] bool send(std::uint32_t from, Life to, std::span<const std::uint8_t> message);
  // All that was sent leaves, together.
  void flush(std::uint32_t from);
  bool is_up(std::uint32_t at, Life other) const;

  // --- faults ---

  void cut(std::uint32_t from, std::uint32_t to, Instant until);
  // What connects the two breaks, and may come back at once.
  void reset(std::uint32_t a, std::uint32_t b);
  // It has fallen asleep: others take it for dead after a while.
  void on_asleep(std::uint32_t member);
  void heal();

 private:
  // At one member, of another.
  struct Peer {
    std::unique_ptr<SwarmLink> link;
    WirePtr up;                   // Both know each other. Null: down.
    std::uint64_t dials = 0;      // Attempts, made or meant.
    std::uint64_t last_dial = 0;  // The last that it made to us, as this life.
    bool owes_ack = false;
    bool is_ack_set = false;                      // A look at it is on the agenda.
    std::map<Life, std::vector<Bytes>> unsent{};  // For lives that we have yet to meet.
  };
  struct Count {
    std::uint64_t sent = 0, taken = 0;
  };

  Peer& peer(std::uint32_t at, std::uint32_t other) { return peers_[at * size_ + other]; }
  static std::size_t end_of(std::uint32_t at, std::uint32_t other) { return at > other ? 0 : 1; }
  bool is_cut(std::uint32_t a, std::uint32_t b);
  Instant& cut_until(std::uint32_t from, std::uint32_t to) { return cut_until_[from * size_ + to]; }

  // network_meeting.cc: connections begin.
  void dial_later(std::uint32_t from, std::uint32_t to, Span pause);
  void dial(std::uint32_t from, std::uint32_t to);
  net::Hello hello_of(const Wire::End& end, std::uint32_t to);
  void on_hello(const WirePtr& wire, std::size_t end, const net::Hello& hello);
  void on_confirm(const WirePtr& wire);
  void establish(const WirePtr& wire, std::size_t end, const net::Hello& hello);

  // They go on.
  bool push(std::uint32_t from, Life to, std::span<const std::uint8_t> message);
  void pump(std::uint32_t at, std::uint32_t other);
  void transmit(const WirePtr& wire, std::size_t to, Bytes bytes);
  void await(const WirePtr& wire, std::size_t end);
  void arrive(const WirePtr& wire, std::size_t end);
  void read(const WirePtr& wire, std::size_t end, std::span<const std::uint8_t> bytes);
  void on_frame(const WirePtr& wire, std::size_t end, std::span<const std::uint8_t> body);
  void on_data(const WirePtr& wire, std::size_t end, const net::Data& data, net::Frame& frame);
  void deliver(const Wire::End& at, Life from, std::span<const std::uint8_t> message);
  void acknowledge_later(std::uint32_t at, std::uint32_t other);

  // They end.
  void refuse(const WirePtr& wire, std::size_t end, std::string_view why);
  void hang_up(const WirePtr& wire, std::size_t end, Parting parting);
  void hang_up_if_silent(std::uint32_t at, std::uint32_t other);

  SwarmStage& stage_;
  MakeLink make_link_;
  Handlers handlers_;
  std::uint32_t size_;
  std::vector<Life> lives_;  // Of each member; 0: down.
  std::vector<Peer> peers_;
  std::map<Life, std::uint32_t> member_of_;
  std::vector<Instant> cut_until_;  // From each to each.
  std::map<std::pair<Life, Life>, Count> counts_;
  std::vector<std::weak_ptr<Wire>> wires_;
};

}  // namespace hapax
