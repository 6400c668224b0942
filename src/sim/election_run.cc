#include "sim/election_run.h"

#include <algorithm>
#include <map>
#include <variant>

#include "base/check.h"
#include "base/match.h"
#include "base/prng.h"
#include "base/text.h"
#include "core/effects.h"
#include "election/catalog.h"
#include "election/down_list.h"
#include "wire/codec.h"

namespace hapax {

std::string_view name_of(ElectionFault fault) {
  switch (fault) {
    case ElectionFault::disagreement:
      return "disagreement";
    case ElectionFault::wrong_leader:
      return "wrong leader";
    case ElectionFault::nobody:
      return "nobody elected";
    case ElectionFault::still_open:
      return "election still open";
    case ElectionFault::restless:
      return "did not come to rest";
    case ElectionFault::broken_rules:
      return "broken rules";
  }
  return "?";
}

namespace {

template <class... Ts>
std::vector<ElectionReport::Count> kinds_of(std::type_identity<std::variant<Ts...>>) {
  return {{shout(Ts::kRecordName), 0}...};
}

template <ElectionAlgorithm A>
A make_member(const View& view, Direction direction) {
  typename OptionsOf<A>::Type options{};
  if constexpr (requires { options.direction; }) options.direction = direction;
  return make<A>(view, options);
}

template <ElectionAlgorithm A>
class Run {
 public:
  explicit Run(const ElectionScenario& scenario) : scenario_(scenario), random_(scenario.seed) {
    fx_.explain(scenario.explain);
    report_.messages = kinds_of(std::type_identity<Message>{});
    for (std::uint32_t i = 0; i < scenario.members; ++i) members_.emplace_back(fresh(NodeId{i}));
    set_the_scene();
  }

  ElectionReport finish() {
    while (!agenda_.empty() && report_.events < scenario_.event_limit) {
      const auto event = agenda_.extract(agenda_.begin());
      now_ = event.key().first;
      ++report_.events;
      match(
          event.mapped(), [&](const Arrive& e) { arrive(e); }, [&](const Begin& e) { begin(e); },
          [&](const Fall& e) { fall(e); }, [&](const Tell& e) { tell(e.member, e.fallen); },
          [&](const Return& e) { come_back(e.member); }, [&](const Cut&) { cut(); },
          [&](const Heal&) { heal(); });
      report_.quiet_ns = now_;
    }
    judge();
    return std::move(report_);
  }

 private:
  using Message = typename A::Message;

  struct Member {
    explicit Member(A a) : algorithm(std::move(a)) {}
    A algorithm;
    bool live = true;
    std::uint32_t life = 0;  // Which one, counted from its crashes.
    DownList told_down;      // Those whose crash it has been told of, but not their return.
  };

  struct Arrive {
    NodeId from{}, to{};
    std::uint32_t from_life = 0, to_life = 0;
    Nanos sent_at = 0;
    Message message;
  };
  struct Begin {
    NodeId member{};
  };
  struct Fall {
    NodeId member{};
  };
  struct Tell {
    NodeId member{}, fallen{};
  };
  struct Return {
    NodeId member{};
  };
  struct Cut {};
  struct Heal {};
  using Event = std::variant<Arrive, Begin, Fall, Tell, Return, Cut, Heal>;

  A fresh(NodeId self) const {
    return make_member<A>(View{.size = scenario_.members, .self = self}, scenario_.direction);
  }
  Member& at(NodeId id) { return members_[number(id)]; }

  template <class F>
  void for_each_id(F&& f) {
    for (std::uint32_t i = 0; i < scenario_.members; ++i) f(NodeId{i});
  }

  // --- the plan ---

