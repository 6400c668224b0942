// All that nodes of a mutual-exclusion algorithm and the links between them can do, as a model for
// the search.
//
// A state is a row of numbers: one for each node, one for each link, and one for what belongs to
// nobody (the last fence, how many faults are left, who has crashed). The algorithm objects are the
// real ones; since they are deterministic, what a node in a given state does on a given input is
// computed once and looked up from then on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/record.h"
#include "base/text.h"
#include "check/channels.h"
#include "check/options.h"
#include "check/parts.h"
#include "check/step.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "wire/codec.h"

namespace hapax {

template <MutexAlgorithm A, class WordType>
class MutexModel {
 public:
  using Word = WordType;
  using Action = CheckStep;
  using Message = typename A::Message;

  MutexModel(const CheckOptions& options, const typename OptionsOf<A>::Type& choice)
      : options_(options),
        n_(options.n),
        links_(options.channels, kLimit),
        messages_(kLimit),
        shared_(kLimit),
        locals_(n_, Parts<Local>{kLimit}),
        outcomes_(n_),
        scratch_(width()) {
    HAPAX_CHECK(n_ >= 1);
    HAPAX_CHECK(n_ <= kMostChecked);
    View view{Epoch{1}, n_, NodeId{}, options.holder, options.held};
    for (std::uint32_t i = 0; i < n_; ++i) {
      view.self = NodeId{i};
      initial_.push_back({make<A>(view, choice), static_cast<std::uint8_t>(options.entries)});
    }
  }

  std::uint32_t width() const { return n_ + n_ * (n_ - 1) + 1; }

  void initial(Word* row) {
    for (std::uint32_t i = 0; i < n_; ++i) row[i] = number_of(i, initial_[i]);
    for (std::uint32_t l = n_; l + 1 < width(); ++l) row[l] = 0;
    const Shared shared{0, static_cast<std::uint8_t>(options_.duplicates),
                        static_cast<std::uint8_t>(options_.losses),
                        static_cast<std::uint8_t>(options_.crashes), 0};
    row[width() - 1] = number_of(shared);
    for (std::uint32_t i = 0; i < n_; ++i) {
      Local local = initial_[i];
      fx_.clear();
      start(local.algorithm, fx_);
      const Outcome outcome = outcome_of(i, local);
      row[i] = static_cast<Word>(outcome.local);
      for (const auto& [to, message] : outcome.sends) push(row, i, to, message);
    }
  }

  template <class Sink>
  void expand(const Word* row, Sink& sink) {
    const Shared shared = shared_[row[width() - 1]];
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((shared.crashed >> i & 1) != 0) continue;
      const Local& local = locals_[i][row[i]];
      if (local.phase() == Phase::idle && local.left > 0) {
        step(row, sink, {CheckStep::Kind::request, narrow(i)}, i, kRequest);
      } else if (local.phase() == Phase::inside) {
        step(row, sink, {CheckStep::Kind::release, narrow(i)}, i, kRelease);
      }
    }
    for (std::uint32_t from = 0; from < n_; ++from) {
      for (std::uint32_t to = 0; to < n_; ++to) {
        if (from == to || row[link(from, to)] == 0) continue;
        expand_link(row, sink, shared, from, to);
      }
    }
    if (shared.crashes > 0) expand_crashes(row, sink, shared);
  }

