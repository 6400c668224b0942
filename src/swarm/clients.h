// The clients of a run, each a process with a clock of its own. Over a connection to its member it
// asks for a lock, uses what the lock guards, perhaps after it has slept too long, and gives it
// back; the referee watches. How long it relies on a grant is up to the product's heartbeat.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fence.h"
#include "core/want.h"
#include "locks/outbox.h"
#include "session/heartbeat.h"
#include "swarm/kept_by_client.h"
#include "swarm/members.h"
#include "swarm/stage.h"

namespace hapax {

class SwarmClients {
 public:
  // REQUIRES: `members` hand it what they have to tell their clients.
  SwarmClients(SwarmStage& stage, Members& members);

  void on_granted(SwarmMember& m, const Grant& grant);
  void on_lost(WaiterId waiter);
  void on_crashed(const SwarmMember& m);
  bool relies_on(WaiterId waiter);  // A client, on its grant.

  bool all_are_served() const;  // Since everything is healed.
  void complain_of_waiting();

 private:
  struct Client {
    std::uint32_t home = 0;
    double rate = 1.0;  // Of its clock.
    // Granted: it has been told so, and does not know yet for how long.
    enum class State { idle, waiting, granted, inside } state = State::idle;
    std::string lock;
    WaiterId waiter{};
    Want want = Want::exclusive;
    Fence fence;
    std::uint64_t entry = 0;  // By the word of what it may keep; 0: it is not.
    std::uint64_t turn = 0;   // Grows with every change: what belongs to an earlier one is late.
    bool is_served = false;   // Since everything is healed.

    // The last: of its connection; before it, what its member has yet to see given back.
    std::vector<std::unique_ptr<KeptByClient>> shared{};
    KeptByClient* kept = nullptr;                   // Of its connection.
    std::optional<session::Heartbeat> heartbeat{};  // Nothing: it has no connection.
    std::uint64_t connection = 0;                   // Its number.
    std::uint64_t dead_below = 0;      // Nothing of these arrives at the member any more.
    Instant to_member{}, to_client{};  // When the last message arrives.
  };

  // The members' side of what their clients keep.
  class Kept final : public SwarmKeeper {
   public:
    Kept(SwarmClients& clients, SwarmMember& member) : clients_(clients), member_(member) {}
    bool is_inside(WaiterId waiter) override;
    std::optional<Turn> take_back(WaiterId waiter) override;
    void on_wanted(WaiterId waiter) override;
    void on_recalled(WaiterId waiter) override { on_wanted(waiter); }
    void on_leaving() override;

   private:
    KeptByClient* held_by(WaiterId waiter);
    void stop_keeping(KeptByClient& kept);
    std::optional<Turn> told(Turn last) const;

    SwarmClients& clients_;
    SwarmMember& member_;
  };

  Client& client_of(WaiterId waiter);
  std::uint32_t index_of(const Client& client) const;
  SwarmMember& home_of(const Client& client) { return members_[client.home]; }
  session::Heartbeat::Time clock_of(const Client& client) const;

  // --- what a client does ---

  void think(Client& client);
  void ask(Client& client);
  Want draw_want();
  void give_up(Client& client);
  void enter_if_good(Client& client);
  void work(Client& client);
  // By the word, if what it wants stays with it.
  bool enter_again(Client& client);
  void finish(Client& client);
  void lose(Client& client);
  void give_back(Client& client);

  // --- its connection: messages take their time, and keep their order ---

  void connect(Client& client);
  void look(Client& client, std::uint64_t connection);
  void ping(Client& client, const session::Ping& ping);
  void disconnect(Client& client);
  void say(Client& client, Members::What what);
  void hear(Client& client, std::uint64_t connection, const Members::What& what);
  void tell(Client& client, std::uint64_t connection, std::function<void()> what);

  SwarmStage& stage_;
  Members& members_;
  std::vector<Client> clients_;
  std::vector<std::unique_ptr<Kept>> kept_;  // One a member.
  std::uint64_t asked_ = 0;
};

}  // namespace hapax
