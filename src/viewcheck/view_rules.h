// The rules of the view change, by name. Each is there because something goes wrong without it;
// leaving one out shows what.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hapax {

enum class ViewRule : std::uint8_t {
  lease_before_removal,
  barrier,
  old_epoch_dropped,
  report_for_its_view,
  messages_stop,
  entries_stop,
  fresh_list,
  one_proposer_wins,
  new_life,
  rejoin_empty,
  evict_waits,
  instance_kept,
  sent_once,
  sent_at_least_once,
  release_remembered,
  asked_again,
  home_is_idle,
  lease_at_entry,
  epoch_in_fence,
  gate_minds_reads,
  loop_beats,
  later_kept,
  promise_kept,
  missing_waits,
  first_view_waits,
  back_ends,
  later_epoch,
  lapse_ends,
  settings_by_view,
  kept_promise,
  kept_taken_back,
  kept_in_its_view,
  kept_turns_told,
  kept_turns_at_loss,
};

struct ViewRuleInfo {
  ViewRule rule;
  std::string_view name;
  std::string_view sentence;
};

inline constexpr std::array kViewRules{
    ViewRuleInfo{ViewRule::lease_before_removal, "lease-before-removal",
                 "a member is removed only when its lease is over"},
    ViewRuleInfo{ViewRule::barrier, "barrier",
                 "a view begins only when the reports of all its members are in"},
    ViewRuleInfo{ViewRule::old_epoch_dropped, "old-epoch-dropped",
                 "messages of an earlier epoch are dropped"},
    ViewRuleInfo{ViewRule::report_for_its_view, "report-for-its-view",
                 "a report counts for its own view only"},
    ViewRuleInfo{ViewRule::messages_stop, "messages-stop",
                 "after the report no message of the old view is handled"},
    ViewRuleInfo{ViewRule::entries_stop, "entries-stop",
                 "after the report nobody enters by what the old view gave"},
    ViewRuleInfo{ViewRule::fresh_list, "fresh-list",
                 "a proposal is made from the list whose version it is committed on"},
    ViewRuleInfo{ViewRule::one_proposer_wins, "one-proposer-wins",
                 "of two proposals for an epoch one is committed"},
    ViewRuleInfo{ViewRule::new_life, "new-life", "whoever comes back is another life"},
    ViewRuleInfo{ViewRule::rejoin_empty, "rejoin-empty", "whoever comes back holds nothing"},
    ViewRuleInfo{ViewRule::evict_waits, "evict-waits",
                 "an evicted member stays until its lease is over"},
    ViewRuleInfo{ViewRule::instance_kept, "instance-kept",
                 "an instance is forgotten only when it is like new"},
    ViewRuleInfo{ViewRule::sent_once, "sent-once", "a reconnect doubles no message"},
    ViewRuleInfo{ViewRule::sent_at_least_once, "sent-at-least-once",
                 "a reconnect loses no message"},
    ViewRuleInfo{ViewRule::release_remembered, "release-remembered",
                 "a release after the report is made up for when the view begins"},
    ViewRuleInfo{ViewRule::asked_again, "asked-again",
                 "what is waited for is asked for again when the view begins"},
    ViewRuleInfo{ViewRule::home_is_idle, "home-is-idle",
                 "a lock that nobody holds begins at its home, not held"},
    ViewRuleInfo{ViewRule::lease_at_entry, "lease-at-entry",
                 "every entry checks that the lease is not over"},
    ViewRuleInfo{ViewRule::epoch_in_fence, "epoch-in-fence", "a fence begins with the epoch"},
    ViewRuleInfo{ViewRule::gate_minds_reads, "gate-minds-reads",
                 "a guarded read raises the gate's mark as a write does"},
    ViewRuleInfo{ViewRule::loop_beats, "loop-beats",
                 "beats come from the loop itself, so that one that hangs stops beating"},
    ViewRuleInfo{ViewRule::later_kept, "later-kept",
                 "messages of a view that has not begun here are kept"},
    ViewRuleInfo{ViewRule::promise_kept, "promise-kept",
                 "whoever leaves stays until its clients have left or its lease is over"},
    ViewRuleInfo{ViewRule::missing_waits, "missing-waits",
                 "a member whose record is deleted stays until its lease is over"},
    ViewRuleInfo{
        ViewRule::first_view_waits, "first-view-waits",
        "where nobody is in the recorded view, the next waits for leases that may be forgotten"},
    ViewRuleInfo{ViewRule::back_ends, "back-ends",
                 "a member that finds an earlier view recorded than its own ends this life"},
    ViewRuleInfo{ViewRule::later_epoch, "later-epoch",
                 "views come after all that were seen, whatever the engine remembers"},
    ViewRuleInfo{ViewRule::lapse_ends, "lapse-ends",
                 "a member whose lease ran out comes back as another life"},
    ViewRuleInfo{ViewRule::settings_by_view, "settings-by-view",
                 "another algorithm holds from the view on that has it, for all at once"},
    ViewRuleInfo{ViewRule::kept_promise, "kept-promise",
                 "whoever enters again by itself looks at its promise after it has taken the word"},
    ViewRuleInfo{ViewRule::kept_taken_back, "kept-taken-back",
                 "what stays with a client is taken from it before it is given back"},
    ViewRuleInfo{ViewRule::kept_in_its_view, "kept-in-its-view",
                 "what only stays with a client is its no more when the view stops"},
    ViewRuleInfo{ViewRule::kept_turns_told, "kept-turns-told",
                 "when a client gives back, or dies, the turns that it took by itself are counted"},
    ViewRuleInfo{ViewRule::kept_turns_at_loss, "kept-turns-at-loss",
                 "so are they when its lock is lost"},
};

constexpr std::optional<ViewRule> view_rule_named(std::string_view name) {
  for (const ViewRuleInfo& info : kViewRules) {
    if (info.name == name) return info.rule;
  }
  return std::nullopt;
}

}  // namespace hapax
