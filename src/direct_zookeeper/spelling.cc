#include "direct_zookeeper/spelling.h"

#include <algorithm>
#include <charconv>

namespace hapax::direct {
namespace {

constexpr std::string_view kReaders[] = {"__READ__", "__rlock__"};
constexpr std::string_view kOthers[] = {"lock-", "__lock__", "__WRIT__", "latch-"};
constexpr std::size_t kDigits = 10;

// As differences: near the wrap the larger number is the earlier one.
bool is_earlier(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)) <
         0;
}

void sort(std::vector<Spelled>& all) {
  std::sort(all.begin(), all.end(),
            [](const Spelled& a, const Spelled& b) { return is_earlier(a.sequence, b.sequence); });
}

// The name before the number; the number is taken away.
std::optional<std::int32_t> take_sequence(std::string_view& name) {
  std::size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9') {
    ++digits;
  }
  if (digits < kDigits) return std::nullopt;
  std::size_t begin = name.size() - kDigits;
  // Of a negative number ZooKeeper writes the sign, and ten digits; what we spell ends with no '-'
  // that could be one, except in "lock-" and "latch-", which have one of their own before it.
  const bool is_negative =
      begin > 1 && name[begin - 1] == '-' && (name[begin - 2] == '-' || name[begin - 2] == '_');
  if (is_negative) --begin;
  std::int32_t sequence = 0;
  const auto [end, failed] =
      std::from_chars(name.data() + begin, name.data() + name.size(), sequence);
  if (failed != std::errc{}) return std::nullopt;
  name = name.substr(0, begin);
  return sequence;
}

}  // namespace

std::optional<Spelled> spelled(const std::string& node) {
  std::string_view name{node};
  const auto sequence = take_sequence(name);
  if (!sequence) return std::nullopt;
  const auto ends_so = [&](std::string_view spelling) { return name.ends_with(spelling); };
  const auto* reader = std::find_if(std::begin(kReaders), std::end(kReaders), ends_so);
  const auto* other = std::find_if(std::begin(kOthers), std::end(kOthers), ends_so);
  const bool is_reader = reader != std::end(kReaders);
  if (!is_reader && other == std::end(kOthers)) return std::nullopt;
  const std::string_view owner =
      name.substr(0, name.size() - (is_reader ? *reader : *other).size());
  // Without a GUID, as other programs may have it, each is somebody else.
  return Spelled{node, owner.empty() ? node : std::string{owner}, *sequence, is_reader};
}

std::vector<Spelled> leases_in(const std::vector<std::string>& nodes) {
  constexpr std::string_view kLease = "lease-";
  std::vector<Spelled> leases;
  for (const std::string& node : nodes) {
    std::string_view name{node};
    const auto sequence = take_sequence(name);
    if (!sequence || !name.ends_with(kLease)) continue;
    name.remove_suffix(kLease.size());
    leases.push_back({node, name.empty() ? node : std::string{name}, *sequence, true});
  }
  sort(leases);
  return leases;
}

std::vector<std::string> spellings_of(const Contender& contender, const std::string& guid) {
  std::vector<std::string> nodes;
  const std::string owner = "_c_" + guid + "-";
  if (contender.want == Want::unit) return {owner + "lock-"};  // Only Curator has such lines.
  if (contender.want == Want::shared) {
    for (const std::string_view spelling : kReaders) nodes.push_back(owner + std::string{spelling});
    return nodes;
  }
  for (const std::string_view spelling : kOthers) {
    if (spelling == "latch-" && !contender.leads) continue;
    nodes.push_back(owner + std::string{spelling});
  }
  return nodes;
}

std::vector<Spelled> line_of(const std::vector<std::string>& nodes) {
  std::vector<Spelled> all;
  for (const std::string& node : nodes) {
    if (auto contender = spelled(node)) all.push_back(std::move(*contender));
  }
  sort(all);
  std::vector<Spelled> line;
  for (Spelled& one : all) {
    const bool is_known = std::any_of(line.begin(), line.end(),
                                      [&](const Spelled& o) { return o.owner == one.owner; });
    if (!is_known) line.push_back(std::move(one));
  }
  return line;
}

std::optional<std::string> before(const std::vector<Spelled>& line, const std::string& owner,
                                  Want want) {
  std::string last;
  for (const Spelled& contender : line) {
    if (contender.owner == owner) return last;
    const bool excludes = want != Want::shared || !contender.is_reader;
    if (excludes) last = contender.node;
  }
  return std::nullopt;
}

}  // namespace hapax::direct
