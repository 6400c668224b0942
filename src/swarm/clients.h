// The clients of a run. Each asks for a lock at its member, uses what the lock guards, perhaps
// after it has slept too long, and gives it back; the referee watches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fence.h"
#include "core/want.h"
#include "locks/outbox.h"
#include "swarm/members.h"
#include "swarm/stage.h"

namespace hapax {

class SwarmClients {
 public:
  // REQUIRES: `members` hand it what they have to tell their clients.
  SwarmClients(SwarmStage& stage, Members& members);

  void on_granted(SwarmMember& m, const Grant& grant);
  void on_lost(WaiterId waiter, bool life_ended);
  void on_crashed(const SwarmMember& m);

  bool all_are_served() const;  // Since everything is healed.
  void complain_of_waiting();

 private:
  struct Client {
    std::uint32_t home = 0;
    enum class State { idle, waiting, inside } state = State::idle;
    std::string lock;
    WaiterId waiter{};
    Want want = Want::exclusive;
    Fence fence;
    std::uint64_t work = 0;  // Grows with every entry: what belongs to an earlier one is late.
    bool is_served = false;  // Since everything is healed.
  };

  Client& client_of(WaiterId waiter);
  std::uint32_t index_of(const Client& client) const;
  SwarmMember& home_of(const Client& client) { return members_[client.home]; }

  void think(const Client& client);
  void ask(Client& client);
  Want draw_want();
  void give_up(Client& client, WaiterId waiter);
  void use_what_is_guarded(const Client& client, Span after);
  void finish(Client& client, std::uint64_t work);

  SwarmStage& stage_;
  Members& members_;
  std::vector<Client> clients_;
  std::uint64_t asked_ = 0;
};

}  // namespace hapax
