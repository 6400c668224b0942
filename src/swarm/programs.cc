#include "swarm/programs.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "swarm/guarded.h"

namespace hapax {
namespace {

constexpr Span kMoment = std::chrono::microseconds{50};  // Until a thread runs.

}  // namespace

SwarmPrograms::SwarmPrograms(SwarmStage& stage, Members& members, Relies relies)
    : stage_(stage), members_(members), relies_(std::move(relies)), threads_(stage.plan.threads) {
  if (threads_.empty()) return;
  for (std::uint32_t i = 0; i < stage.plan.members; ++i) {
    programs_.push_back(std::make_unique<Program>(stage, members[i]));
    members[i].keepers.push_back(programs_.back().get());
  }
  for (Thread& thread : threads_) {
    thread.home = static_cast<std::uint32_t>(&thread - threads_.data()) % stage.plan.members;
    think(thread);
  }
}

// --- a process ---

std::pair<const std::string, KeptWord>* SwarmPrograms::Program::held_by(WaiterId waiter) {
  const auto at = std::find_if(words.begin(), words.end(),
                               [&](const auto& word) { return word.second.holder() == waiter; });
  return at == words.end() ? nullptr : &*at;
}

void SwarmPrograms::Program::give_back(const std::string& lock,
                                       const std::optional<KeptWord::GivenBack>& given) {
  // Refused if the lease has run out by now.
  if (given) (void)member.release(now(), lock, given->holder, given->last);
}

bool SwarmPrograms::Program::is_inside(WaiterId waiter) {
  auto* const held = held_by(waiter);
  return held == nullptr || held->second.is_inside();
}

std::optional<Turn> SwarmPrograms::Program::take_back(WaiterId waiter) {
  auto* const held = held_by(waiter);
  if (held == nullptr) return std::nullopt;
  const Turn last = held->second.take_back();
  return stage.plan.secretive ? std::nullopt : std::optional{last};
}

void SwarmPrograms::Program::on_leased(Instant until) {
  lease.renew(stage.plan.trusting ? LeaseTerm::kForever : until);
}

void SwarmPrograms::Program::on_wanted(WaiterId waiter) {
  if (auto* const held = held_by(waiter)) give_back(held->first, held->second.stop_keeping());
}

void SwarmPrograms::Program::on_recalled(WaiterId waiter) {
  lease.end();
  on_wanted(waiter);
}

void SwarmPrograms::Program::on_leaving() {
  for (auto& [lock, word] : words) give_back(lock, word.stop_keeping());
}

// --- a thread ---

SwarmPrograms::Thread& SwarmPrograms::thread_of(WaiterId waiter) {
  return threads_[(number(waiter) - kFirstWaiter) % threads_.size()];
}

void SwarmPrograms::later(Thread& thread, Span after, std::function<void(Thread&)> what) {
  stage_.agenda.after(after, [this, &thread, turn = ++thread.turn, what = std::move(what)] {
    when_awake(thread, turn, what);
  });
}

void SwarmPrograms::when_awake(Thread& thread, std::uint64_t turn,
                               std::function<void(Thread&)> what) {
  if (thread.turn != turn) return;
  const SwarmMember& m = members_[thread.home];
  if (stage_.now() >= m.asleep_until) return what(thread);
  stage_.agenda.at(m.asleep_until, [this, &thread, turn, what = std::move(what)] {
    when_awake(thread, turn, what);
  });
}

// As often as not it wants the same again at once.
void SwarmPrograms::think(Thread& thread) {
  if (thread.lock.empty() || stage_.prng.below(2) == 0) {
    thread.lock = fmt::format("lock-{}", stage_.prng.below(stage_.plan.locks));
    later(thread, stage_.about(stage_.plan.think), [this](Thread& t) { want(t); });
  } else {
    later(thread, stage_.about(kMoment), [this](Thread& t) { want(t); });
  }
}

void SwarmPrograms::want(Thread& thread) {
  if (!members_[thread.home].runs()) return think(thread);  // Its process is not there.
  Program& program = program_of(thread);
  const auto word = program.words.find(thread.lock);
  if (word == program.words.end()) return ask(thread);
  const auto holder = word->second.holder();
  const auto entry = word->second.enter_again(
      program.lease, [&] { return program.now(); },
      [&](std::uint64_t number) {
        program.give_back(word->first, word->second.give_back(number));
      });
  if (!entry) return ask(thread);
  ++stage_.report.kept_entries;
  enter(thread, *holder, *entry);
}

void SwarmPrograms::ask(Thread& thread) {
  const auto index = static_cast<std::uint64_t>(&thread - threads_.data());
  thread.asked = WaiterId{kFirstWaiter + index + threads_.size() * ++asked_};
  members_.at(members_[thread.home], [&thread](SwarmMember& m, Instant now) {
    const auto asked = m.acquire(now, thread.lock, thread.asked, Want::exclusive);
    HAPAX_CHECK(asked.has_value());
  });
  if (thread.asked != WaiterId{} && stage_.prng.below(100) < stage_.plan.give_up) {
    later(thread, stage_.about(stage_.plan.hold), [this](Thread& t) { give_up(t); });
  }
}

void SwarmPrograms::give_up(Thread& thread) {
  members_.at(members_[thread.home], [&thread](SwarmMember& m, Instant now) {
    HAPAX_CHECK(m.abandon(now, thread.lock, thread.asked).has_value());
  });
  thread.asked = {};
  think(thread);
}

// It is woken up, and then looks whether the grant is still good.
void SwarmPrograms::on_granted(SwarmMember& m, const Grant& grant) {
  Thread& thread = thread_of(grant.waiter);
  HAPAX_CHECK(thread.asked == grant.waiter);
  thread.asked = {};
  Program& program = program_of(thread);
  const bool keep = grant.may_keep && !m.keeper().is_leaving();
  const KeptWord::Entry entry =
      program.words[thread.lock].grant(grant, keep, program.lease.grant());
  thread.entry = entry;
  later(thread, stage_.about(kMoment), [this, entry, holder = grant.waiter](Thread& t) {
    Program& here = program_of(t);
    if (here.lease.covers(entry.term, [&] { return here.now(); })) {
      return enter(t, holder, entry);
    }
    t.holder = holder;
    leave(t);
  });
}

void SwarmPrograms::enter(Thread& thread, WaiterId holder, const KeptWord::Entry& entry) {
  thread.holder = holder;
  thread.entry = entry;
  const SwarmMember& m = members_[thread.home];
  stage_.note("thread {} of member {} enters {} with {}", &thread - threads_.data(), thread.home,
              thread.lock, entry.fence);
  stage_.referee.entered(
      thread.lock, holder, m.life(), entry.fence, Want::exclusive,
      [this](Life life) { return members_.is_leased(life); }, relies_);
  thread.is_served = stage_.is_healed;
  ++stage_.report.entries;
  const Span hold = stage_.about(stage_.plan.hold);
  if (stage_.plan.units == 1) {
    use_what_is_guarded(stage_, thread.lock, entry.fence, Want::exclusive, hold / 2);
  }
  later(thread, hold, [this](Thread& t) { leave(t); });
}

void SwarmPrograms::leave(Thread& thread) {
  Program& program = program_of(thread);
  KeptWord& word = program.words.at(thread.lock);
  stage_.referee.left(thread.lock, thread.holder);
  if (word.leave(thread.entry.number)) {
    members_.at(members_[thread.home], [&](SwarmMember&, Instant) {
      program.give_back(thread.lock, word.give_back(thread.entry.number));
    });
  }
  think(thread);
}

void SwarmPrograms::on_lost(SwarmMember& m, WaiterId waiter) {
  Program& program = *programs_[m.index];
  if (auto* const held = program.held_by(waiter)) (void)held->second.take_back();
  program.lease.end();
  ++stage_.report.lost;
  for (const Thread& thread : threads_) {
    if (thread.home == m.index && thread.holder == waiter) {
      stage_.referee.left(thread.lock, waiter);
    }
  }
}

// Its program is gone as well, with all that it was about to do.
void SwarmPrograms::on_crashed(const SwarmMember& m) {
  if (threads_.empty()) return;
  std::vector<SwarmKeeper*>& keepers = members_[m.index].keepers;
  auto next = std::make_unique<Program>(stage_, members_[m.index]);
  std::replace(keepers.begin(), keepers.end(), static_cast<SwarmKeeper*>(programs_[m.index].get()),
               static_cast<SwarmKeeper*>(next.get()));
  programs_[m.index] = std::move(next);
  for (Thread& thread : threads_) {
    if (thread.home != m.index) continue;
    stage_.referee.left(thread.lock, thread.holder);
    thread.asked = thread.holder = {};
    think(thread);
  }
}

bool SwarmPrograms::all_are_served() const {
  return std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.is_served; });
}

void SwarmPrograms::complain_of_waiting() {
  for (const Thread& thread : threads_) {
    if (thread.is_served) continue;
    stage_.referee.violated("thread {} is not served although all is healed",
                            &thread - threads_.data());
  }
}

}  // namespace hapax
