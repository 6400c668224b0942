// The records in an engine keep the rules of the register (view/engine_register.h): both take the
// same steps, and are compared after each.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "base/prng.h"
#include "engine/store.h"
#include "records/directory.h"
#include "view/engine_register.h"

namespace hapax {
namespace {

class RegisterSteps : public ::testing::Test {
 protected:
  void enlist() {
    const Directory now = directory();
    const Life life{now.last_life + 1};
    all_.push_back(Enlisted{life, 0, "127.0.0.1:7400", "host", false, 0, 0, 0});
    ASSERT_EQ(commit(enlisting(now, all_.back(), "settings")), Outcome::committed);
    rules_.enlist(life);
  }
  void beat(Enlisted& me) {
    me.announced = true;
    ++me.beat;
    count(rules_.beat(me.life), commit(beating(me)));
  }
  void evict(Life life) { count(rules_.evict(life), commit(evicting(life, "me"))); }
  void propose(const Proposal& proposal) {
    Proposal real = proposal;
    real.version = views_.at(proposal.version);
    for (Beat& beat : real.gone) beat.version = beats_.at(beat.life).at(beat.version);
    count(rules_.commit(proposal), commit(proposing(real)));
  }

  Enlisted& anyone() { return all_[prng_.below(all_.size())]; }
  // From what the register says, or said: a proposal may come late.
  Proposal any_proposal() {
    const auto stale = [&](std::uint64_t version) {
      return prng_.below(4) == 0 ? prng_.below(version + 1) : version;
    };
    const Register& reg = rules_.reg;
    Proposal proposal{stale(reg.version), {Epoch{number(reg.roll.epoch) + 1}, {}}, {}};
    for (const auto& [life, versions] : beats_) {
      const bool is_there = reg.beat_of(life) != nullptr;
      if (versions.size() < 2 || (!is_there && prng_.below(64) != 0)) continue;
      if (prng_.below(3) != 0) {
        proposal.next.members.push_back(life);
      } else {
        proposal.gone.push_back({life, std::max<std::uint64_t>(1, stale(versions.size() - 1))});
      }
    }
    return proposal;
  }

  void compare() {
    const Directory now = directory();
    if (now.reg.version != views_.back()) views_.push_back(now.reg.version);
    Register renamed = now.reg;
    renamed.version = views_.size() - 1;
    std::vector<Life> enlisted;
    for (const Enlisted& e : now.lives) {
      std::vector<engine::Version>& versions = beats_[e.life];
      if (versions.empty() || versions.back() != e.version) versions.push_back(e.version);
      if (!e.announced) enlisted.push_back(e.life);
    }
    for (Beat& beat : renamed.beats) beat.version = beats_.at(beat.life).size() - 1;
    EXPECT_EQ(renamed, rules_.reg);
    EXPECT_EQ(enlisted, rules_.enlisted);
    std::vector<Life> evicted = now.evicted;
    std::sort(evicted.begin(), evicted.end());
    EXPECT_EQ(evicted, rules_.evicted);
  }

  Prng prng_{12};
  EngineRegister rules_;
  std::map<std::pair<Outcome, Outcome>, int> outcomes_;

 private:
  Directory directory() const { return directory_of(store_.read({""})).value(); }
  Outcome commit(const Change& change) {
    const bool committed = store_.commit(change.conditions, change.writes).has_value();
    return committed ? Outcome::committed : Outcome::conflict;
  }
  void count(Outcome expected, Outcome real) {
    EXPECT_EQ(expected, real);
    ++outcomes_[{expected, real}];
  }

  engine::Store store_;
  std::vector<Enlisted> all_;
  // What a version of the rules is in the store: that of the roll, and of each life's record.
  std::vector<engine::Version> views_{engine::kAbsent};
  std::map<Life, std::vector<engine::Version>> beats_;
};

TEST_F(RegisterSteps, AreWhatTheRecordsMakeOfThem) {
  enlist();
  compare();
  for (int i = 0; i < 3'000 && !HasFailure(); ++i) {
    switch (prng_.below(8)) {
      case 0:
        if (rules_.reg.beats.size() + rules_.enlisted.size() < 8) enlist();
        break;
      case 1:
        evict(anyone().life);
        break;
      case 2:
      case 3:
        propose(any_proposal());
        break;
      default:
        beat(anyone());
    }
    compare();
  }
  // Both ways, often.
  EXPECT_GT((outcomes_[{Outcome::committed, Outcome::committed}]), 300);
  EXPECT_GT((outcomes_[{Outcome::conflict, Outcome::conflict}]), 300);
}

}  // namespace
}  // namespace hapax
