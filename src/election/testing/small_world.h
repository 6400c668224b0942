// For tests: a few members and the links between them as one value, so that every order of events
// can be tried. It keeps the promises that the contract asks of a driver, and nothing more: each
// member is told of a crash at any later time, and of a mended link, both ends of which are mended
// at once, likewise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/prng.h"
#include "base/text.h"
#include "core/effects.h"
#include "core/election_algorithm.h"
#include "election/catalog.h"
#include "wire/codec.h"

namespace hapax {

template <ElectionAlgorithm A>
class SmallWorld {
 public:
  using Message = typename A::Message;
  using Options = typename OptionsOf<A>::Type;

  struct Faults {
    int crashes = 0;
    int returns = 0;
    int cuts = 0;  // Of {0 … size/2-1} from the rest.
    int heals = 0;
    bool unordered = false;  // Messages of one link overtake one another.
  };

  explicit SmallWorld(std::uint32_t size, Options options = {}, Faults faults = {})
      : size_(size), options_(options), faults_(faults), links_(size * size) {
    for (std::uint32_t i = 0; i < size; ++i) members_.push_back({fresh(i)});
    sent_.resize(std::variant_size_v<Message>);
  }

  // --- what can happen ---

  void campaign(std::uint32_t who) {
    step(who, [](A& a, auto& fx) { a.campaign(fx); });
  }
  // Down, and all have been told.
  void be_down(std::uint32_t who) {
    members_[who].live = false;
    for (std::uint32_t q = 0; q < size_; ++q) {
      if (q == who) continue;
      link(q, who).broken = link(who, q).broken = true;
      if (members_[q].live) told_of(q, who, false);
    }
  }
  void crash(std::uint32_t who) {
    note([&] { return fmt::format("crash #{}", who); });
    members_[who].live = false;
    for (std::uint32_t q = 0; q < size_; ++q) {
      if (q == who) continue;
      link(q, who).broken = link(who, q).broken = true;
      link(q, who).queue.clear();
    }
  }
  // Delivers what is under way, each round to all links in turn, until nothing is.
  void deliver_all() {
    for (bool any = true; any;) {
      any = false;
      std::vector<std::pair<std::size_t, std::size_t>> under_way;  // Which link, how many messages.
      for (std::size_t i = 0; i < links_.size(); ++i) {
        if (!links_[i].queue.empty()) under_way.emplace_back(i, links_[i].queue.size());
      }
      for (auto [at, left] : under_way) {
        const auto p = static_cast<std::uint32_t>(at / size_),
                   q = static_cast<std::uint32_t>(at % size_);
        for (; left > 0 && can_deliver(p, q); --left) {
          deliver(p, q);
          any = true;
        }
      }
    }
  }

