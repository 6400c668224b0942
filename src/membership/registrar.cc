#include "membership/registrar.h"

#include <algorithm>
#include <random>
#include <utility>

namespace hapax {
namespace {

Outcome outcome_of(engine::Outcome outcome) {
  switch (outcome) {
    case engine::Outcome::committed:
      return Outcome::committed;
    case engine::Outcome::conflict:
      return Outcome::conflict;
    case engine::Outcome::unknown:
      break;
  }
  return Outcome::unknown;
}

}  // namespace

// The engine answers later, perhaps after we are gone.
template <class F>
auto Registrar::if_alive(F f) {
  return [weak = std::weak_ptr{alive_}, f = std::move(f)](auto&&... args) {
    if (!weak.expired()) f(std::forward<decltype(args)>(args)...);
  };
}

Registrar::Registrar(engine::Engine& engine, std::string settings, bool is_new_group,
                     Handlers handlers)
    : engine_(engine),
      settings_(std::move(settings)),
      is_new_group_(is_new_group),
      handlers_(std::move(handlers)) {}

void Registrar::enlist(std::string address, std::string name, std::optional<std::uint32_t> seat) {
  wish_ = Wish{std::move(address), std::move(name), seat};
  read();
}

void Registrar::stop() {
  is_stopped_ = true;
  alive_.reset();
  watch_.reset();
}

void Registrar::read() {
  if (is_stopped_) return;
  if (is_reading_) {
    read_again_ = true;
    return;
  }
  is_reading_ = true;
  engine_.read({""}, if_alive([this, known = newest_](Result<engine::Snapshot> snapshot) {
                 is_reading_ = false;
                 const bool again = std::exchange(read_again_, false);
                 if (snapshot) {
                   on_snapshot(*snapshot, known);
                 } else {
                   handlers_.on_unreadable(snapshot.error().message);
                 }
                 if (again) read();
               }));
}

// `known`: what we knew when we asked.
void Registrar::on_snapshot(const engine::Snapshot& snapshot, engine::Revision known) {
  auto directory = directory_of(snapshot);
  if (!directory) return handlers_.on_unreadable(directory.error().message);
  if (snapshot.revision < known) {
    newest_ = own_commit_ = snapshot.revision;
    watch_.reset();  // It waits for what we know to come once more.
    handlers_.on_went_back();
  } else if (snapshot.revision < own_commit_) {
    return read();  // This one begins after the commit, and sees it.
  }
  learn(snapshot.revision);
  directory_ = std::move(*directory);
  for (const Enlisted& e : directory_.lives) highest_ = std::max(highest_, e.life);
  if (!watch_) watch_from(directory_.revision);
  if (wish_) try_to_enlist(directory_);
  handlers_.on_directory(directory_);
}

void Registrar::watch_from(engine::Revision revision) {
  watch_ = engine_.watch("", revision,
                         {if_alive([this](const engine::Commit& commit) {
                            // Each member beats, and each hears of it: to read all records every
                            // time would cost more with the square of their number. Beats are seen
                            // with the next reading, which is due in a third of a TTL.
                            if (!is_only_beats(commit, directory_)) read();
                          }),
                          if_alive([this] {
                            watch_.reset();
                            handlers_.on_gap();
                            read();
                          }),
                          if_alive([this] { handlers_.on_gap(); })});
}

Life Registrar::next_life(const Directory& now) const {
  constexpr std::uint64_t kLargestStep = std::uint64_t{1} << 31;
  std::random_device random;
  const std::uint64_t step = is_new_group_ ? 1 : 1 + random() % kLargestStep;
  return Life{std::max(now.last_life, number(highest_)) + step};
}

void Registrar::try_to_enlist(const Directory& now) {
  if (is_enlisting_) return;
  if (now.differs_from(settings_)) return handlers_.on_refused(now.settings);
  for (const Ban& ban : now.bans) {
    if (ban.is_on(wish_->seat, wish_->name, wish_->address)) return handlers_.on_banned(ban);
  }
  const auto seat = wish_->seat ? wish_->seat : now.free_seat();
  if (!seat) return;  // Full: the next change may free one.
  if (wish_->seat && !may_take(now, *seat)) return;
  Enlisted me{next_life(now), *seat, wish_->address, wish_->name, false, 0, 0, 0};
  // Whoever says that nobody is left of an earlier group starts with what it was given.
  const bool starts_over = is_new_group_ && now.lives.empty();
  const auto set = starts_over ? std::nullopt : now.set;
  Change change = enlisting(now, me, settings_, starts_over);
  is_enlisting_ = true;
  engine_.commit(std::move(change.conditions), std::move(change.writes),
                 if_alive([this, me, set](engine::Outcome outcome, engine::Revision revision) {
                   is_enlisting_ = false;
                   // Not enlisted for certain: try again, as another life; if the engine is away,
                   // when somebody asks for the next read. One that is enlisted and never announced
                   // is struck off by the others.
                   if (outcome == engine::Outcome::unknown) {
                     if (handlers_.on_not_enlisted) handlers_.on_not_enlisted();
                     return;
                   }
                   if (outcome == engine::Outcome::conflict) return read();
                   own_commit_ = revision;
                   learn(revision);
                   wish_.reset();
                   is_new_group_ = false;
                   me_ = me;
                   set_ = set;
                   handlers_.on_enlisted(me_);
                   read();
                 }));
}

// A seat is often that of the process before this one, which is dead and stays enlisted until its
// lease is over. Two that are alive at one seat would take each other's messages.
bool Registrar::may_take(const Directory& now, std::uint32_t seat) {
  const auto there = std::find_if(now.lives.rbegin(), now.lives.rend(), [&](const Enlisted& e) {
    return e.seat == seat && e.life != me_.life &&
           std::find(now.evicted.begin(), now.evicted.end(), e.life) == now.evicted.end();
  });
  if (there == now.lives.rend()) return true;
  if (!occupant_ || occupant_->life != there->life) {
    occupant_ = {there->life, there->beat, false};
    handlers_.after_a_lease(if_alive([this, life = there->life] {
      if (!occupant_ || occupant_->life != life) return;
      occupant_->is_silent = true;
      read();
    }));
    return false;
  }
  if (there->beat == occupant_->beat) return occupant_->is_silent;
  occupant_.reset();  // Looks again the next time.
  handlers_.on_taken(*there);
  return false;
}

void Registrar::carry_out(const EngineAsk& ask) {
  if (is_stopped_) return;
  if (ask.kind == EngineAsk::Kind::read) return read();
  Change change;
  if (ask.kind == EngineAsk::Kind::propose) {
    change = proposing(ask.proposal);
  } else {
    me_.announced = true;
    ++me_.beat;
    me_.ttl_ms = ask.ttl_ms;
    change = beating(me_);
  }
  engine_.commit(std::move(change.conditions), std::move(change.writes),
                 if_alive([this, ask](engine::Outcome outcome, engine::Revision revision) {
                   if (outcome == engine::Outcome::committed) {
                     if (ask.kind != EngineAsk::Kind::beat) own_commit_ = revision;
                     learn(revision);
                   }
                   handlers_.on_committed(ask, outcome_of(outcome));
                 }));
}

void Registrar::change(Change change, std::function<void(Outcome)> done) {
  engine_.commit(std::move(change.conditions), std::move(change.writes),
                 if_alive([done = std::move(done)](engine::Outcome outcome, engine::Revision) {
                   done(outcome_of(outcome));
                 }));
}

void Registrar::copy(std::function<void(Result<engine::Snapshot>)> done) {
  engine_.read({""}, if_alive(std::move(done)));
}

void Registrar::show_life() {
  if (is_stopped_) return;
  ++me_.beat;
  Change change = beating(me_);
  engine_.commit(std::move(change.conditions), std::move(change.writes),
                 if_alive([](engine::Outcome, engine::Revision) {}));
}

void Registrar::withdraw(std::function<void()> done) {
  wish_.reset();
  const Life life = me_.announced ? Life{} : me_.life;
  engine_.read({""}, if_alive([this, life, done](Result<engine::Snapshot> snapshot) {
                 const auto now =
                     snapshot ? directory_of(*snapshot) : Result<Directory>{snapshot.error()};
                 const Enlisted* me = now ? now->find(life) : nullptr;
                 if (me == nullptr || me->announced) return done();
                 Change change = striking(*me);
                 engine_.commit(std::move(change.conditions), std::move(change.writes),
                                if_alive([done](engine::Outcome, engine::Revision) { done(); }));
               }));
}

void Registrar::strike(const Enlisted& stale) {
  Change change = striking(stale);
  engine_.commit(std::move(change.conditions), std::move(change.writes),
                 if_alive([](engine::Outcome, engine::Revision) {}));
}

}  // namespace hapax
