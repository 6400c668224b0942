#include "voting/voting_sets.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "voting/difference_cover.h"

namespace hapax {
namespace {

constexpr std::uint32_t kLargestListed = 100'000;

// M1, for sets that follow no rule: the two sets that do not meet, if any.
std::optional<std::pair<std::size_t, std::size_t>> find_disjoint(
    const std::vector<std::vector<NodeId>>& sets) {
  std::vector<NodeId> common;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (std::size_t j = i + 1; j < sets.size(); ++j) {
      common.clear();
      std::set_intersection(sets[i].begin(), sets[i].end(), sets[j].begin(), sets[j].end(),
                            std::back_inserter(common));
      if (common.empty()) return std::pair{i, j};
    }
  }
  return std::nullopt;
}

std::vector<std::vector<NodeId>> from_blackboard(
    std::initializer_list<std::initializer_list<std::uint32_t>> sets) {
  std::vector<std::vector<NodeId>> result;
  for (const auto& set : sets) {
    std::vector<NodeId>& to = result.emplace_back();
    for (const std::uint32_t process : set) to.push_back(NodeId{process - 1});
  }
  return result;
}

Result<std::uint32_t> parse_process(std::string_view word, std::size_t line) {
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || end != word.data() + word.size() || value == 0 ||
      value > kLargestListed) {
    return error("voting sets, line {}: '{}' is not a process; write numbers from 1 to {}", line,
                 word, kLargestListed);
  }
  return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t from = line.find_first_not_of(" \t\r,{}");
    if (from == std::string_view::npos) return words;
    line.remove_prefix(from);
    const std::size_t length = std::min(line.find_first_of(" \t\r,{}"), line.size());
    words.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
}

}  // namespace

VotingSets::VotingSets(std::uint32_t n, Rule rule)
    : n_(n), rule_(std::move(rule)), proof_(prove_rest()) {}

// M1 by argument: take i in row r, column c and j in row s, column d, r ≤ s. Only the last row may
// be short. If r = s they share the row. Otherwise row r is full, so the cell (r, d) exists: it is
// in the row of i and in the column of j.
VotingSets VotingSets::grid(std::uint32_t n) {
  HAPAX_CHECK(n > 0);
  std::uint32_t columns = 1;
  while (std::uint64_t{columns} * columns < n) ++columns;
  return {n, Grid{columns}};
}

// M1 by argument: j - i = a - b for some a, b of the cover, hence i + a = j + b is in both sets.
VotingSets VotingSets::cyclic(std::uint32_t n) {
  return {n, Cyclic{"cyclic", difference_cover(n)}};
}

Result<VotingSets> VotingSets::plane(std::uint32_t n) {
  if (auto line = singer_difference_set(n)) return VotingSets{n, Cyclic{"plane", *line}};
  return error(
      "there is no projective plane of {} points here; use N = q²+q+1 with q a prime power (3, 7, "
      "13, "
      "21, 31, 57, 73, 91, …), or --voting-sets cyclic",
      n);
}

Result<VotingSets> VotingSets::lecture(std::uint32_t n) {
  if (n == 3) return listed(from_blackboard({{1, 2}, {2, 3}, {1, 3}}));
  if (n == 4) return listed(from_blackboard({{1, 2, 3}, {1, 2, 4}, {1, 3, 4}, {2, 3, 4}}));
  if (n == 7) {
    return listed(from_blackboard(
        {{1, 2, 3}, {2, 4, 6}, {3, 5, 6}, {1, 4, 5}, {2, 5, 7}, {1, 6, 7}, {3, 4, 7}}));
  }
  return error("the lecture has voting sets for N = 3, 4 and 7 only; for N = {} use grid or cyclic",
               n);
}

