// The members of a run: each is the product's Service on a clock of its own, and does what a daemon
// does around it. How a register is kept is the engine's business, and how bytes travel the
// network's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "locks/policy.h"
#include "service/list_views.h"
#include "service/orders.h"
#include "service/service.h"
#include "swarm/network.h"
#include "swarm/stage.h"
#include "swarm/virtual_engine.h"

namespace hapax {

// Who may keep locks of a member: a program with a hapax::Node in the same process, or clients on
// the same machine. Each is told of all waiters, and knows its own.
class SwarmKeeper : public Holders {
 public:
  virtual void on_leased(Instant /*until*/) {}
  virtual void on_wanted(WaiterId waiter) = 0;
  virtual void on_recalled(WaiterId waiter) = 0;
  virtual void on_leaving() = 0;
};

struct SwarmMember final : Holders {
  std::uint32_t index = 0;
  double rate = 1.0;  // Of its clock.
  Policy policy;
  // One of them; none: it is down.
  std::unique_ptr<Service> service;
  std::unique_ptr<ListViews> list;
  std::uint64_t run = 0;               // Grows with every life: what is older does not reach it.
  bool has_read = false;               // As this life.
  bool has_gap = false;                // Its connection to the engine was broken.
  std::map<Life, Instant> down_since;  // Members of its view that it does not reach.
  Instant asleep_until{};
  Instant engine_cut_until{};
  Instant armed{};  // For when on_time() is entered in the agenda; 0: it is not.
  Orders orders;
  // As Registrar has it: the latest that it knows of the engine, and its own last commit.
  std::uint64_t newest = 0, own_commit = 0;
  Epoch written{};  // Its state file …
  Epoch writing{};  // … and of a fixed list: what is on the way there.
  bool ended_free = true;
  bool is_open = false;  // It takes part, as this life.

  std::vector<SwarmKeeper*> keepers;

  bool is_inside(WaiterId waiter) override {
    return std::all_of(keepers.begin(), keepers.end(),
                       [&](SwarmKeeper* keeper) { return keeper->is_inside(waiter); });
  }
  std::optional<Turn> take_back(WaiterId waiter) override {
    for (SwarmKeeper* const keeper : keepers) {
      if (const auto last = keeper->take_back(waiter)) return last;
    }
    return std::nullopt;
  }
  bool runs() const { return service != nullptr || list != nullptr; }
  const Keeper& keeper() const { return service ? service->keeper() : list->views().keeper(); }
  Life life() const { return keeper().self(); }
  Result<void> acquire(Instant now, const std::string& name, WaiterId waiter, Want want) {
    return service ? service->acquire(now, name, waiter, want, orders)
                   : list->acquire(name, waiter, want, orders);
  }
  // `last`: of the turns that it has taken by itself.
  Result<void> release(Instant now, const std::string& name, WaiterId waiter,
                       std::optional<Turn> last = std::nullopt) {
    return service ? service->release(now, name, waiter, last, orders)
                   : list->release(name, waiter, last, orders);
  }
  Result<void> abandon(Instant now, const std::string& name, WaiterId waiter) {
    return service ? service->abandon(now, name, waiter, orders)
                   : list->abandon(name, waiter, orders);
  }
  void leave(Instant now) {
    for (SwarmKeeper* const keeper : keepers) keeper->on_leaving();
    service ? service->leave(now, orders) : list->leave(orders);
  }
  // What its clock shows at `t`, and when it shows `t`, or a bit later.
  Instant local(Instant t) const {
    return Instant{static_cast<std::int64_t>(static_cast<double>(t.count()) * rate) + 1};
  }
  Instant global(Instant t) const {
    return Instant{static_cast<std::int64_t>(static_cast<double>(t.count()) / rate) + 2};
  }
};

class Members {
 public:
  struct Handlers {
    std::function<void(SwarmMember&, const Grant&)> on_granted;
    std::function<void(SwarmMember&, WaiterId)> on_lost;
    std::function<void(const SwarmMember&)> on_crashed;
  };
  Members(SwarmStage& stage, MakeLink make_link, Handlers handlers);
  void begin();  // REQUIRES: once, when all is in place.

  SwarmMember& operator[](std::uint32_t index) { return *members_[index]; }
  Network& network() { return network_; }
  std::uint64_t views() const { return views_; }
  VirtualEngine& engine() { return engine_; }
  // Until when, in true time, the clients of a life may rely on it.
  bool is_leased(Life life) const;

  // Does something at a member: at once, when it wakes up, or never if its life is over by then.
  using What = std::function<void(SwarmMember&, Instant local_now)>;
  void at(SwarmMember& m, What what) { at(m, m.run, std::move(what)); }

  // --- faults ---

  void crash(SwarmMember& m);
  void start_if_down(SwarmMember& m);
  // Of a fixed list: what it has promised is lost with its file.
  void lose_file(SwarmMember& m);
  void crash_all();
  void sleep(SwarmMember& m, Span length);
  void break_engine_connections();  // Whoever restores an engine stops it first.
  void heal();

 private:
  void at(SwarmMember& m, std::uint64_t run, What what);
  void start(SwarmMember& m);
  void be_born(SwarmMember& m);
  Life next_life(const SwarmMember& m);
  // members_list.cc: what is different in a fixed list.
  void start_in_list(SwarmMember& m);
  void open_in_list(SwarmMember& m);
  void write_down(SwarmMember& m, Epoch epoch);
  void end_in_list(SwarmMember& m);
  void carry_out(SwarmMember& m);
  void note_lease(const SwarmMember& m);
  void carry_out(SwarmMember& m, const Orders& orders);
  void arm(SwarmMember& m);
  void ask_engine(SwarmMember& m, const EngineAsk& ask);
  void on_answer(SwarmMember& m, const EngineAsk& ask, std::uint64_t known,
                 const VirtualEngine::Done& done, Instant now);
  Epoch today() const;
  void look_around(SwarmMember& m);
  void keep_looking_around(SwarmMember& m);
  bool may_announce(const SwarmMember& m, Instant now) const;
  bool has_to_give_way(SwarmMember& m, Instant now);
  std::uint32_t reach(std::uint32_t member, const Roll& roll) const;

  SwarmStage& stage_;
  Handlers handlers_;
  VirtualEngine engine_;
  Network network_;
  std::vector<std::unique_ptr<SwarmMember>> members_;
  std::map<Life, std::uint32_t> member_of_;
  std::map<Life, Instant> lease_end_;
  std::uint64_t last_life_ = 0;
  Epoch highest_epoch_{};    // Begun anywhere …
  std::uint64_t views_ = 0;  // … one after the other.
};

}  // namespace hapax
