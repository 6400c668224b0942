// All that members of an election and the links between them can do, as a model for the search. It
// keeps the promises that the contract asks of a driver, and nothing more: who crashes is suspected
// by each member at any later time, or never if that one crashes, too; what it sent may arrive
// until then and not afterwards; nobody is suspected that lives. A member that has no election open
// may campaign whenever it knows no leader, and options.entries - 1 times though it has one.
//
// A state is a row of numbers: one for each member, one for each link. A member that has crashed
// has a number of its own, whatever it was doing; the crashes left are counted from these. The
// algorithm objects are the real ones; what a member in a given state does on a given input is
// computed once and looked up from then on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "check/channels.h"
#include "check/options.h"
#include "core/effects.h"
#include "core/election_algorithm.h"
#include "core/make.h"
#include "search/parts.h"
#include "wire/codec.h"

namespace hapax {

struct ElectionStep {
  enum class Kind : std::uint8_t { campaign, deliver, crash, suspect };
  Kind kind{};
  std::uint8_t from = 0;      // deliver: the sender; suspect: who is suspected; else who does it
  std::uint8_t to = 0;        // deliver, suspect: who is told
  std::uint32_t message = 0;  // deliver: its number
};

template <ElectionAlgorithm A>
class ElectionModel {
 public:
  using Action = ElectionStep;
  using Message = typename A::Message;

  ElectionModel(const CheckOptions& options, const typename OptionsOf<A>::Type& choice)
      : options_(options),
        n_(options.n),
        links_(options.channels),
        locals_(n_),
        outcomes_(n_),
        first_(parts(), 0),
        row_(parts()),
        next_(parts()),
        packed_(width()) {
    HAPAX_CHECK(n_ >= 1);
    HAPAX_CHECK(n_ <= kMostChecked);
    for (std::uint32_t i = 0; i < n_; ++i) {
      const View view{.epoch = Epoch{1}, .size = n_, .self = NodeId{i}};
      first_[i] = number_of(i, {make<A>(view, choice), narrow(options.entries - 1), 0});
    }
  }

  // Two numbers to a word.
  std::uint32_t width() const { return (parts() + 1) / 2; }

  void initial(std::uint64_t* row) const { pack(first_, row); }

  template <class Sink>
  void expand(const std::uint64_t* row, Sink& sink) {
    std::memcpy(row_.data(), row, row_.size() * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!lives(row_, i)) continue;
      const Local& local = locals_[i][row_[i]];
      if (!local.algorithm.is_open() && (!local.algorithm.leader() || local.again > 0)) {
        begin();
        take(sink, {Kind::campaign, narrow(i)}, i, kCampaign);
      }
    }
    for (std::uint32_t from = 0; from < n_; ++from) {
      for (std::uint32_t to = 0; to < n_; ++to) {
        if (from == to || !lives(row_, to)) continue;
        expand_link(sink, from, to);
        if (!lives(row_, from) && !was_told(row_, to, from)) expand_suspicion(sink, from, to);
      }
    }
    if (crashed(row_) < options_.crashes) expand_crashes(sink);
  }