Result<VotingSets> VotingSets::parse(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // Some editors put it first.
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::vector<NodeId>> sets;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t length = text.find('\n');
    const std::vector<std::string_view> words = words_of(text.substr(0, length));
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    if (words.empty()) continue;
    const std::string owner = fmt::format("{}", sets.size() + 1);
    const bool apart = words.size() > 1 && words[0] == owner && words[1] == ":";
    if (!apart && words[0] != owner + ':') {
      return error("voting sets, line {}: expected '{}: …', the set of process {}", line_number,
                   sets.size() + 1, sets.size() + 1);
    }
    std::vector<NodeId>& set = sets.emplace_back();
    for (std::size_t w = apart ? 2 : 1; w < words.size(); ++w) {
      const auto process = parse_process(words[w], line_number);
      if (!process) return process.error();
      set.push_back(NodeId{*process - 1});
    }
  }
  return listed(std::move(sets));
}

Result<VotingSets> VotingSets::listed(std::vector<std::vector<NodeId>> sets) {
  if (sets.empty()) return error("no voting sets given; write one line a process: '1: 1 2 3'");
  if (sets.size() > kLargestListed) {
    return error("{} voting sets are too many to list; use grid or cyclic", sets.size());
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::sort(sets[i].begin(), sets[i].end());
    sets[i].erase(std::unique(sets[i].begin(), sets[i].end()), sets[i].end());
    if (sets[i].empty()) return error("the voting set of process {} is empty", i + 1);
    if (number(sets[i].back()) >= sets.size()) {
      return error("the voting set of process {} names process {}, but there are only {} sets",
                   i + 1, number(sets[i].back()) + 1, sets.size());
    }
  }
  if (const auto pair = find_disjoint(sets)) {
    return error(
        "voting sets violate M1: those of processes {} and {} do not meet, so both could enter at "
        "once; "
        "give them a common member",
        pair->first + 1, pair->second + 1);
  }
  const auto n = static_cast<std::uint32_t>(sets.size());
  return VotingSets{n, Listed{std::move(sets)}};
}

VotingSets VotingSets::smallest(std::uint32_t n) {
  VotingSets by_grid = grid(n);
  VotingSets by_cover = cyclic(n);
  return by_grid.proof().largest < by_cover.proof().largest ? by_grid : by_cover;
}

Result<VotingSets> VotingSets::named(std::string_view text, std::uint32_t n) {
  if (text == "grid") return grid(n);
  if (text == "cyclic") return cyclic(n);
  if (text == "smallest") return smallest(n);
  if (text == "plane") return plane(n);
  if (text == "lecture") return lecture(n);
  if (text.find(':') == std::string_view::npos) {
    return error("there are no voting sets \"{}\"; use grid, cyclic, smallest, plane or lecture",
                 text);
  }
  std::string lines;
  for (const char c : text) {
    lines += c == ';' ? '\n' : c;
    if (c == ':') lines += ' ';
  }
  return parse(lines);
}

std::uint32_t VotingSets::row_length(const Grid& g, std::uint32_t row) const {
  return std::min(g.columns, n_ - row * g.columns);
}

std::uint32_t VotingSets::size(NodeId i) const {
  return match(
      rule_,
      [&](const Grid& g) {
        const std::uint32_t column = number(i) % g.columns;
        const std::uint32_t rows_with_column = (n_ - column + g.columns - 1) / g.columns;
        return row_length(g, number(i) / g.columns) + rows_with_column - 1;
      },
      [&](const Cyclic& c) { return static_cast<std::uint32_t>(c.cover.size()); },
      [&](const Listed& l) { return static_cast<std::uint32_t>(l.sets[number(i)].size()); });
}

// Seats of a grid are in id order: the column above, the row, the column below.
NodeId VotingSets::voter(NodeId i, VoterSeat seat) const {
  const auto s = static_cast<std::uint32_t>(seat);
  return match(
      rule_,
      [&](const Grid& g) {
        const std::uint32_t row = number(i) / g.columns;
        const std::uint32_t column = number(i) % g.columns;
        const std::uint32_t length = row_length(g, row);
        if (s < row) return NodeId{s * g.columns + column};
        if (s < row + length) return NodeId{row * g.columns + (s - row)};
        return NodeId{(s - length + 1) * g.columns + column};
      },
      [&](const Cyclic& c) {
        const std::uint32_t id = number(i) + c.cover[s];
        return NodeId{id >= n_ ? id - n_ : id};
      },
      [&](const Listed& l) { return l.sets[number(i)][s]; });
}

