// Where a trace is played: nodes of one algorithm, the links between them, and whatever the script
// does to them. Every step tells what it did and why.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/fence.h"
#include "world/account.h"
#include "world/chronicle.h"
#include "world/names.h"

namespace hapax {

// A command of a script, in words: the verb and what follows it.
using Command = std::vector<std::string>;
using Lines = std::vector<std::string>;

class TraceStage {
 public:
  TraceStage(std::string_view algorithm, Names names)
      : names_(std::move(names)),
        fences_(names_.count()),
        chronicle_{std::string{algorithm}, names_.all(), {}} {}
  virtual ~TraceStage() = default;
  TraceStage(const TraceStage&) = delete;
  TraceStage& operator=(const TraceStage&) = delete;

  // What came of a command, one line per happening, nodes by their names.
  Result<Lines> perform(const Command& command);
  // The states it begins with are a stranger's: what breaks an invariant then is an error of
  // theirs.
  void doubt() { is_doubted_ = true; }
  // Whether that has happened: nothing can be played any more.
  bool is_broken() const { return broken_.has_value(); }
  // What the trace tells its reader at this point.
  void remark(std::string comment);
  const Chronicle& chronicle() const { return chronicle_; }
  // How that node stands now, in the words of `show`.
  std::string standing(NodeId node) const { return names_.in(describe_now(node)); }

 protected:
  // Commands that only one kind of algorithm knows.
  virtual Result<Lines> act(const Command& command) = 0;
  virtual std::string describe_now(NodeId node) const = 0;

  Result<NodeId> node(const Command& command, std::size_t at) const;
  Result<std::uint64_t> number_at(const Command& command, std::size_t at) const;

  // Records what happened, #4 by its name; next_step() before the first of a step.
  void next_step() { ++step_; }
  Happening& record(Happening happening);
  std::size_t recorded() const { return chronicle_.happenings.size(); }
  void stamp_since(std::size_t first, std::optional<Clock> clock);

  Names names_;
  std::vector<std::optional<Fence>> fences_;  // The last fence that each node was given.

 private:
  Result<Lines> act_in_doubt(const Command& command);
  Result<std::int64_t> amount_at(const Command& command, std::size_t at) const;
  Result<Lines> use_account(const Command& command);
  Lines tell(std::optional<NodeId> node, Account::Said said);

  std::optional<Account> account_;
  Chronicle chronicle_;
  std::uint32_t step_ = 0;
  bool is_doubted_ = false;
  std::optional<Error> broken_;
};

// From `nodes ALGORITHM NAME…`, with any of holder=NAME, held, say-denied (central), descending
// (chang-roberts), voting-sets=lecture | grid | cyclic | plane | smallest | 1:1,2;2:2,3;3:1,3
// (maekawa). One that was recorded may begin anywhere: epoch=7, state=NAME:BYTES for each node that
// is not as new, under-way=FROM->TO:BYTES for each message on its way, as the codec writes them. A
// state that no run leads to may break an invariant later; then the stage is broken.
Result<std::unique_ptr<TraceStage>> make_stage(const Command& command);

}  // namespace hapax
