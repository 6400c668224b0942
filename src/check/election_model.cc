#include "check/election_model.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "base/check.h"

namespace hapax {
namespace {

constexpr std::uint32_t kCrashed = ~std::uint32_t{0};  // In place of a member's state.
constexpr std::uint32_t kCampaign = 0;
constexpr std::uint32_t kSuspect = 1;  // + who; receiving follows: + message · n + sender

std::uint8_t byte_of(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
std::string_view key_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
SearchStep step_of(ElectionStep kind, std::uint32_t from, std::uint32_t to = 0,
                   std::uint32_t message = 0) {
  return {static_cast<std::uint8_t>(kind), byte_of(from), byte_of(to), message};
}
ElectionStep election_step_of(const SearchStep& step) {
  return static_cast<ElectionStep>(step.kind);
}

}  // namespace

ElectionModel::ElectionModel(std::vector<AnyElection> members, const CheckOptions& options)
    : options_(options),
      n_(options.n),
      links_(options.channels),
      locals_(n_),
      known_by_input_(n_),
      first_(parts(), 0),
      row_(parts()),
      packed_(width()) {
  HAPAX_CHECK(n_ >= 1);
  HAPAX_CHECK(n_ <= kMostChecked);
  HAPAX_CHECK(members.size() == n_);
  for (std::uint32_t i = 0; i < n_; ++i) {
    first_[i] = number_of(i, {std::move(members[i]), byte_of(options.entries - 1), 0});
  }
}

void ElectionModel::pack(const Row& from, std::uint64_t* to) {
  to[(from.size() - 1) / 2] = 0;  // Its second half may have no number.
  std::memcpy(to, from.data(), from.size() * sizeof(std::uint32_t));
}

std::uint32_t ElectionModel::number_of(std::uint32_t i, const Local& local) {
  key_.clear();
  local.algorithm->encode_to(key_);
  key_.push_back(local.again);
  key_.push_back(local.told);
  return locals_[i].number_of(key_of(key_), [&] { return local; });
}

std::uint32_t ElectionModel::number_of_message(std::span<const std::uint8_t> message) {
  return messages_.number_of(key_of(message), [] { return std::monostate{}; });
}

bool ElectionModel::lives(const Row& row, std::uint32_t i) const { return row[i] != kCrashed; }

bool ElectionModel::was_told(const Row& row, std::uint32_t i, std::uint32_t of) const {
  return (locals_[i][row[i]].told >> of & 1) != 0;
}

// Nothing is under way, and nobody is still to be told.
bool ElectionModel::is_at_rest(const Row& row) const {
  for (std::uint32_t l = n_; l < parts(); ++l) {
    if (row[l] != 0) return false;
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (lives(row, i)) continue;
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (lives(row, j) && !was_told(row, j, i)) return false;
    }
  }
  return true;
}

std::uint32_t ElectionModel::highest(const Row& row) const {
  std::uint32_t top = n_ - 1;
  while (top > 0 && !lives(row, top)) --top;
  return top;
}

// --- what a member does ---

std::uint32_t ElectionModel::input_of(const SearchStep& step) const {
  if (election_step_of(step) == ElectionStep::campaign) return kCampaign;
  if (election_step_of(step) == ElectionStep::suspect) return kSuspect + step.from;
  return kSuspect + n_ + step.what * n_ + step.from;
}

const ElectionModel::Reaction& ElectionModel::react(std::uint32_t i, std::uint32_t local,
                                                    std::uint32_t input) {
  std::vector<Row>& table = known_by_input_[i];
  if (local >= table.size()) table.resize(local + 1);
  if (input >= table[local].size()) table[local].resize(input + 1, 0);
  if (table[local][input] == 0) {
    Local next = locals_[i][local];
    Reaction reaction;
    apply(next, input);
    reaction.rejected = fx_.rejected();
    for (const auto& send : fx_.sends()) {
      const std::uint32_t message = number_of_message(fx_.bytes(send));
      fx_.for_each_receiver(send, NodeId{i}, n_,
                            [&](NodeId to) { reaction.sends.emplace_back(number(to), message); });
    }
    reaction.local = number_of(i, next);
    known_.push_back(std::move(reaction));
    table[local][input] = static_cast<std::uint32_t>(known_.size());
  }
  return known_[table[local][input] - 1];
}

void ElectionModel::apply(Local& local, std::uint32_t input) {
  fx_.clear();
  if (input == kCampaign) {
    if (local.algorithm->leader()) --local.again;
    local.algorithm->campaign(fx_);
  } else if (input < kSuspect + n_) {
    const std::uint32_t fallen = input - kSuspect;
    local.told = byte_of(local.told | 1u << fallen);
    local.algorithm->suspect(NodeId{fallen}, fx_);
  } else {
    const std::uint32_t received = input - kSuspect - n_;
    const std::string_view message = messages_.key(received / n_);
    local.algorithm->receive(
        NodeId{received % n_},
        {reinterpret_cast<const std::uint8_t*>(message.data()), message.size()}, fx_);
  }
}

// --- what can happen ---

void ElectionModel::expand(const std::uint64_t* row, Steps& steps) {
  std::memcpy(row_.data(), row, row_.size() * sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (!lives(row_, i)) continue;
    const Local& local = locals_[i][row_[i]];
    if (!local.algorithm->is_open() && (!local.algorithm->leader() || local.again > 0)) {
      take(steps, step_of(ElectionStep::campaign, i), row_, i);
    }
  }
  for (std::uint32_t from = 0; from < n_; ++from) {
    for (std::uint32_t to = 0; to < n_; ++to) {
      if (from == to || !lives(row_, to)) continue;
      Row next = row_;
      const std::uint32_t at = link(from, to);
      for (const LinkContents::Take one : links_.takes(row_[at])) {
        next[at] = one.rest;
        take(steps, step_of(ElectionStep::deliver, from, to, one.message), next, to);
      }
      if (!lives(row_, from) && !was_told(row_, to, from)) {
        next[at] = 0;
        take(steps, step_of(ElectionStep::suspect, from, to), next, to);
      }
    }
  }
  const auto crashed =
      static_cast<std::uint32_t>(std::count(row_.begin(), row_.begin() + n_, kCrashed));
  if (crashed < options_.crashes) expand_crashes(steps);
}

// Member i takes a step from `next`, which is row_ except for the link that the message came from.
void ElectionModel::take(Steps& steps, const SearchStep& step, Row next, std::uint32_t i) {
  const Reaction& reaction = react(i, row_[i], input_of(step));
  next[i] = reaction.local;
  for (const auto& [to, message] : reaction.sends) {
    if (!lives(next, to)) continue;  // Lost with the link.
    next[link(i, to)] = links_.with(next[link(i, to)], message);
  }
  if (reaction.rejected != Reject::none) {
    steps.fail(step, "protocol",
               fmt::format("P{} rejects a {}", i + 1, name_of(reaction.rejected)));
    return;
  }
  if (follows_rightly(steps, step, next, i)) finish(steps, step, next);
}

void ElectionModel::finish(Steps& steps, const SearchStep& step, const Row& next) {
  if (next != first_ && is_at_rest(next)) {
    rests_ = true;
    if (std::string wrong = disagreement(next); !wrong.empty()) {
      steps.fail(step, "agreement", std::move(wrong));
      return;
    }
  }
  pack(next, packed_.data());
  steps.add(step, packed_.data());
}

void ElectionModel::expand_crashes(Steps& steps) {
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (!lives(row_, i)) continue;
    Row next = row_;
    next[i] = kCrashed;
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j != i) next[link(j, i)] = 0;
    }
    finish(steps, step_of(ElectionStep::crash, i), next);
  }
}

