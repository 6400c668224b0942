// Between a service and its engine: what the service orders becomes reads and commits, and what the
// engine says becomes registers and outcomes. All on the thread of the loop.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "records/directory.h"
#include "service/orders.h"
#include "view/keeper.h"

namespace hapax {

class Registrar {
 public:
  struct Handlers {
    std::function<void(const Directory&)> on_directory;  // Read, because asked for or changed.
    std::function<void(const std::string& why)> on_unreadable;
    std::function<void()> on_gap;  // The engine was out of reach: what was seen may be over.
    std::function<void(const EngineAsk&, Outcome)> on_committed;
    std::function<void(const Enlisted&)> on_enlisted;  // This is who we are now.
    // The engine is older than it was: it was restored from a copy, or is another one.
    std::function<void()> on_went_back;
    // The group has other settings, these, and we are not let in as long as it does.
    std::function<void(const std::string& settings)> on_refused;
    std::function<void()> on_not_enlisted{};  // Maybe not. It is tried again.
    // Somebody who is alive has the seat that we were told to take, and we do not get it.
    std::function<void(const Enlisted& owner)> on_taken{};
    // We are not let in as long as that is there.
    std::function<void(const Ban& ban)> on_banned{};
    // Calls back when a member that is alive must have beaten meanwhile.
    std::function<void(std::function<void()>)> after_a_lease{};
  };

  // `settings`: what all members must have in common, as people read it. `is_new_group`: there was
  // none before whose lives could still be about.
  Registrar(engine::Engine& engine, std::string settings, bool is_new_group, Handlers handlers);
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  // Become a new life, at that seat or the lowest free one. Tries until it succeeds. Its number is
  // higher than all that we have seen, and by chance: an engine that has lost its records, or was
  // restored, does not know which were given out.
  void enlist(std::string address, std::string name, std::optional<std::uint32_t> seat);
  void carry_out(const EngineAsk& ask);
  void stop();  // Asks and hears nothing more: the loop may run out of work.
  // Somebody is evicted or banned, or a ban is lifted.
  void change(Change change, std::function<void(Outcome)> done);
  void copy(std::function<void(Result<engine::Snapshot>)> done);
  // Says that we are there, though not announced.
  void show_life();
  // We are not there any more; `done` when the engine knows, or does not answer, and not from
  // inside the call. A life that was announced may be in the roll, and clients may rely on its
  // lease: its record stays until the others have waited for that.
  void withdraw(std::function<void()> done);
  // A life that never announced itself and has stood still: its seat is free again.
  void strike(const Enlisted& stale);

  // Goes with the next beat.
  void set_reached(std::uint32_t reached) { me_.reached = reached; }

  const Enlisted& me() const { return me_; }
  // What had been set when we were enlisted.
  const std::optional<SetSettings>& set_before() const { return set_; }
  const Directory& directory() const { return directory_; }
  // Whether the directory was read after we were enlisted.
  bool is_up_to_date() const { return directory_.revision >= own_commit_; }
  // On the way to becoming another life.
  bool is_enlisting() const { return wish_.has_value(); }
  engine::Health health() const { return engine_.health(); }

 private:
  void read();
  void try_to_enlist(const Directory& now);
  bool may_take(const Directory& now, std::uint32_t seat);
  void on_snapshot(const engine::Snapshot& snapshot, engine::Revision known);
  void watch_from(engine::Revision revision);
  void learn(engine::Revision revision) { newest_ = std::max(newest_, revision); }
  Life next_life(const Directory& now) const;
  template <class F>
  auto if_alive(F f);

  engine::Engine& engine_;
  const std::string settings_;
  bool is_new_group_;  // As far as we have not been in it.
  Handlers handlers_;
  std::unique_ptr<engine::Watch> watch_;
  Directory directory_;
  Enlisted me_;
  std::optional<SetSettings> set_;
  struct Wish {
    std::string address, name;
    std::optional<std::uint32_t> seat;
  };
  std::optional<Wish> wish_;  // To be enlisted.
  // Who sat there when we looked first. It may be a life before ours; or it is alive, and beats.
  struct Occupant {
    Life life{};
    std::uint64_t beat = 0;
    bool is_silent = false;  // For a lease.
  };
  std::optional<Occupant> occupant_;
  // Of all that we have read or committed: no read that begins later is older.
  engine::Revision newest_ = 0;
  Life highest_{};  // Of all lives that we have seen.
  // Our last commit that we count on: that enlisted or announced us, or made a view. A read begun
  // before it may come back without it, and must not pass for news: a life that does not find its
  // own beat is over.
  engine::Revision own_commit_ = 0;
  bool is_reading_ = false;
  bool read_again_ = false;  // Something changed while a read was under way.
  bool is_enlisting_ = false;
  bool is_stopped_ = false;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace hapax