  void set_the_scene() {
    for (const NodeId id : scenario_.down) at(id).live = false;
    for_each_id([&](NodeId id) {
      if (!at(id).live) return;
      for (const NodeId fallen : scenario_.down) {
        at(id).told_down.insert(fallen);
        step(id, [&](A& a) { a.suspect(fallen, fx_); });
      }
    });
    for (const auto& crash : scenario_.crashes) {
      plan(crash.at, Fall{crash.member});
      if (crash.back) plan(*crash.back + until_seen(), Return{crash.member});
    }
    if (const auto& partition = scenario_.partition) {
      plan(partition->from, Cut{});
      if (partition->until) plan(*partition->until + until_seen(), Heal{});
    }
    for (const auto& start : scenario_.starters) plan(start.at, Begin{start.member});
  }

  void plan(Nanos when, Event event) {
    agenda_.emplace(std::pair{when, order_++}, std::move(event));
  }
  // By then all have been told of a crash, so a return is never told before it.
  Nanos until_seen() const { return scenario_.detection_ns + scenario_.detection_spread_ns + 1; }
  Nanos between(Nanos low, Nanos high) {
    if (low == high) return low;
    return low + static_cast<Nanos>(random_.below(static_cast<std::uint64_t>(high - low) + 1));
  }
  void plan_to_tell(NodeId member, NodeId fallen) {
    const Nanos wait = scenario_.detection_ns + between(0, scenario_.detection_spread_ns);
    plan(now_ + wait, Tell{member, fallen});
  }

  // --- the events ---

  void begin(const Begin& e) {
    if (at(e.member).live) step(e.member, [&](A& a) { a.campaign(fx_); });
  }

  void arrive(const Arrive& e) {
    const bool link_lasted = at(e.to).live && at(e.to).life == e.to_life &&
                             at(e.from).life - e.from_life <= (at(e.from).live ? 0U : 1U) &&
                             !at(e.to).told_down.contains(e.from) &&
                             !was_cut(e.from, e.to, e.sent_at);
    if (!link_lasted) {
      ++report_.lost;
      return;
    }
    step(e.to, [&](A& a) { a.receive(e.from, e.message, fx_); });
  }

  void fall(const Fall& e) {
    if (!at(e.member).live) return;
    at(e.member).live = false;
    ++at(e.member).life;
    leading_.erase(e.member);
    for_each_id([&](NodeId id) {
      if (at(id).live && !apart(id, e.member)) plan_to_tell(id, e.member);
    });
  }

  void tell(NodeId member, NodeId fallen) {
    const bool gone = !at(fallen).live || apart(member, fallen);
    if (!at(member).live || !gone || !at(member).told_down.insert(fallen)) return;
    step(member, [&](A& a) {
      a.suspect(fallen, fx_);
      if (!a.leader()) a.campaign(fx_);
    });
  }

  void come_back(NodeId member) {
    if (at(member).live) return;
    at(member).algorithm = fresh(member);
    at(member).live = true;
    at(member).told_down.clear();
    for_each_id([&](NodeId id) {
      if (id == member) return;
      if (!at(id).live || apart(id, member)) {
        at(member).told_down.insert(id);
        step(member, [&](A& a) { a.suspect(id, fx_); });
        // One that joined in the meantime has not seen this member alive.
        tell(id, member);
      } else if (at(id).told_down.erase(member)) {
        step(id, [&](A& a) { a.restore(member, fx_); });
      }
    });
    step(member, [&](A& a) { a.campaign(fx_); });
  }

  void cut() {
    cut_now_ = true;
    for_each_id([&](NodeId a) {
      for_each_id([&](NodeId b) {
        if (at(a).live && at(b).live && apart(a, b)) plan_to_tell(a, b);
      });
    });
  }

  void heal() {
    const NodeSet side = scenario_.partition->side;
    cut_now_ = false;
    healed_at_ = now_;
    for_each_id([&](NodeId a) {
      for_each_id([&](NodeId b) {
        const bool across = side.contains(a) != side.contains(b);
        if (!across || !at(a).live || !at(b).live || !at(a).told_down.erase(b)) return;
        step(a, [&](A& algorithm) { algorithm.restore(b, fx_); });
      });
    });
  }

