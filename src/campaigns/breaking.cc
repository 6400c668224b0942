#include "campaigns/breaking.h"

#include <fmt/format.h>

#include "core/lock_name.h"

namespace hapax {

void Breaking::ask(const std::string& name, const std::optional<Fence>& fence,
                   const std::string& by, Done done) {
  const BreakLock asked{++last_question_, name, fence, by};
  Question& question = questions_[asked.question];
  question = {name, {}, host_.break_here(asked), std::move(done)};
  for (const Seat peer : host_.others()) {
    if (!host_.is_up(peer)) continue;
    question.missing.insert(peer);
    host_.send(peer, asked);
  }
  if (question.missing.empty()) return finish(asked.question);
  host_.after(kPatience, [this, number = asked.question] { finish(number); });
}

bool Breaking::on(Seat from, const BreakLock& asked) {
  if (!check_lock_name(asked.name) || asked.by.size() > 2 * session::kLongestText) return false;
  const Broken broken = host_.break_here(asked);
  host_.send(from, LockBroken{asked.question, broken.holders, broken.refusal});
  return true;
}

bool Breaking::on(Seat from, const LockBroken& told) {
  if (told.refusal.size() > 2 * session::kLongestText) return false;
  const auto at = questions_.find(told.question);
  if (at == questions_.end() || at->second.missing.erase(from) == 0) return true;
  at->second.broken.holders += told.holders;
  if (!told.refusal.empty()) at->second.broken.refusal = told.refusal;
  if (at->second.missing.empty()) finish(told.question);
  return true;
}

void Breaking::finish(std::uint64_t number) {
  const auto at = questions_.find(number);
  if (at == questions_.end()) return;
  const Question question = std::move(at->second);
  questions_.erase(at);
  if (!question.broken.refusal.empty()) return question.done(question.broken.refusal);
  question.done(
      question.broken.holders > 0 ? "" : fmt::format("nobody who answers holds {}", question.name));
}

}  // namespace hapax