std::optional<VoterSeat> VotingSets::seat(NodeId i, NodeId voter) const {
  using Found = std::optional<VoterSeat>;
  return match(
      rule_,
      [&](const Grid& g) -> Found {
        const std::uint32_t row = number(i) / g.columns;
        const std::uint32_t column = number(i) % g.columns;
        const std::uint32_t voter_row = number(voter) / g.columns;
        const std::uint32_t voter_column = number(voter) % g.columns;
        if (voter_row == row) return VoterSeat{row + voter_column};
        if (voter_column != column) return std::nullopt;
        return voter_row < row ? VoterSeat{voter_row}
                               : VoterSeat{voter_row + row_length(g, row) - 1};
      },
      [&](const Cyclic& c) -> Found {
        const std::uint32_t difference =
            number(voter) >= number(i) ? number(voter) - number(i) : number(voter) + n_ - number(i);
        const auto at = std::lower_bound(c.cover.begin(), c.cover.end(), difference);
        if (at == c.cover.end() || *at != difference) return std::nullopt;
        return VoterSeat{static_cast<std::uint32_t>(at - c.cover.begin())};
      },
      [&](const Listed& l) -> Found {
        const std::vector<NodeId>& set = l.sets[number(i)];
        const auto at = std::lower_bound(set.begin(), set.end(), voter);
        if (at == set.end() || *at != voter) return std::nullopt;
        return VoterSeat{static_cast<std::uint32_t>(at - set.begin())};
      });
}

// M2 to M4. A cyclic rule has them all if the cover holds 0; otherwise sets and loads are counted.
VotingSets::Proof VotingSets::prove_rest() const {
  if (const auto* c = std::get_if<Cyclic>(&rule_)) {
    const auto k = static_cast<std::uint32_t>(c->cover.size());
    return {c->cover.front() == 0, true, true, k, k};
  }
  Proof proof{true, true, true, ~std::uint32_t{0}, 0};
  for (std::uint32_t i = 0; i < n_; ++i) {
    proof.own_member = proof.own_member && contains(NodeId{i}, NodeId{i});
    proof.smallest = std::min(proof.smallest, size(NodeId{i}));
    proof.largest = std::max(proof.largest, size(NodeId{i}));
  }
  proof.equal_size = proof.smallest == proof.largest;
  if (std::holds_alternative<Grid>(rule_)) {
    proof.equal_load = proof.equal_size;  // j is in V_i exactly when i is in V_j: load equals size.
    return proof;
  }
  std::vector<std::uint32_t> load(n_, 0);
  for (const auto& set : std::get<Listed>(rule_).sets) {
    for (const NodeId voter : set) ++load[number(voter)];
  }
  proof.equal_load = std::all_of(load.begin(), load.end(), [&](auto l) { return l == load[0]; });
  return proof;
}

std::string VotingSets::describe() const {
  const std::string_view name = match(
      rule_, [](const Grid&) { return std::string_view{"grid"}; },
      [](const Cyclic& c) { return c.name; },
      [](const Listed&) { return std::string_view{"listed"}; });
  std::string holds = "M1", fails;
  const auto say = [&](bool ok, std::string_view condition) {
    std::string& to = ok ? holds : fails;
    if (!to.empty()) to += ' ';
    to += condition;
  };
  say(proof_.own_member, "M2");
  say(proof_.equal_size, "M3");
  say(proof_.equal_load, "M4");
  const std::string k = proof_.equal_size
                            ? fmt::format("K = {}", proof_.smallest)
                            : fmt::format("K = {} … {}", proof_.smallest, proof_.largest);
  return fmt::format("{}, {}; proved: {}{}{}", name, k, holds,
                     fails.empty() ? "" : "; not: ", fails);
}

}  // namespace hapax
