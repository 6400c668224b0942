#include "check/run.h"

#include <bit>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "check/fair_cycles.h"
#include "check/memory_model.h"
#include "check/mutex_model.h"
#include "memory/bakery_model.h"
#include "memory/dijkstra_model.h"
#include "memory/semaphore_model.h"

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

// What holds, said so that it is neither more nor less.
std::string proved(const CheckOptions& o, std::string_view what, bool ends, bool cycles_checked) {
  std::string text = fmt::format(
      "In every order of {}{}, with {} processes that each ask {}, at most one is inside", what,
      faults_of(o), o.n, times(o.entries));
  if (o.fences) text += ", fences strictly grow";
  if (!o.promises_progress()) return text + ". Progress is not promised under loss or crashes.";
  if (ends) {
    return text +
           ", and everybody who asks enters: every run ends, and none ends with somebody waiting.";
  }
  if (cycles_checked) {
    return text +
           ", nobody waits at a dead end, and everybody who waits enters, provided that a step "
           "that "
           "stays possible is taken at last (weak fairness: messages arrive, processes go on).";
  }
  return text +
         ", and nobody waits at a dead end. Whether somebody can be passed over for ever was not "
         "decided.";
}

template <class Model>
CheckReport explore(Model& model, const CheckOptions& options, std::string_view what,
                    bool fairness_decides, const SearchObserver& observer) {
  Search<Model> search{model, options.most_bytes};
  const bool finished = search.run(observer);
  CheckReport report;
  report.states = search.states().size();
  report.transitions = search.transitions();
  report.depth = search.depth();
  report.bytes = search.bytes();
  const auto violated = [&](std::string property, std::string finding,
                            const std::vector<CheckStep>& way) {
    report.verdict = Verdict::violated;
    report.property = std::move(property);
    report.finding = std::move(finding);
    report.commands = model.tell(way);
    report.depth = static_cast<std::uint32_t>(way.size());
  };
  if (search.finding()) {
    violated(search.finding()->property, search.finding()->text, search.finding()->way);
    return report;
  }
  if (!finished) {
    report.verdict = Verdict::unfinished;
    report.proved =
        fmt::format("No violation within {} steps, and not all states were seen.", search.depth());
    return report;
  }
  const bool may_cycle = !search.is_layered() && options.promises_progress();
  if (may_cycle && fairness_decides) {
    FairCycles<Model> cycles{model, search.states()};
    if (const auto starved = cycles.find(options.n)) {
      violated("starvation",
               fmt::format("P{} can wait for ever: from here on there is a fair way round past it",
                           starved->process + 1),
               search.way_to(starved->state));
      return report;
    }
  }
  const std::uint64_t everybody = (std::uint64_t{1} << options.n) - 1;
  if (options.promises_progress() && model.entered() != everybody) {
    report.verdict = Verdict::violated;
    report.property = "reachability";
    report.finding = fmt::format("P{} can never enter", std::countr_one(model.entered()) + 1);
    return report;
  }
  report.proved = proved(options, what, search.is_layered(), fairness_decides);
  return report;
}

// Rows of two-byte numbers if they suffice, as they almost always do.
template <template <class> class Model, class... Args>
CheckReport explore_narrow_first(const CheckOptions& options, std::string_view what,
                                 bool fairness_decides, const SearchObserver& observer,
                                 const Args&... args) {
  try {
    Model<std::uint16_t> model{options, args...};
    return explore(model, options, what, fairness_decides, observer);
  } catch (const TooManyParts&) {
    Model<std::uint32_t> model{options, args...};
    return explore(model, options, what, fairness_decides, observer);
  }
}

template <class A>
struct MutexModelOf {
  template <class Word>
  using Type = MutexModel<A, Word>;
};

template <class M>
CheckReport check_memory(const CheckOptions& options, const SearchObserver& observer) {
  CheckOptions o = options;
  o.fences = false;
  MemoryCheck<M> model{o};
  return explore(model, o, "single reads and writes", true, observer);
}

}  // namespace

Result<CheckReport> check(std::string_view algorithm, const CheckOptions& options,
                          const MutexChoices& choices, const SearchObserver& observer) {
  if (options.n < 1 || options.n > kMostChecked) {
    return error("-n {} is out of reach of an exhaustive check; use 1 … {}", options.n,
                 kMostChecked);
  }
  if (options.entries < 1 || options.entries > 200) {
    return error("--entries {} is out of range; use 1 … 200", options.entries);
  }
  if (number(options.holder) >= options.n) {
    return error("there is no process {} to hold; use P1 … P{}", number(options.holder) + 1,
                 options.n);
  }
  const std::string_view what = options.channels == Channels::fifo
                                    ? "requests, exits and deliveries over FIFO channels"
                                    : "requests, exits and deliveries over unordered channels";
  std::optional<CheckReport> report;
  with_mutex(algorithm, [&]<class A>() {
    // Fairness is by link; without order that would let one message be passed over for ever.
    const bool fairness_decides = options.channels == Channels::fifo;
    report = explore_narrow_first<MutexModelOf<A>::template Type>(
        options, what, fairness_decides, observer, options_from<A>(choices));
  });
  if (algorithm == "dijkstra") report = check_memory<DijkstraModel>(options, observer);
  if (algorithm == "bakery-lock") report = check_memory<BakeryModel>(options, observer);
  if (algorithm == "semaphore") report = check_memory<SemaphoreModel>(options, observer);
  if (!report)
    return error(
        "'{}' is not an algorithm that can be checked; take one of mutual exclusion or shared "
        "memory that "
        "`hapax algorithms` lists (elections are not checked yet)",
        algorithm);
  return *report;
}

}  // namespace hapax