  // For the search of cycles. Bit i: member i has no leader yet, or an election still open. Bit n:
  // something must still happen. None at rest: whether all is well there has been judged by the
  // step that led there.
  std::uint64_t waits(const std::uint64_t* row) const {
    std::vector<std::uint32_t> now(parts());
    std::memcpy(now.data(), row, now.size() * sizeof(std::uint32_t));
    if (is_at_rest(now)) return 0;
    std::uint64_t waiting = std::uint64_t{1} << n_;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!lives(now, i)) continue;
      const A& a = locals_[i][now[i]].algorithm;
      if (!a.leader() || a.is_open()) waiting |= std::uint64_t{1} << i;
    }
    return waiting;
  }
  std::string dead_end(const std::uint64_t*) const { return "nothing can happen"; }

  // Deliveries and suspicions happen at last; nobody has to campaign, or to crash. No cycle has a
  // suspicion on it, since none is taken back, so that all of them can go as one.
  std::optional<std::uint32_t> fair_class(const ElectionStep& step) const {
    if (every_cycle_counts_) return std::nullopt;
    if (step.kind == Kind::deliver) return link(step.from, step.to) - n_;
    if (step.kind == Kind::suspect) return n_ * (n_ - 1);
    return std::nullopt;
  }
  // Whether a state at rest was ever seen, other than the first: else nothing was judged.
  bool rests() const { return rests_; }
  // Whether no two that live were ever seen to follow different ones, crashed or not, in one term.
  bool terms_have_one_leader() const { return terms_have_one_leader_; }
  // If so, fair or not: then the lack of cycles means that every run ends.
  void let_every_cycle_count(bool so) { every_cycle_counts_ = so; }

  // The way as commands of a trace, those of a step with line ends between them: what is lost with
  // a link is dropped before its end is told.
  std::vector<std::string> tell(const std::vector<ElectionStep>& way) {
    std::vector<std::string> commands;
    std::vector<std::uint32_t> row = first_;
    std::vector<std::vector<std::uint32_t>> under_way(parts());  // By link, as they were sent.
    for (const ElectionStep& step : way) {
      commands.push_back(tell(step, under_way));
      if (step.kind == Kind::crash) {
        row[step.from] = kCrashed;
        continue;
      }
      const std::uint32_t who = step.kind == Kind::campaign ? step.from : step.to;
      const Outcome& outcome = react(who, row[who], input_of(step));
      row[who] = outcome.local;
      for (const auto& [to, message] : outcome.sends) under_way[link(who, to)].push_back(message);
    }
    return commands;
  }

 private:
  using Kind = ElectionStep::Kind;
  using Row = std::vector<std::uint32_t>;

  static constexpr std::uint32_t kCrashed = ~std::uint32_t{0};  // In place of a member's state.
  static constexpr std::uint32_t kCampaign = 0;
  static constexpr std::uint32_t kSuspect = 1;  // + who; receiving follows: + message · n + sender

  struct Local {
    A algorithm;
    std::uint8_t again;  // How often it may still campaign though it has a leader.
    std::uint8_t told;   // A bit for each peer whose fall it was told of.
  };
  struct Outcome {
    std::uint32_t local;
    Reject rejected;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sends;  // to, message
  };

  static std::uint8_t narrow(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
  std::uint32_t parts() const { return n_ + n_ * (n_ - 1); }
  std::uint32_t link(std::uint32_t from, std::uint32_t to) const {
    return n_ + from * (n_ - 1) + (to > from ? to - 1 : to);
  }
  static void pack(const Row& from, std::uint64_t* to) {
    to[(from.size() - 1) / 2] = 0;  // Its second half may have no number.
    std::memcpy(to, from.data(), from.size() * sizeof(std::uint32_t));
  }
  static std::string_view view_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::uint32_t number_of(std::uint32_t i, const Local& local) {
    key_.clear();
    encode_to(key_, local.algorithm);
    key_.push_back(local.again);
    key_.push_back(local.told);
    return locals_[i].number_of(view_of(key_), [&] { return local; });
  }
  std::uint32_t number_of(const Message& message) {
    key_.clear();
    encode_to(key_, message);
    return messages_.number_of(view_of(key_), [&] { return message; });
  }

  bool lives(const Row& row, std::uint32_t i) const { return row[i] != kCrashed; }
  bool was_told(const Row& row, std::uint32_t i, std::uint32_t of) const {
    return (locals_[i][row[i]].told >> of & 1) != 0;
  }
  std::uint32_t crashed(const Row& row) const {
    return static_cast<std::uint32_t>(std::count(row.begin(), row.begin() + n_, kCrashed));
  }
  // Nothing is under way, and nobody is still to be told.
  bool is_at_rest(const Row& row) const {
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

  // --- what a member does ---

  std::uint32_t input_of(const ElectionStep& step) const {
    if (step.kind == Kind::campaign) return kCampaign;
    if (step.kind == Kind::suspect) return kSuspect + step.from;
    return kSuspect + n_ + step.message * n_ + step.from;
  }

  const Outcome& react(std::uint32_t i, std::uint32_t local, std::uint32_t input) {
    std::vector<std::vector<std::uint32_t>>& table = outcomes_[i];
    if (local >= table.size()) table.resize(local + 1);
    if (input >= table[local].size()) table[local].resize(input + 1, 0);
    if (table[local][input] == 0) {
      Local next = locals_[i][local];
      fx_.clear();
      apply(next, input);
      Outcome outcome{number_of(i, next), fx_.rejected(), {}};
      fx_.for_each_message(NodeId{i}, n_, [&](NodeId to, const Message& message) {
        outcome.sends.emplace_back(number(to), number_of(message));
      });
      known_.push_back(std::move(outcome));
      table[local][input] = static_cast<std::uint32_t>(known_.size());
    }
    return known_[table[local][input] - 1];
  }

  void apply(Local& local, std::uint32_t input) {
    A& a = local.algorithm;
    if (input == kCampaign) {
      if (a.leader()) --local.again;
      a.campaign(fx_);
    } else if (input < kSuspect + n_) {
      const std::uint32_t fallen = input - kSuspect;
      local.told = narrow(local.told | 1u << fallen);
      a.suspect(NodeId{fallen}, fx_);
      if (!a.leader()) a.campaign(fx_);
    } else {
      const std::uint32_t received = input - kSuspect - n_;
      a.receive(NodeId{received % n_}, messages_[received / n_], fx_);
    }
  }

  // --- what can happen ---

  void begin() { next_ = row_; }

  // Member i takes a step from next_, which is row_ but for the link that it was taken from.
  template <class Sink>
  void take(Sink& sink, const ElectionStep& action, std::uint32_t i, std::uint32_t input) {
    const Outcome& outcome = react(i, row_[i], input);
    next_[i] = outcome.local;
    for (const auto& [to, message] : outcome.sends) {
      if (!lives(next_, to)) continue;  // Lost with the link.
      next_[link(i, to)] = links_.with(next_[link(i, to)], message);
    }
    if (outcome.rejected != Reject::none) {
      sink.fail(action, "protocol",
                fmt::format("P{} rejects a {}", i + 1, name_of(outcome.rejected)));
      return;
    }
    if (follows_rightly(sink, action, i)) finish(sink, action);
  }

  template <class Sink>
  void finish(Sink& sink, const ElectionStep& action) {
    if (next_ != first_ && is_at_rest(next_)) {
      rests_ = true;
      if (std::string wrong = disagreement(next_); !wrong.empty()) {
        sink.fail(action, "agreement", std::move(wrong));
        return;
      }
    }
    pack(next_, packed_.data());
    sink.step(action, packed_.data());
  }

  template <class Sink>
  void expand_link(Sink& sink, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t at = link(from, to);
    for (const LinkContents::Take one : links_.takes(row_[at])) {
      const ElectionStep action{Kind::deliver, narrow(from), narrow(to), one.message};
      begin();
      next_[at] = one.rest;
      take(sink, action, to, input_of(action));
    }
  }

  template <class Sink>
  void expand_suspicion(Sink& sink, std::uint32_t fallen, std::uint32_t who) {
    const ElectionStep action{Kind::suspect, narrow(fallen), narrow(who)};
    begin();
    next_[link(fallen, who)] = 0;
    take(sink, action, who, input_of(action));
  }

  template <class Sink>
  void expand_crashes(Sink& sink) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!lives(row_, i)) continue;
      begin();
      next_[i] = kCrashed;
      for (std::uint32_t j = 0; j < n_; ++j) {
        if (j != i) next_[link(j, i)] = 0;
      }
      finish(sink, {Kind::crash, narrow(i)});
    }
  }

  // --- what must hold ---

  std::uint32_t highest(const Row& row) const {
    std::uint32_t top = n_ - 1;
    while (top > 0 && !lives(row, top)) --top;
    return top;
  }

  // What must hold of whom member i follows after its step.
  template <class Sink>
  bool follows_rightly(Sink& sink, const ElectionStep& action, std::uint32_t i) {
    const Local& before = locals_[i][row_[i]];
    const Local& after = locals_[i][next_[i]];
    if (after.algorithm.term() < before.algorithm.term()) {
      sink.fail(action, "following",
                fmt::format("P{} goes back from term {} to {}", i + 1, before.algorithm.term(),
                            after.algorithm.term()));
      return false;
    }
    if (!after.algorithm.leader()) return true;
    const std::uint32_t leader = number(*after.algorithm.leader());
    const std::uint32_t top = highest(next_);
    std::string wrong;
    std::string_view property = "following";
    if (leader < i) {
      wrong = "which it outranks";
    } else if ((after.told >> leader & 1) != 0) {
      wrong = "which it knows to be down";
    } else if (leader < top && lives(next_, leader)) {
      property = "leaders";
      wrong = fmt::format("though P{} lives", top + 1);
    }
    if (wrong.empty()) {
      note_terms(i, leader, after.algorithm.term());
      return true;
    }
    const std::string what = leader == i ? "leads" : fmt::format("follows P{}", leader + 1);
    sink.fail(action, property, fmt::format("P{} {}, {}", i + 1, what, wrong));
    return false;
  }

  // Not every algorithm promises it: a term may go to another one after its leader has crashed.
  void note_terms(std::uint32_t i, std::uint32_t leader, Term term) {
    for (std::uint32_t j = 0; j < n_ && terms_have_one_leader_; ++j) {
      if (j == i || !lives(next_, j)) continue;
      const A& other = locals_[j][next_[j]].algorithm;
      if (other.leader().value_or(NodeId{leader}) != NodeId{leader} && other.term() == term) {
        terms_have_one_leader_ = false;
      }
    }
  }

  // What is wrong at rest; empty if nothing is.
  std::string disagreement(const Row& row) const {
    const std::uint32_t top = highest(row);
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!lives(row, i)) continue;
      const A& a = locals_[i][row[i]].algorithm;
      if (!a.leader()) return fmt::format("all is quiet, and P{} has no leader", i + 1);
      if (*a.leader() != NodeId{top}) {
        return fmt::format("all is quiet, and P{} follows P{}, but P{} is the highest that lives",
                           i + 1, number(*a.leader()) + 1, top + 1);
      }
      if (a.is_open()) return fmt::format("all is quiet, and P{} still waits for an end", i + 1);
    }
    return {};
  }

  std::string tell(const ElectionStep& step,
                   std::vector<std::vector<std::uint32_t>>& under_way) const {
    const std::string from = fmt::format("P{}", step.from + 1);
    const std::string to = fmt::format("P{}", step.to + 1);
    switch (step.kind) {
      case Kind::campaign:
        return "campaign " + from;
      case Kind::crash:
        return "crash " + from;
      case Kind::suspect: {
        std::string text;
        std::vector<std::uint32_t>& lost = under_way[link(step.from, step.to)];
        for (std::size_t i = 0; i < lost.size(); ++i)
          text += fmt::format("drop {}->{}\n", from, to);
        lost.clear();
        return text + fmt::format("suspect {} {}", to, from);
      }
      case Kind::deliver: {
        std::vector<std::uint32_t>& messages = under_way[link(step.from, step.to)];
        const auto at = std::find(messages.begin(), messages.end(), step.message);
        HAPAX_CHECK(at != messages.end());
        const auto place = at - messages.begin();
        messages.erase(at);
        return fmt::format("deliver {}->{}", from, to) +
               (place > 0 ? fmt::format(" {}", place + 1) : "");
      }
    }
    return {};
  }

  CheckOptions options_;
  std::uint32_t n_;
  LinkContents links_;
  Parts<Message> messages_;
  std::vector<Parts<Local>> locals_;
  // By member, its state and the input: one more than the place in known_; 0 if it was never seen.
  std::vector<std::vector<std::vector<std::uint32_t>>> outcomes_;
  std::vector<Outcome> known_;
  Row first_;  // The initial state.
  Row row_;    // The state that is expanded.
  Row next_;   // One that follows from it.
  std::vector<std::uint64_t> packed_;
  Effects<Message> fx_;
  Bytes key_;
  bool rests_ = false;
  bool terms_have_one_leader_ = true;
  bool every_cycle_counts_ = false;
};

}  // namespace hapax