  // A bit for each process that waits, where progress is promised. The dead do not wait.
  std::uint64_t waits(const Word* row) const {
    if (!options_.promises_progress()) return 0;
    const std::uint8_t crashed = shared_[row[width() - 1]].crashed;
    std::uint64_t waiting = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((crashed >> i & 1) != 0) continue;
      if (locals_[i][row[i]].phase() == Phase::waiting) waiting |= std::uint64_t{1} << i;
    }
    return waiting;
  }

  std::string dead_end(const Word* row) const {
    std::string who;
    const std::uint64_t waiting = waits(row);
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((waiting >> i & 1) == 0) continue;
      who += fmt::format("{}P{}", who.empty() ? "" : ", ", i + 1);
    }
    return fmt::format("deadlock: {} wait, no message is under way and nobody is inside", who);
  }

  // Deliveries and exits happen at last; nobody has to ask, and faults need not occur.
  std::optional<std::uint32_t> fair_class(const CheckStep& step) const {
    if (step.kind == CheckStep::Kind::release) return step.from;
    if (step.kind == CheckStep::Kind::deliver) return link(step.from, step.to);
    return std::nullopt;
  }

  // The way as commands of a trace. A message that overtakes others is named by its place on the
  // link.
  std::vector<std::string> tell(const std::vector<CheckStep>& way) {
    std::vector<std::string> commands;
    std::vector<Word> row(width());
    initial(row.data());
    std::vector<std::vector<std::uint32_t>> under_way(
        width());  // By link: messages in the order of sending.
    for (std::uint32_t l = n_; l + 1 < width(); ++l) {
      for (std::uint32_t content = row[l]; content != 0; content = links_.takes(content)[0].rest) {
        under_way[l].push_back(links_.takes(content)[0].message);
      }
    }
    for (const CheckStep& step : way) {
      std::uint32_t node = step.from;
      std::uint32_t input = step.kind == CheckStep::Kind::request ? kRequest : kRelease;
      std::string command = fmt::format("P{}", step.from + 1);
      if (step.kind == CheckStep::Kind::deliver || step.kind == CheckStep::Kind::lose ||
          step.kind == CheckStep::Kind::duplicate) {
        std::vector<std::uint32_t>& messages = under_way[link(step.from, step.to)];
        const auto at = std::find(messages.begin(), messages.end(), step.message);
        HAPAX_CHECK(at != messages.end());
        command = fmt::format("P{}->P{}", step.from + 1, step.to + 1);
        if (at != messages.begin()) command += fmt::format(" {}", at - messages.begin() + 1);
        if (step.kind == CheckStep::Kind::duplicate) {
          messages.push_back(step.message);
        } else {
          messages.erase(at);
        }
        node = step.to;
        input = kReceive + step.message * n_ + step.from;
      }
      commands.push_back(fmt::format("{} {}", verb_of(step.kind), command));
      if (step.kind != CheckStep::Kind::request && step.kind != CheckStep::Kind::release &&
          step.kind != CheckStep::Kind::deliver) {
        continue;
      }
      const Outcome outcome = react(node, row[node], input);
      row[node] = static_cast<Word>(outcome.local);
      for (const auto& [to, message] : outcome.sends) under_way[link(node, to)].push_back(message);
    }
    return commands;
  }

  // Every process that was seen to enter.
  std::uint64_t entered() const { return entered_; }

 private:
  static constexpr std::uint32_t kLimit = static_cast<Word>(~Word{0});
  static constexpr std::uint32_t kRequest = 0;
  static constexpr std::uint32_t kRelease = 1;
  static constexpr std::uint32_t kReceive = 2;  // + message · n + sender

  struct Local {
    A algorithm;
    std::uint8_t left;  // How often it may still ask.
    Phase phase() const { return algorithm.phase(); }
  };
  struct Shared {
    std::uint64_t last_turn;
    std::uint8_t duplicates, losses, crashes;
    std::uint8_t crashed;  // A bit for each process.
    HAPAX_RECORD(Shared, last_turn, duplicates, losses, crashes, crashed)
  };
  struct Outcome {
    std::uint32_t local;
    std::optional<Turn> turn;
    Reject rejected;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sends;  // to, message
  };

  static std::string_view verb_of(CheckStep::Kind kind) {
    switch (kind) {
      case CheckStep::Kind::request:
        return "request";
      case CheckStep::Kind::release:
        return "release";
      case CheckStep::Kind::deliver:
        return "deliver";
      case CheckStep::Kind::duplicate:
        return "dup";
      case CheckStep::Kind::lose:
        return "drop";
      case CheckStep::Kind::crash:
        return "crash";
      case CheckStep::Kind::act:
        return "act";
    }
    return "?";
  }
  static std::uint8_t narrow(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
  std::uint32_t link(std::uint32_t from, std::uint32_t to) const {
    return n_ + from * (n_ - 1) + (to > from ? to - 1 : to);
  }
  static std::string_view view_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  Word number_of(std::uint32_t i, const Local& local) {
    key_.clear();
    encode_to(key_, local.algorithm);
    key_.push_back(local.left);
    return static_cast<Word>(locals_[i].number_of(view_of(key_), [&] { return local; }));
  }
  Word number_of(const Shared& shared) {
    key_.clear();
    encode_to(key_, shared);
    return static_cast<Word>(shared_.number_of(view_of(key_), [&] { return shared; }));
  }
  std::uint32_t number_of(const Message& message) {
    key_.clear();
    encode_to(key_, message);
    return messages_.number_of(view_of(key_), [&] { return message; });
  }

  void push(Word* row, std::uint32_t from, std::uint32_t to, std::uint32_t message) {
    Word& content = row[link(from, to)];
    content = static_cast<Word>(links_.with(content, message));
  }

  // What fx_ says that node i did, and the state it is in now.
  Outcome outcome_of(std::uint32_t i, const Local& local) {
    Outcome outcome{number_of(i, local), fx_.entered(), fx_.rejected(), {}};
    fx_.for_each_message(NodeId{i}, n_, [&](NodeId to, const Message& message) {
      outcome.sends.emplace_back(number(to), number_of(message));
    });
    return outcome;
  }

  const Outcome& react(std::uint32_t i, std::uint32_t local, std::uint32_t input) {
    std::vector<std::vector<std::uint32_t>>& table = outcomes_[i];
    if (local >= table.size()) table.resize(local + 1);
    if (input >= table[local].size()) table[local].resize(input + 1, 0);
    if (table[local][input] != 0) return known_[table[local][input] - 1];
    Local next = locals_[i][local];
    fx_.clear();
    if (input == kRequest) {
      --next.left;
      next.algorithm.request(fx_);
    } else if (input == kRelease) {
      next.algorithm.release(fx_);
    } else {
      const std::uint32_t from = (input - kReceive) % n_;
      next.algorithm.receive(NodeId{from}, messages_[(input - kReceive) / n_], fx_);
    }
    known_.push_back(outcome_of(i, next));
    table[local][input] = static_cast<std::uint32_t>(known_.size());
    return known_.back();
  }

  // Node i reacts to `input`; scratch_ becomes the state after it. REQUIRES: scratch_ is the state
  // before it, without the message that is delivered.
  template <class Sink>
  void finish(Sink& sink, const CheckStep& action, std::uint32_t i, std::uint32_t input) {
    const Outcome& outcome = react(i, scratch_[i], input);
    scratch_[i] = static_cast<Word>(outcome.local);
    for (const auto& [to, message] : outcome.sends) push(scratch_.data(), i, to, message);
    if (outcome.rejected != Reject::none &&
        options_.duplicates + options_.losses + options_.crashes == 0) {
      sink.fail(action, "protocol",
                fmt::format("P{} rejects a {}", i + 1, name_of(outcome.rejected)));
      return;
    }
    if (outcome.turn && !check_entry(sink, action, i, *outcome.turn)) return;
    sink.step(action, scratch_.data());
  }

  template <class Sink>
  void step(const Word* row, Sink& sink, const CheckStep& action, std::uint32_t i,
            std::uint32_t input) {
    scratch_.assign(row, row + width());
    finish(sink, action, i, input);
  }

  template <class Sink>
  bool check_entry(Sink& sink, const CheckStep& action, std::uint32_t i, Turn turn) {
    entered_ |= std::uint64_t{1} << i;
    Shared shared = shared_[scratch_[width() - 1]];
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j != i && (shared.crashed >> j & 1) == 0 &&
          locals_[j][scratch_[j]].phase() == Phase::inside) {
        sink.fail(action, "exclusion", fmt::format("P{} enters while P{} is inside", i + 1, j + 1));
        return false;
      }
    }
    if (!options_.fences) return true;
    if (number(turn) <= shared.last_turn) {
      sink.fail(
          action, "fence",
          fmt::format("P{} enters with turn {} after {}", i + 1, number(turn), shared.last_turn));
      return false;
    }
    shared.last_turn = number(turn);
    scratch_[width() - 1] = number_of(shared);
    return true;
  }

  template <class Sink>
  void expand_link(const Word* row, Sink& sink, const Shared& shared, std::uint32_t from,
                   std::uint32_t to) {
    const std::uint32_t at = link(from, to);
    // By value: taking and adding find new contents, and the list of them moves.
    for (std::size_t t = 0; t < links_.takes(row[at]).size(); ++t) {
      const LinkContents::Take take = links_.takes(row[at])[t];
      CheckStep action{CheckStep::Kind::deliver, narrow(from), narrow(to), take.message};
      if ((shared.crashed >> to & 1) == 0) {
        scratch_.assign(row, row + width());
        scratch_[at] = static_cast<Word>(take.rest);
        finish(sink, action, to, kReceive + take.message * n_ + from);
      }
      if (shared.losses > 0) {
        Shared less = shared;
        --less.losses;
        change_link(row, sink, {CheckStep::Kind::lose, narrow(from), narrow(to), take.message}, at,
                    take.rest, less);
      }
      if (shared.duplicates > 0) {
        Shared less = shared;
        --less.duplicates;
        change_link(row, sink, {CheckStep::Kind::duplicate, narrow(from), narrow(to), take.message},
                    at, links_.with(row[at], take.message), less);
      }
    }
  }

  template <class Sink>
  void change_link(const Word* row, Sink& sink, const CheckStep& action, std::uint32_t at,
                   std::uint32_t content, const Shared& shared) {
    scratch_.assign(row, row + width());
    scratch_[at] = static_cast<Word>(content);
    scratch_[width() - 1] = number_of(shared);
    sink.step(action, scratch_.data());
  }

  template <class Sink>
  void expand_crashes(const Word* row, Sink& sink, const Shared& shared) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if ((shared.crashed >> i & 1) != 0) continue;
      Shared next = shared;
      --next.crashes;
      next.crashed = narrow(next.crashed | 1u << i);
      scratch_.assign(row, row + width());
      scratch_[width() - 1] = number_of(next);
      sink.step({CheckStep::Kind::crash, narrow(i)}, scratch_.data());
    }
  }

  CheckOptions options_;
  std::uint32_t n_;
  LinkContents links_;
  Parts<Message> messages_;
  Parts<Shared> shared_;
  std::vector<Parts<Local>> locals_;
  // By node, its state and the input: one more than the place in known_; 0 if it was never seen.
  std::vector<std::vector<std::vector<std::uint32_t>>> outcomes_;
  std::vector<Outcome> known_;
  std::vector<Local> initial_;
  std::vector<Word> scratch_;
  Effects<Message> fx_;
  Bytes key_;
  std::uint64_t entered_ = 0;
};

}  // namespace hapax
