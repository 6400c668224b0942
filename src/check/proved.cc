#include "check/proved.h"

#include <fmt/format.h>

namespace hapax {
namespace {

std::string times(const CheckOptions& o) {
  const std::uint32_t entries = o.entries;
  return o.forever      ? "again and again"
         : entries == 1 ? "once"
         : entries == 2 ? "twice"
                        : fmt::format("{} times", entries);
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

}  // namespace

std::string what_is_proved(const CheckOptions& o, std::string_view what, Progress progress) {
  return fmt::format(
      "In every order of {}{}, with {} processes that each ask {}, at most one is inside{}{}{}",
      what, faults_of(o), o.n, times(o), o.fences ? ", fences strictly grow" : "",
      ending_of(progress),
      o.expect_progress && o.crashes > 0 ? " The crashed are not counted." : "");
}

}  // namespace hapax