  bool apart(NodeId a, NodeId b) const {
    if (!cut_now_) return false;
    const NodeSet& side = scenario_.partition->side;
    return side.contains(a) != side.contains(b);
  }
  // The two were apart at some moment from `since` until now.
  bool was_cut(NodeId a, NodeId b, Nanos since) const {
    if (!scenario_.partition) return false;
    const auto& partition = *scenario_.partition;
    const bool across = partition.side.contains(a) != partition.side.contains(b);
    return across && (cut_now_ || (healed_at_ && since < *healed_at_));
  }

  // --- one step of one member ---

  template <class Input>
  void step(NodeId member, Input&& input) {
    A& algorithm = at(member).algorithm;
    const std::optional<NodeId> before = algorithm.leader();
    fx_.clear();
    input(algorithm);
    if (fx_.rejected() != Reject::none) {
      complain(ElectionFault::broken_rules,
               fmt::format("{} got a {}", member, name_of(fx_.rejected())));
    }
    for (const std::string& reason : fx_.reasons())
      report_.reasons.push_back({now_, member, reason});
    fx_.for_each_message(member, scenario_.members,
                         [&](NodeId to, const Message& message) { send(member, to, message); });
    if (algorithm.leader() != before) note_change(member);
  }

  void send(NodeId from, NodeId to, const Message& message) {
    ++report_.messages[message.index()].sent;
    ++report_.sent;
    Nanos when = now_ + between(scenario_.latency_min_ns, scenario_.latency_max_ns);
    if (scenario_.fifo && scenario_.latency_min_ns != scenario_.latency_max_ns) {
      Nanos& last = last_arrival_[{from, to}];
      when = last = std::max(last, when);
    }
    plan(when, Arrive{from, to, at(from).life, at(to).life, now_, copy_of(message)});
  }

  Message copy_of(const Message& message) {
    if (!scenario_.self_check) return message;
    const auto copy = decode<Message>(encode(message));
    if (!copy || !(*copy == message)) {
      complain(ElectionFault::broken_rules, to_text(message) + " did not survive the codec");
      return message;
    }
    return *copy;
  }

  void note_change(NodeId member) {
    const A& algorithm = at(member).algorithm;
    report_.timeline.push_back({now_, member, algorithm.leader(), algorithm.term()});
    report_.decided_ns = now_;
    if (algorithm.leader() != member) {
      leading_.erase(member);
      return;
    }
    leading_.insert(member);
    if (leading_.size() < 2 || report_.two_leaders) return;
    report_.two_leaders = true;
    const NodeId other = *leading_.begin() == member ? *++leading_.begin() : *leading_.begin();
    const auto [lower, higher] = std::minmax(member, other);
    report_.rivals = {lower, higher, now_, at(lower).algorithm.term(), at(higher).algorithm.term()};
  }

  // --- the verdict ---

  void complain(ElectionFault fault, std::string text) {
    report_.violations.push_back({fault, std::move(text)});
  }

  void judge() {
    if (!agenda_.empty()) {
      complain(ElectionFault::restless, fmt::format("stopped after {} events", report_.events));
    }
    for_each_id([&](NodeId id) {
      const Member& member = at(id);
      const std::uint32_t side = cut_now_ && scenario_.partition->side.contains(id) ? 1 : 0;
      report_.members.push_back({member.live, side,
                                 member.live ? member.algorithm.leader() : std::nullopt,
                                 member.live ? member.algorithm.term() : Term{}});
      if (member.live && member.algorithm.is_open()) {
        complain(ElectionFault::still_open, fmt::format("{} still waits", id));
      }
    });
    judge_side(0);
    judge_side(1);
  }

