#include "search/reduction.h"

#include <algorithm>

namespace hapax {
namespace {

// Beyond that nothing more is claimed: a search that learns so much is better done in full.
constexpr std::size_t kMostClaims = 4'000'000;
// Claims that are tested because of one step. Those that need more seldom hold, and what they lead
// to is far from what ever happens.
constexpr std::uint32_t kPatience = 20'000;

}  // namespace

bool Reduction::may_go_first(std::uint32_t member, std::uint32_t local, std::uint32_t first) {
  const std::uint32_t found = claim(member, local, first);
  claims_[found].is_asked = true;
  want(found);
  settle();
  if (claims_[found].is_broken) return false;
  claims_[found].is_used = true;
  return true;
}

bool Reduction::held() {
  bool held = true;
  for (Claim& claim : claims_) {
    held = held && !(claim.is_used && claim.is_broken);
    claim.is_used = false;
  }
  return held;
}

Reduction::Place& Reduction::place(std::uint32_t member, std::uint32_t local) {
  std::vector<Place>& places = seen_[member].places;
  if (places.size() <= local) places.resize(local + 1);
  return places[local];
}

void Reduction::add(std::uint32_t member, std::uint32_t local, std::uint32_t input) {
  if (!seen_[member].pairs.emplace(local, input).second) return;
  place(member, local).inputs.push_back(input);
  fresh_.push_back({member, local, input});
}

std::uint32_t Reduction::claim(std::uint32_t member, std::uint32_t local, std::uint32_t first) {
  const auto number = static_cast<std::uint32_t>(claims_.size());
  const auto [at, is_new] = seen_[member].claims.try_emplace({local, first}, number);
  if (is_new) {
    claims_.push_back({.member = member, .local = local, .first = first});
    claims_.back().is_broken = claims_.size() > kMostClaims;
  }
  return at->second;
}

void Reduction::want(std::uint32_t number) {
  if (claims_[number].is_tested) return;
  claims_[number].is_tested = true;
  untested_.push_back(number);
}

// What only broken claims rely on need not be known.
bool Reduction::is_needed(const Claim& claim) const {
  return claim.is_asked ||
         std::any_of(claim.relied_on_by.begin(), claim.relied_on_by.end(),
                     [&](std::uint32_t other) { return !claims_[other].is_broken; });
}

// Until every claim that is needed and not broken has been held against every pair that it is
// about. The nearest first, since one that breaks spares what is behind it.
void Reduction::settle() {
  std::uint32_t tests = 0;
  while (!untested_.empty() || !fresh_.empty()) {
    if (!fresh_.empty()) {
      const Fresh pair = fresh_.front();
      fresh_.pop_front();
      for (std::size_t i = 0; i < place(pair.member, pair.local).claims.size(); ++i) {
        consider(place(pair.member, pair.local).claims[i], pair.input);
      }
    } else {
      const std::uint32_t next = untested_.front();
      untested_.pop_front();
      claims_[next].is_tested = is_needed(claims_[next]);
      if (!claims_[next].is_tested || claims_[next].is_broken) continue;
      ++tests <= kPatience ? test(next) : give_up(next);
    }
  }
}

void Reduction::test(std::uint32_t number) {
  const Claim about = claims_[number];
  const std::uint32_t then = automata_.after(about.member, about.local, about.first);
  std::vector<std::uint32_t> others = place(about.member, about.local).inputs;
  if (then != about.local) {
    const std::vector<std::uint32_t>& more = place(about.member, then).inputs;
    others.insert(others.end(), more.begin(), more.end());
    place(about.member, then).claims.push_back(number);
  }
  place(about.member, about.local).claims.push_back(number);
  add(about.member, about.local, about.first);
  for (const std::uint32_t other : others) {
    const bool is_other = other != about.first;
    if (is_other &&
        automata_.order(about.member, about.local, about.first, other) == Order::matters) {
      return give_up(number);
    }
  }
  for (const std::uint32_t other : others) consider(number, other);
}

// Does the claim bear with that input?
void Reduction::consider(std::uint32_t number, std::uint32_t other) {
  const std::uint32_t member = claims_[number].member;
  const std::uint32_t local = claims_[number].local;
  const std::uint32_t first = claims_[number].first;
  if (claims_[number].is_broken || other == first) return;
  const Order order = automata_.order(member, local, first, other);
  if (order == Order::is_given) return;
  if (order == Order::matters) return give_up(number);
  add(member, local, other);
  const std::uint32_t next = claim(member, automata_.after(member, local, other), first);
  if (claims_[next].is_broken) return give_up(number);
  claims_[next].relied_on_by.push_back(number);
  want(next);
}

void Reduction::give_up(std::uint32_t number) {
  std::vector<std::uint32_t> broken{number};
  while (!broken.empty()) {
    Claim& claim = claims_[broken.back()];
    broken.pop_back();
    if (claim.is_broken) continue;
    claim.is_broken = true;
    broken.insert(broken.end(), claim.relied_on_by.begin(), claim.relied_on_by.end());
    claim.relied_on_by.clear();
  }
}

}  // namespace hapax
