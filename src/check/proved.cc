#include "check/proved.h"

#include <fmt/format.h>

#include "base/check.h"

namespace hapax {
namespace {

std::string times(std::uint32_t entries) {
  return entries == 1 ? "once" : entries == 2 ? "twice" : fmt::format("{} times", entries);
}

std::string faults_of(const CheckOptions& o) {
  std::string text;
  const auto add = [&](std::uint32_t count, std::string_view what) {
    if (count == 0) return;
    text += fmt::format("{}at most {} {}", text.empty() ? ", with " : ", ", count, what);
  };
  add(o.duplicates, "message doubled");
  add(o.losses, "lost");
  add(o.crashes, "crashed");
  return text;
}

std::string_view ending_of(Progress progress) {
  switch (progress) {
    case Progress::not_promised:
      return ". Progress is not promised under loss or crashes.";
    case Progress::by_ending:
      return ", and everybody who asks enters: every run ends, and none ends with somebody "
             "waiting.";
    case Progress::by_fairness:
      return ", nobody waits at a dead end, and everybody who waits enters, provided that a step "
             "that stays possible is taken at last (weak fairness: messages arrive, processes go "
             "on).";
    case Progress::undecided:
      return ", and nobody waits at a dead end. Whether somebody can be passed over for ever was "
             "not decided.";
  }
  return "";
}

std::string_view rest_of(Progress progress) {
  switch (progress) {
    case Progress::not_promised:
      break;
    case Progress::by_ending:
      return "every run comes to rest";
    case Progress::by_fairness:
      return "every run comes to rest, provided that a step that stays possible is taken at last "
             "(weak fairness: messages arrive, who has crashed is suspected)";
    case Progress::undecided:
      return "whether every run comes to rest was not decided";
  }
  HAPAX_CHECK(false);
  return "";
}

}  // namespace

Promise promise_of(std::uint32_t capacity) {
  if (capacity == kAnyNumber) {
    return {"nobody is inside with a writer",
            "a writer's fence is above all before it and a reader's above all writers' before it"};
  }
  if (capacity > 1) return {fmt::format("at most {} are inside", capacity), ""};
  return {};
}

std::string what_is_proved(const CheckOptions& o, std::string_view what, Progress progress,
                           const Promise& promise) {
  return fmt::format("In every order of {}{}, with {} processes that each ask {}, {}{}{}{}", what,
                     faults_of(o), o.n, o.forever ? "again and again" : times(o.entries),
                     promise.exclusion,
                     o.fences && !promise.fences.empty() ? ", " + promise.fences : std::string{},
                     ending_of(progress),
                     o.expect_progress && o.crashes > 0 ? " The crashed are not counted." : "");
}

std::string what_is_proved_of_election(const CheckOptions& o, Progress progress,
                                       bool one_leader_a_term) {
  const std::string falls = o.crashes > 0
                                ? fmt::format(", at most {} crash{} and the suspicions that follow",
                                              o.crashes, o.crashes == 1 ? "" : "es")
                                : "";
  return fmt::format(
      "In every order of campaigns{}deliveries{}, over {} channels, with {} processes that may "
      "each campaign when they know no leader{}, whoever follows a process that lives follows the "
      "highest that lives, so no two that live lead at once{}; nobody follows one that it "
      "outranks{}, no term falls, no message is rejected; {}, and at rest, once anybody has "
      "campaigned, all that live follow the highest that lives.",
      falls.empty() ? " and " : ", ", falls, o.channels == Channels::fifo ? "FIFO" : "unordered",
      o.n, o.entries > 1 ? fmt::format(", and {} though they do", times(o.entries - 1)) : "",
      one_leader_a_term ? ", and no two follow different ones in the same term" : "",
      falls.empty() ? "" : " or was told is down", rest_of(progress));
}

}  // namespace hapax
