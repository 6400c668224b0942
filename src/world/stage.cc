#include "world/stage.h"

#include <charconv>

#include "base/doubt.h"

namespace hapax {
namespace {

constexpr std::uint64_t kMostMoney = 1'000'000'000;

}  // namespace

Result<NodeId> TraceStage::node(const Command& command, std::size_t at) const {
  if (at >= command.size()) return error("'{}' needs the name of a node", command[0]);
  return names_.find(command[at]);
}

Result<std::uint64_t> TraceStage::number_at(const Command& command, std::size_t at) const {
  if (at >= command.size()) return error("'{}' needs a number", command[0]);
  std::uint64_t value = 0;
  const std::string& word = command[at];
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || end != word.data() + word.size()) {
    return error("'{}' is not a number", word);
  }
  return value;
}

// So small that no account overflows, however long the trace.
Result<std::int64_t> TraceStage::amount_at(const Command& command, std::size_t at) const {
  const auto amount = number_at(command, at);
  if (!amount) return amount.error();
  if (*amount > kMostMoney) return error("${} is too much; use at most ${}", *amount, kMostMoney);
  return static_cast<std::int64_t>(*amount);
}

Result<Lines> TraceStage::perform(const Command& command) {
  const std::string& verb = command[0];
  const bool bank = verb == "account" || verb == "read" || verb == "deposit" || verb == "balance";
  Result<Lines> lines = bank          ? use_account(command)
                        : is_doubted_ ? act_in_doubt(command)
                                      : act(command);
  if (!lines) return lines.error();
  for (std::string& line : *lines) line = names_.in(line);
  return lines;
}

Result<Lines> TraceStage::act_in_doubt(const Command& command) {
  if (broken_) return *broken_;
  Result<Lines> lines = Lines{};
  const auto done = in_doubt("no run leads to the states that this trace begins with",
                             [&] { lines = act(command); });
  if (done) return lines;
  broken_ = done.error();
  return *broken_;
}

void TraceStage::remark(std::string comment) {
  next_step();
  record({.kind = Happening::Kind::comment, .text = std::move(comment)});
}

Happening& TraceStage::record(Happening happening) {
  happening.step = step_;
  happening.text = names_.in(happening.text);
  return chronicle_.happenings.emplace_back(std::move(happening));
}

void TraceStage::stamp_since(std::size_t first, std::optional<Clock> clock) {
  for (; first < recorded(); ++first) chronicle_.happenings[first].clock = clock;
}

Lines TraceStage::tell(std::optional<NodeId> node, Account::Said said) {
  next_step();
  record(
      {.kind = Happening::Kind::storage, .node = node, .refused = said.refused, .text = said.text});
  return {std::move(said.text)};
}

// account AMOUNT [gated] | read NODE | deposit NODE AMOUNT | balance
Result<Lines> TraceStage::use_account(const Command& command) {
  if (command[0] == "account") {
    const auto amount = amount_at(command, 1);
    if (!amount) return amount.error();
    const bool gated = command.size() > 2 && command[2] == "gated";
    account_.emplace(*amount, gated);
    return tell({},
                {fmt::format("the account holds ${}{}", *amount, gated ? ", behind a gate" : "")});
  }
  if (!account_) return error("there is no account yet; say 'account 1000'");
  if (command[0] == "balance") {
    return tell({}, {fmt::format("the account holds ${}", account_->balance())});
  }
  const auto who = node(command, 1);
  if (!who) return who.error();
  const std::optional<Fence> fence = fences_[number(*who)];
  if (command[0] == "read") return tell(*who, account_->read(*who, fence));
  const auto amount = amount_at(command, 2);
  if (!amount) return amount.error();
  if (!account_->has_read(*who)) return error("{} must read before it deposits", command[1]);
  return tell(*who, account_->deposit(*who, *amount, fence));
}

}  // namespace hapax