std::optional<std::uint32_t> ElectionModel::fair_class(const SearchStep& step) const {
  if (every_cycle_counts_) return std::nullopt;
  if (election_step_of(step) == ElectionStep::deliver) return link(step.from, step.to) - n_;
  if (election_step_of(step) == ElectionStep::suspect) return n_ * (n_ - 1);
  return std::nullopt;
}

std::uint64_t ElectionModel::waits(const std::uint64_t* row) const {
  Row now(parts());
  std::memcpy(now.data(), row, now.size() * sizeof(std::uint32_t));
  if (is_at_rest(now)) return 0;
  std::uint64_t waiting = std::uint64_t{1} << n_;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (!lives(now, i)) continue;
    if (!member(now, i)->leader() || member(now, i)->is_open()) waiting |= std::uint64_t{1} << i;
  }
  return waiting;
}

// --- what must hold ---

// Of whom member i follows after its step.
bool ElectionModel::follows_rightly(Steps& steps, const SearchStep& step, const Row& next,
                                    std::uint32_t i) {
  const Term before = member(row_, i)->term();
  const Term term = member(next, i)->term();
  if (term < before) {
    steps.fail(step, "following",
               fmt::format("P{} goes back from term {} to {}", i + 1, before, term));
    return false;
  }
  if (!member(next, i)->leader()) return true;
  const std::uint32_t leader = number(*member(next, i)->leader());
  const std::uint32_t top = highest(next);
  std::string wrong;
  std::string_view property = "following";
  if (leader < i) {
    wrong = "which it outranks";
  } else if (was_told(next, i, leader)) {
    wrong = "which it knows to be down";
  } else if (leader < top && lives(next, leader)) {
    property = "leaders";
    wrong = fmt::format("though P{} lives", top + 1);
  }
  if (wrong.empty()) {
    note_terms(next, i, leader, term);
    return true;
  }
  const std::string what = leader == i ? "leads" : fmt::format("follows P{}", leader + 1);
  steps.fail(step, property, fmt::format("P{} {}, {}", i + 1, what, wrong));
  return false;
}

