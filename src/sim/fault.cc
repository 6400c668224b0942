#include "sim/fault.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/decimal.h"

namespace hapax {
namespace {

constexpr std::uint32_t kMostProcesses = 10'000'000;

Error bad(std::string_view text, std::string_view why) {
  return error(
      "fault '{}': {}; write loss:0.01, dup:0.01, crash:3@50ms, pause:3@50ms+20ms or "
      "partition:0-4@50ms+1s",
      text, why);
}

std::optional<std::uint32_t> parse_process(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value >= kMostProcesses) {
    return std::nullopt;
  }
  return value;
}

// "0-2,5": ranges and single processes.
std::optional<NodeSet> parse_processes(std::string_view text) {
  NodeSet set;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t dash = part.find('-');
    const auto first = parse_process(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_process(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (std::uint32_t i = *first; i <= *last; ++i) set.insert(NodeId{i});
  }
  if (set.empty()) return std::nullopt;
  return set;
}

Result<Fault> parse_probability(Fault fault, std::string_view value) {
  const std::optional<double> probability = decimal(value);
  if (!probability || !(*probability >= 0) || *probability > 1) {
    return bad(fault.text, "the probability must be a number from 0 to 1");
  }
  fault.probability = *probability;
  return fault;
}

// "@10ms..90ms+20ms", without the @.
Result<Fault> parse_when(Fault fault, std::string_view when) {
  const std::size_t plus = when.find('+');
  if (fault.kind == Fault::Kind::crash && plus != std::string_view::npos) {
    return bad(fault.text, "a crash has no length; use pause for a process that comes back");
  }
  if (fault.kind == Fault::Kind::pause && plus == std::string_view::npos) {
    return bad(fault.text, "say for how long, e.g. +20ms");
  }
  if (plus != std::string_view::npos) {
    const auto length = parse_duration(when.substr(plus + 1), "fault length");
    if (!length) return length.error();
    fault.length = *length;
    when = when.substr(0, plus);
  }
  const std::size_t dots = when.find("..");
  const auto earliest = parse_duration(when.substr(0, dots), "fault time");
  if (!earliest) return earliest.error();
  const auto latest = dots == std::string_view::npos
                          ? earliest
                          : parse_duration(when.substr(dots + 2), "fault time");
  if (!latest) return latest.error();
  if (*latest < *earliest) return bad(fault.text, "the range of times runs backwards");
  fault.from_earliest = *earliest;
  fault.from_latest = *latest;
  return fault;
}

}  // namespace

Result<Fault> parse_fault(std::string_view text) {
  Fault fault;
  fault.text = text;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad(text, "there is no ':' in it");
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = text.substr(colon + 1);
  if (kind == "loss" || kind == "dup") {
    fault.kind = kind == "loss" ? Fault::Kind::loss : Fault::Kind::dup;
    return parse_probability(std::move(fault), rest);
  }
  if (kind == "crash") {
    fault.kind = Fault::Kind::crash;
  } else if (kind == "pause") {
    fault.kind = Fault::Kind::pause;
  } else if (kind == "partition") {
    fault.kind = Fault::Kind::partition;
  } else {
    return bad(text, "this kind is not known");
  }
  const std::size_t at = rest.find('@');
  if (at == std::string_view::npos) return bad(text, "say when, e.g. @50ms");
  const std::string_view who = rest.substr(0, at);
  if (who == "any" && fault.kind != Fault::Kind::partition) {
    fault.any_process = true;
  } else if (auto processes = parse_processes(who)) {
    if (fault.kind != Fault::Kind::partition && processes->size() != 1) {
      return bad(text, "name one process, or any");
    }
    fault.processes = std::move(*processes);
  } else {
    return bad(text, "the processes are not numbers such as 3 or 0-4,7");
  }
  return parse_when(std::move(fault), rest.substr(at + 1));
}

Result<FaultPlan> FaultPlan::draw(const std::vector<Fault>& faults, std::uint32_t n, Prng& prng) {
  FaultPlan plan;
  for (const Fault& fault : faults) {
    if (fault.kind == Fault::Kind::loss) {
      plan.loss_ = fault.probability;
      continue;
    }
    if (fault.kind == Fault::Kind::dup) {
      plan.dup_ = fault.probability;
      continue;
    }
    NodeSet processes = fault.processes;
    if (fault.any_process) processes = {NodeId{static_cast<std::uint32_t>(prng.below(n))}};
    for (const NodeId process : processes) {
      if (number(process) >= n) {
        return error("fault '{}' names process {}, but the processes are 0 … {}", fault.text,
                     number(process), n - 1);
      }
    }
    if (fault.kind == Fault::Kind::partition && processes.size() == n) {
      return error("fault '{}' has all {} processes on one side; name some of them, e.g. 0-{}",
                   fault.text, n, n / 2 > 0 ? n / 2 - 1 : 0);
    }
    const auto range = static_cast<std::uint64_t>(fault.from_latest - fault.from_earliest);
    const Nanos from = fault.from_earliest + static_cast<Nanos>(prng.below(range + 1));
    plan.scheduled_.push_back({fault.kind, std::move(processes), from,
                               fault.length == kNever ? kNever : from + fault.length});
  }
  return plan;
}

}  // namespace hapax
