#include "campaigns/campaigns.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/check.h"
#include "core/lock_name.h"

namespace hapax {

Campaigns::Campaigns(Seat self, CampaignHost& host)
    : host_(host),
      watch_(
          self, [&host] { return host.others(); },
          [&host](Seat to, const PeerMessage& message) { host.send(to, message); }) {}

// f(waiter, candidate) for those of that name, in the order of their coming.
template <class F>
void Campaigns::for_each_in(const std::string& name, F&& f) {
  const auto [first, end] = by_name_.equal_range(name);
  std::vector<WaiterId> waiters;
  for (auto at = first; at != end; ++at) waiters.push_back(at->second);
  std::sort(waiters.begin(), waiters.end());
  for (const WaiterId waiter : waiters) f(waiter, candidates_.at(waiter));
}

void Campaigns::send_to_others(const PeerMessage& message) {
  for (const Seat peer : host_.others()) host_.send(peer, message);
}

// --- candidates ---

void Campaigns::enter(WaiterId waiter, const std::string& name, const std::string& value) {
  const auto favour = favours_.find(name);
  const bool stands_aside = favour != favours_.end() && favour->second.candidate != value;
  candidates_[waiter] = {name, value, stands_aside ? Standing::aside : Standing::queued};
  by_name_.emplace(name, waiter);
  if (!stands_aside) host_.enqueue(name, waiter);
}

void Campaigns::granted(WaiterId waiter, Fence fence) {
  const auto at = candidates_.find(waiter);
  if (at == candidates_.end()) return;
  Candidate& candidate = at->second;
  HAPAX_CHECK(candidate.standing == Standing::queued);
  candidate.standing = Standing::leading;
  session::Leader leader{host_.describe(waiter), candidate.value};
  leader.who.fence = fence;
  leader.who.since_ms = 0;
  watch_.claim(candidate.name, std::move(leader));
  const auto favour = favours_.find(candidate.name);
  if (favour != favours_.end() && favour->second.candidate == candidate.value) {
    resume_everywhere(candidate.name);
  }
}

bool Campaigns::leave(WaiterId waiter) {
  const auto at = candidates_.find(waiter);
  if (at == candidates_.end()) return false;
  const Candidate candidate = std::move(at->second);
  candidates_.erase(at);
  const auto [first, end] = by_name_.equal_range(candidate.name);
  by_name_.erase(std::find_if(first, end, [&](const auto& e) { return e.second == waiter; }));
  if (candidate.standing == Standing::leading) watch_.unclaim(candidate.name);
  return candidate.standing == Standing::aside;
}

bool Campaigns::leads(WaiterId waiter) const {
  const auto at = candidates_.find(waiter);
  return at != candidates_.end() && at->second.standing == Standing::leading;
}

ObserverId Campaigns::observe(const std::string& name, LeaderWatch::Tell tell) {
  const ObserverId observer = watch_.observe(name, std::move(tell));
  host_.after(kPatience, [this, name] { watch_.hurry(name); });
  return observer;
}

// --- handing over ---

void Campaigns::hand_over(WaiterId leader, const std::string& to, Done done) {
  const Candidate& candidate = candidates_.at(leader);
  HAPAX_CHECK(candidate.standing == Standing::leading);
  const std::string name = candidate.name;
  const std::uint64_t number = ++last_question_;
  Question question{name, {}, favour(name, to), true, {}, std::move(done)};
  question.nobody = fmt::format("nobody campaigns for {} with the value {}", name, to);
  ask(StepAside{number, name, to}, number, std::move(question));
}

// Everybody else of that name steps aside. Whether the favoured one waits here.
bool Campaigns::favour(const std::string& name, const std::string& candidate) {
  const std::uint64_t number = ++last_favour_;
  if (favours_.contains(name)) resume(name);
  favours_[name] = {candidate, number};
  bool found = false;
  for_each_in(name, [&](WaiterId waiter, Candidate& c) {
    if (c.standing != Standing::queued) return;
    if (c.value == candidate) {
      found = true;
    } else if (host_.withdraw(name, waiter)) {
      c.standing = Standing::aside;
    }
  });
  host_.after(kAside, [this, name, number] {
    const auto at = favours_.find(name);
    if (at != favours_.end() && at->second.number == number) resume(name);
  });
  return found;
}

void Campaigns::resume(const std::string& name) {
  if (favours_.erase(name) == 0) return;
  for_each_in(name, [&](WaiterId waiter, Candidate& c) {
    if (c.standing != Standing::aside) return;
    c.standing = Standing::queued;
    host_.enqueue(name, waiter);
  });
}

void Campaigns::resume_everywhere(const std::string& name) {
  send_to_others(Resume{name});
  resume(name);
}

bool Campaigns::on(Seat from, const StepAside& m) {
  if (!check_lock_name(m.name) || (!m.candidate.empty() && !check_lock_name(m.candidate))) {
    return false;
  }
  host_.send(from, SteppedAside{m.question, favour(m.name, m.candidate)});
  return true;
}

bool Campaigns::on(Seat from, const SteppedAside& m) { return answer(from, m.question, m.found); }

bool Campaigns::on(Seat, const Resume& m) {
  resume(m.name);
  return true;
}

// --- asking to step down ---

void Campaigns::find_candidate(const std::string& name, const std::string& value, Done done) {
  if (has_candidate(name, value)) return done({});
  const std::uint64_t number = ++last_question_;
  Question question{name, {}, false, false, {}, std::move(done)};
  question.nobody = fmt::format("nobody campaigns for {} with the value {}", name, value);
  ask(FindCandidate{number, name, value}, number, std::move(question));
}

bool Campaigns::has_candidate(const std::string& name, const std::string& value) {
  bool found = false;
  for_each_in(name, [&](WaiterId, const Candidate& c) {
    found |= c.standing != Standing::leading && c.value == value;
  });
  return found;
}

bool Campaigns::on(Seat from, const FindCandidate& m) {
  if (!check_lock_name(m.name) || !check_lock_name(m.value)) return false;
  host_.send(from, FoundCandidate{m.question, has_candidate(m.name, m.value)});
  return true;
}

void Campaigns::request_resignation(const std::string& name, const std::string& to, Done done) {
  if (pass_on_request(name, to)) return done({});
  const std::uint64_t number = ++last_question_;
  Question question{name, {}, false, false, fmt::format("nobody leads {}", name), std::move(done)};
  ask(RequestResignation{number, name, to}, number, std::move(question));
}

bool Campaigns::pass_on_request(const std::string& name, const std::string& to) {
  bool found = false;
  for_each_in(name, [&](WaiterId waiter, const Candidate& c) {
    if (c.standing != Standing::leading) return;
    host_.ask_to_resign(waiter, to);
    found = true;
  });
  return found;
}

bool Campaigns::on(Seat from, const RequestResignation& m) {
  if (!check_lock_name(m.name) || (!m.to.empty() && !check_lock_name(m.to))) return false;
  host_.send(from, ResignationRequested{m.question, pass_on_request(m.name, m.to)});
  return true;
}

bool Campaigns::on(Seat from, const ResignationRequested& m) {
  return answer(from, m.question, m.found);
}

// --- questions to all members ---

void Campaigns::ask(const PeerMessage& message, std::uint64_t number, Question question) {
  const std::vector<Seat> others = host_.others();
  question.silent = {others.begin(), others.end()};
  questions_.emplace(number, std::move(question));
  for (const Seat peer : others) {
    if (host_.is_reached(peer)) host_.send(peer, message);
  }
  host_.after(kPatience, [this, number] {
    const auto at = questions_.find(number);
    if (at == questions_.end()) return;
    finish(number, host_.name_at(*at->second.silent.begin()) + " does not answer");
  });
  finish_if_complete(number);
}

// An answer to what nobody asks any more is late, not wrong.
bool Campaigns::answer(Seat from, std::uint64_t question, bool found) {
  const auto at = questions_.find(question);
  if (at == questions_.end() || at->second.silent.erase(from) == 0) return true;
  at->second.found |= found;
  finish_if_complete(question);
  return true;
}

void Campaigns::finish_if_complete(std::uint64_t number) {
  const Question& question = questions_.at(number);
  // To ask a leader, one answer is enough; to hand over, all must have stepped aside.
  if (!question.silent.empty() && (question.is_hand_over || !question.found)) return;
  finish(number, question.found ? "" : question.nobody);
}

void Campaigns::finish(std::uint64_t number, const std::string& error) {
  const auto at = questions_.find(number);
  const Question question = std::move(at->second);
  questions_.erase(at);
  if (question.is_hand_over && !error.empty()) resume_everywhere(question.name);
  question.done(error);
}

}  // namespace hapax