// Not every algorithm promises it: a term may go to another one after its leader has crashed.
void ElectionModel::note_terms(const Row& next, std::uint32_t i, std::uint32_t leader, Term term) {
  for (std::uint32_t j = 0; j < n_ && terms_have_one_leader_; ++j) {
    if (j == i || !lives(next, j)) continue;
    const AnyElection& other = member(next, j);
    if (other->leader().value_or(NodeId{leader}) != NodeId{leader} && other->term() == term) {
      terms_have_one_leader_ = false;
    }
  }
}

// What is wrong at rest; empty if nothing is.
std::string ElectionModel::disagreement(const Row& row) const {
  const std::uint32_t top = highest(row);
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (!lives(row, i)) continue;
    const std::optional<NodeId> leader = member(row, i)->leader();
    if (!leader) return fmt::format("all is quiet, and P{} has no leader", i + 1);
    if (*leader != NodeId{top}) {
      return fmt::format("all is quiet, and P{} follows P{}, but P{} is the highest that lives",
                         i + 1, number(*leader) + 1, top + 1);
    }
    if (member(row, i)->is_open()) {
      return fmt::format("all is quiet, and P{} still waits for an end", i + 1);
    }
  }
  return {};
}

// --- in words ---

std::vector<std::string> ElectionModel::tell(const std::vector<SearchStep>& way) {
  std::vector<std::string> commands;
  Row row = first_;
  std::vector<Row> under_way(parts());  // By link, as they were sent.
  for (const SearchStep& step : way) {
    commands.push_back(tell(step, under_way));
    if (election_step_of(step) == ElectionStep::crash) {
      row[step.from] = kCrashed;
      continue;
    }
    const std::uint32_t who =
        election_step_of(step) == ElectionStep::campaign ? step.from : step.to;
    const Reaction& reaction = react(who, row[who], input_of(step));
    row[who] = reaction.local;
    for (const auto& [to, message] : reaction.sends) under_way[link(who, to)].push_back(message);
  }
  return commands;
}

std::string ElectionModel::tell(const SearchStep& step, std::vector<Row>& under_way) const {
  const std::string from = fmt::format("P{}", step.from + 1);
  const std::string to = fmt::format("P{}", step.to + 1);
  switch (election_step_of(step)) {
    case ElectionStep::campaign:
      return "campaign " + from;
    case ElectionStep::crash:
      return "crash " + from;
    case ElectionStep::suspect: {
      std::string text;
      Row& lost = under_way[link(step.from, step.to)];
      for (std::size_t i = 0; i < lost.size(); ++i) text += fmt::format("drop {}->{}\n", from, to);
      lost.clear();
      return text + fmt::format("suspect {} {}", to, from);
    }
    case ElectionStep::deliver: {
      Row& messages = under_way[link(step.from, step.to)];
      const auto at = std::find(messages.begin(), messages.end(), step.what);
      HAPAX_CHECK(at != messages.end());
      const auto place = at - messages.begin();
      messages.erase(at);
      return fmt::format("deliver {}->{}", from, to) +
             (place > 0 ? fmt::format(" {}", place + 1) : "");
    }
  }
  return {};
}

}  // namespace hapax