  void judge_side(std::uint32_t side) {
    std::optional<NodeId> highest;
    for_each_id([&](NodeId id) {
      if (on_side(id, side)) highest = id;
    });
    if (!highest) return;
    const std::optional<NodeId> leader = report_.members[number(*highest)].leader;
    bool agreed = true;
    bool anybody = false;
    for_each_id([&](NodeId id) {
      if (!on_side(id, side)) return;
      const auto follows = report_.members[number(id)].leader;
      anybody = anybody || follows;
      if (follows == leader) return;
      agreed = false;
      complain(ElectionFault::disagreement,
               fmt::format("{} follows {}, {} follows {}", id, to_text(follows), *highest,
                           to_text(leader)));
    });
    if (!anybody) {
      complain(ElectionFault::nobody, fmt::format("{} and its side have no leader", *highest));
    } else if (agreed && leader != highest) {
      complain(ElectionFault::wrong_leader,
               fmt::format("{} leads, but {} lives", to_text(leader), *highest));
    }
  }
  bool on_side(NodeId id, std::uint32_t side) const {
    const auto& member = report_.members[number(id)];
    return member.live && member.side == side;
  }

  const ElectionScenario& scenario_;
  Prng random_;
  Effects<Message> fx_;
  ElectionReport report_;
  std::vector<Member> members_;
  // By time; events of one moment happen in the order in which they were planned.
  std::map<std::pair<Nanos, std::uint64_t>, Event> agenda_;
  std::map<std::pair<NodeId, NodeId>, Nanos> last_arrival_;
  NodeSet leading_;  // Invariant: the live members that follow themselves.
  Nanos now_ = 0;
  std::uint64_t order_ = 0;
  bool cut_now_ = false;  // Members of the two sides do not reach each other.
  std::optional<Nanos> healed_at_;
};

std::optional<Error> what_is_wrong_with(const ElectionScenario& s) {
  const auto unknown = [&](NodeId id) { return number(id) >= s.members; };
  if (s.members == 0) return error("an election needs at least one member");
  if (s.latency_min_ns < 0 || s.latency_max_ns < s.latency_min_ns) {
    return error("latencies must not be negative, nor the least greater than the greatest");
  }
  if (s.detection_ns < 0 || s.detection_spread_ns < 0) {
    return error("detection delays must not be negative");
  }
  for (const NodeId id : s.down) {
    if (unknown(id)) return error("{} is down at the start, but is no member", id);
  }
  for (const auto& start : s.starters) {
    if (unknown(start.member)) return error("{} starts, but is no member", start.member);
    if (start.at < 0) return error("{} starts before time 0", start.member);
  }
  NodeSet crashing;
  for (const auto& crash : s.crashes) {
    if (unknown(crash.member)) return error("{} crashes, but is no member", crash.member);
    if (crash.at < 0) return error("{} crashes before time 0: let it be down", crash.member);
    if (crash.back && *crash.back < crash.at) {
      return error("{} is back before it crashes", crash.member);
    }
    if (!crashing.insert(crash.member)) return error("{} crashes twice", crash.member);
  }
  if (s.partition) {
    for (const NodeId id : s.partition->side) {
      if (unknown(id)) return error("{} is on a side of the partition, but is no member", id);
    }
    if (s.partition->from < 0) return error("the partition begins before time 0");
    if (s.partition->until && *s.partition->until < s.partition->from) {
      return error("the partition ends before it begins");
    }
  }
  return std::nullopt;
}

}  // namespace

Result<ElectionReport> run_election(std::string_view algorithm, const ElectionScenario& scenario) {
  if (auto wrong = what_is_wrong_with(scenario)) return *wrong;
  ElectionReport report;
  const bool known =
      with_election(algorithm, [&]<ElectionAlgorithm A>() { report = Run<A>{scenario}.finish(); });
  if (!known) {
    std::string names;
    for_each_election([&]<ElectionAlgorithm A>() {
      names += (names.empty() ? "" : ", ") + std::string{A::kInfo.name};
    });
    return error("no election algorithm is called '{}': there are {}", algorithm, names);
  }
  return report;
}

}  // namespace hapax