  const A& member(std::uint32_t i) const { return members_[i].algorithm; }
  std::uint64_t sent(std::size_t kind) const { return sent_[kind]; }
  std::uint64_t sent() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : sent_) sum += count;
    return sum;
  }
  const std::vector<std::string>& story() const { return story_; }

  // --- the verdict ---

  // Nothing that must happen is left to happen.
  bool at_rest() const {
    for (std::uint32_t p = 0; p < size_; ++p) {
      for (std::uint32_t q = 0; q < size_; ++q) {
        if (p != q && (can_deliver(p, q) || can_tell(p, q) || can_mend(p, q))) return false;
      }
    }
    return true;
  }
  // What is wrong now, at rest; empty if nothing is.
  std::string complaint() const {
    for (std::uint32_t p = 0; p < size_; ++p) {
      if (!members_[p].live) continue;
      std::uint32_t highest = p;
      for (std::uint32_t q = 0; q < size_; ++q) {
        if (members_[q].live && !apart(p, q)) highest = std::max(highest, q);
      }
      if (members_[p].algorithm.is_open()) return fmt::format("#{} still waits", p);
      if (members_[p].algorithm.leader() != NodeId{highest}) {
        return fmt::format("#{} follows {}, but #{} lives", p,
                           to_text(members_[p].algorithm.leader()), highest);
      }
    }
    return {};
  }
  // What must hold in every state.
  std::string broken_invariant() const {
    if (!rejected_.empty()) return rejected_;
    for (std::uint32_t p = 0; p < size_; ++p) {
      const auto leader = members_[p].algorithm.leader();
      if (members_[p].live && leader && *leader < NodeId{p}) {
        return fmt::format("#{} follows {}, which it outranks", p, *leader);
      }
      if (members_[p].live && leader && *leader != NodeId{p} && link(p, number(*leader)).told) {
        return fmt::format("#{} follows {}, which it knows to be down", p, *leader);
      }
      if (members_[p].algorithm.term() > kMostTerms) {
        return fmt::format("#{} holds elections without end", p);
      }
    }
    return {};
  }

  // --- every order of events ---

  struct Search {
    std::size_t states = 0;
    std::size_t ends = 0;
    std::string failure;  // Empty if every end is right.
  };
  static Search explore(SmallWorld start, std::size_t state_limit = 3'000'000) {
    Search search;
    std::unordered_set<std::string> seen;
    std::vector<SmallWorld> open;
    seen.insert(start.key());
    open.push_back(std::move(start));
    while (!open.empty()) {
      const SmallWorld world = std::move(open.back());
      open.pop_back();
      ++search.states;
      if (search.states > state_limit) {
        search.failure = "too many states";
        return search;
      }
      std::string wrong = world.broken_invariant();
      if (wrong.empty() && world.at_rest()) {
        ++search.ends;
        wrong = world.complaint();
      }
      if (!wrong.empty()) {
        search.failure = wrong;
        for (const std::string& line : world.story_) search.failure += "\n  " + line;
        return search;
      }
      for (const Action& action : world.actions()) {
        SmallWorld next = world;
        next.apply(action);
        if (seen.insert(next.key()).second) open.push_back(std::move(next));
      }
    }
    return search;
  }

  // One order of events, drawn from the seed, until nothing can happen. Empty if all went well.
  static std::string walk(SmallWorld world, std::uint64_t seed, int step_limit = 20'000) {
    Prng random{seed};
    std::string wrong;
    for (int i = 0; wrong.empty(); ++i) {
      wrong = world.broken_invariant();
      if (wrong.empty() && world.at_rest()) wrong = world.complaint();
      const std::vector<Action> next = world.actions();
      if (next.empty()) break;
      if (i == step_limit) wrong = "no end in sight";
      world.apply(next[random.below(next.size())]);
    }
    for (const std::string& line : world.story_) wrong += "\n  " + line;
    return wrong;
  }

  void keep_story() { keeps_story_ = true; }

 private:
  static constexpr Term kMostTerms{30};  // Far more than a few faults can call for.

  struct Link {  // One direction: what the first sent to the second; what the first was told of the
                 // second.
    std::vector<Message> queue;
    bool broken = false;
    bool told = false;  // Invariant: only if broken.
  };
  struct Member {
    A algorithm;
    bool live = true;
  };

  A fresh(std::uint32_t i) const {
    return make<A>(View{.size = size_, .self = NodeId{i}}, options_);
  }
  Link& link(std::uint32_t p, std::uint32_t q) { return links_[p * size_ + q]; }
  const Link& link(std::uint32_t p, std::uint32_t q) const { return links_[p * size_ + q]; }
  bool apart(std::uint32_t p, std::uint32_t q) const {
    return cut_ && (p < size_ / 2) != (q < size_ / 2);
  }

  bool can_deliver(std::uint32_t p, std::uint32_t q) const {
    return !link(p, q).queue.empty() && members_[q].live && !link(q, p).told;
  }
  std::uint32_t deliverable(std::uint32_t p, std::uint32_t q) const {
    if (!can_deliver(p, q)) return 0;
    return faults_.unordered ? static_cast<std::uint32_t>(link(p, q).queue.size()) : 1;
  }
  bool can_tell(std::uint32_t q, std::uint32_t p) const {
    return q != p && members_[q].live && link(q, p).broken && !link(q, p).told;
  }
  bool can_mend(std::uint32_t p, std::uint32_t q) const {
    return p < q && link(p, q).broken && link(p, q).told && link(q, p).told && members_[p].live &&
           members_[q].live && !apart(p, q);
  }
  bool all_told() const {
    for (std::uint32_t p = 0; p < size_; ++p) {
      for (std::uint32_t q = 0; q < size_; ++q) {
        if (can_tell(p, q)) return false;
      }
    }
    return true;
  }

  void deliver(std::uint32_t p, std::uint32_t q, std::uint32_t place = 0) {
    const auto at = link(p, q).queue.begin() + place;
    const Message message = *at;
    link(p, q).queue.erase(at);
    note([&] { return fmt::format("deliver #{}->#{} {}", p, q, to_text(message)); });
    step(q, [&](A& a, auto& fx) { a.receive(NodeId{p}, message, fx); });
  }
  void told_of(std::uint32_t q, std::uint32_t p, bool notices = true) {
    note([&] { return fmt::format("tell #{} that #{} is down", q, p); });
    link(q, p).told = true;
    link(p, q).queue.clear();
    step(q, [&](A& a, auto& fx) {
      a.suspect(NodeId{p}, fx);
      if (notices && !a.leader()) a.campaign(fx);
    });
  }
  void come_back(std::uint32_t p) {
    note([&] { return fmt::format("#{} is back", p); });
    members_[p] = {fresh(p)};
    for (std::uint32_t q = 0; q < size_; ++q) {
      if (q != p) told_of(p, q, false);
    }
    campaign(p);
  }
  void cut() {
    note([] { return "cut"; });
    cut_ = true;
    for (std::uint32_t p = 0; p < size_; ++p) {
      for (std::uint32_t q = 0; q < size_; ++q) {
        if (!apart(p, q)) continue;
        link(p, q).broken = true;
        link(p, q).queue.clear();
      }
    }
  }
  void mend(std::uint32_t p, std::uint32_t q) {
    note([&] { return fmt::format("mend #{}-#{}", p, q); });
    link(p, q).broken = link(p, q).told = link(q, p).broken = link(q, p).told = false;
    step(p, [&](A& a, auto& fx) { a.restore(NodeId{q}, fx); });
    step(q, [&](A& a, auto& fx) { a.restore(NodeId{p}, fx); });
  }

  // One thing that can happen next. A crash, return, cut or healing can, but need not.
  struct Action {
    enum class Kind : std::uint8_t { deliver, tell, mend, crash, come_back, cut, heal } kind;
    std::uint32_t p = 0, q = 0, place = 0;
  };
  std::vector<Action> actions() const {
    using Kind = typename Action::Kind;
    std::vector<Action> found;
    for (std::uint32_t p = 0; p < size_; ++p) {
      for (std::uint32_t q = 0; q < size_; ++q) {
        if (p == q) continue;
        for (std::uint32_t i = 0; i < deliverable(p, q); ++i) {
          found.push_back({Kind::deliver, p, q, i});
        }
        if (can_tell(p, q)) found.push_back({Kind::tell, p, q});
        if (can_mend(p, q)) found.push_back({Kind::mend, p, q});
      }
      if (members_[p].live && faults_.crashes > 0) found.push_back({Kind::crash, p});
      if (!members_[p].live && faults_.returns > 0 && all_told()) {
        found.push_back({Kind::come_back, p});
      }
    }
    if (!cut_ && faults_.cuts > 0) found.push_back({Kind::cut});
    if (cut_ && faults_.heals > 0 && all_told()) found.push_back({Kind::heal});
    return found;
  }
  void apply(const Action& action) {
    switch (action.kind) {
      case Action::Kind::deliver:
        return deliver(action.p, action.q, action.place);
      case Action::Kind::tell:
        return told_of(action.p, action.q);
      case Action::Kind::mend:
        return mend(action.p, action.q);
      case Action::Kind::crash:
        --faults_.crashes;
        return crash(action.p);
      case Action::Kind::come_back:
        --faults_.returns;
        return come_back(action.p);
      case Action::Kind::cut:
        --faults_.cuts;
        return cut();
      case Action::Kind::heal:
        --faults_.heals;
        cut_ = false;
        return note([] { return "heal"; });
    }
  }

  template <class Input>
  void step(std::uint32_t who, Input&& input) {
    Effects<Message> fx;
    fx.explain(keeps_story_);
    input(members_[who].algorithm, fx);
    if (fx.rejected() != Reject::none) {
      rejected_ = fmt::format("#{} rejects a {}", who, name_of(fx.rejected()));
    }
    for (const std::string& reason : fx.reasons()) note([&] { return "  " + reason; });
    fx.for_each_message(NodeId{who}, size_, [&](NodeId to, const Message& message) {
      HAPAX_CHECK(to != NodeId{who});
      ++sent_[message.index()];
      if (!link(who, number(to)).broken) link(who, number(to)).queue.push_back(message);
    });
  }
  template <class Line>
  void note(Line&& line) {
    if (keeps_story_) story_.push_back(line());
  }

  // Everything that the future depends on.
  std::string key() const {
    Bytes bytes;
    for (const Member& member : members_) {
      encode_to(bytes, member.live);
      if (member.live) encode_to(bytes, member.algorithm);
    }
    for (const Link& link : links_) {
      encode_to(bytes, link.queue);
      encode_to(bytes, link.broken);
      encode_to(bytes, link.told);
    }
    encode_to(bytes, cut_);
    for (const int left : {faults_.crashes, faults_.returns, faults_.cuts, faults_.heals}) {
      encode_to(bytes, static_cast<std::uint32_t>(left));
    }
    return {bytes.begin(), bytes.end()};
  }

  std::uint32_t size_;
  Options options_;
  Faults faults_;  // What may still go wrong, and right again.
  std::vector<Member> members_;
  std::vector<Link> links_;
  bool cut_ = false;
  std::vector<std::uint64_t> sent_;  // By kind.
  std::string rejected_;
  bool keeps_story_ = false;
  std::vector<std::string> story_;  // How it came to this, if kept.
};

// Searched long and often, so compiled like what it searches: in small_world.cc.
extern template class SmallWorld<Bully>;
extern template class SmallWorld<ChangRoberts>;
extern template class SmallWorld<RingElection>;

}  // namespace hapax
