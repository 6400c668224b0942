// Programs of a run that are members themselves, as with hapax::Node: each is one process with its
// member, sleeps and dies with it, and its threads, which take locks alone, enter by the word what
// it has kept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/kept_word.h"
#include "swarm/members.h"
#include "swarm/stage.h"

namespace hapax {

class SwarmPrograms {
 public:
  using Relies = std::function<bool(WaiterId)>;
  // `relies`: whether a client of a member goes by what it was granted.
  SwarmPrograms(SwarmStage& stage, Members& members, Relies relies);

  static bool owns(WaiterId waiter) { return number(waiter) >= kFirstWaiter; }
  void on_granted(SwarmMember& m, const Grant& grant);
  void on_lost(SwarmMember& m, WaiterId waiter);
  void on_crashed(const SwarmMember& m);

  bool all_are_served() const;  // Since everything is healed.
  void complain_of_waiting();

 private:
  static constexpr std::uint64_t kFirstWaiter = std::uint64_t{1} << 40;

  struct Program final : SwarmKeeper {
    Program(SwarmStage& s, SwarmMember& m) : stage(s), member(m), lease(!s.plan.fixed) {}

    // The lock that the table believes this waiter to hold, if it was told so.
    std::pair<const std::string, KeptWord>* held_by(WaiterId waiter);
    Instant now() const { return member.local(stage.now()); }
    void give_back(const std::string& lock, const std::optional<KeptWord::GivenBack>& given);

    bool is_inside(WaiterId waiter) override;
    std::optional<Turn> take_back(WaiterId waiter) override;
    void on_leased(Instant until) override;
    void on_wanted(WaiterId waiter) override;
    void on_recalled(WaiterId waiter) override;
    void on_leaving() override;

    SwarmStage& stage;
    SwarmMember& member;
    LeaseTerm lease;
    std::map<std::string, KeptWord> words;
  };
  struct Thread {
    std::uint32_t home = 0;
    std::string lock;
    WaiterId asked{};   // What it waits for.
    WaiterId holder{};  // Whose grant it is in by.
    KeptWord::Entry entry;
    std::uint64_t turn = 0;  // Grows with every change: what belongs to an earlier one is late.
    bool is_served = false;  // Since everything is healed.
  };

  Thread& thread_of(WaiterId waiter);
  Program& program_of(const Thread& thread) { return *programs_[thread.home]; }
  // Unless its process sleeps, is gone, or something else has happened to it meanwhile.
  void later(Thread& thread, Span after, std::function<void(Thread&)> what);
  void when_awake(Thread& thread, std::uint64_t turn, std::function<void(Thread&)> what);

  void think(Thread& thread);
  void want(Thread& thread);
  void ask(Thread& thread);
  void give_up(Thread& thread);
  void enter(Thread& thread, WaiterId holder, const KeptWord::Entry& entry);
  void leave(Thread& thread);

  SwarmStage& stage_;
  Members& members_;
  Relies relies_;
  std::vector<std::unique_ptr<Program>> programs_;  // One a member.
  std::vector<Thread> threads_;
  std::uint64_t asked_ = 0;
};

}  // namespace hapax
