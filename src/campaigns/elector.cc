#include "campaigns/elector.h"

#include <utility>
#include <variant>

#include "base/check.h"
#include "core/make.h"

namespace hapax {
namespace {

// Counting one by one, nobody gets there.
constexpr std::uint64_t kHighestTerm = std::uint64_t{1} << 48;

template <class Message>
Term term_of(const Message& message) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.ballot; }) {
          return m.ballot.term;
        } else {
          return m.term;
        }
      },
      message);
}

}  // namespace

std::string_view name_of(ElectionId id) {
  HAPAX_CHECK(is_valid(id));
  std::string_view name;
  std::uint8_t at = 0;
  for_each_election([&]<class A>() {
    if (at++ == number(id)) name = A::kInfo.name;
  });
  return name;
}

std::optional<ElectionId> election_named(std::string_view name) {
  for (std::uint8_t i = 0; i < kElections; ++i) {
    if (name_of(ElectionId{i}) == name) return ElectionId{i};
  }
  return std::nullopt;
}

std::string election_names() {
  std::string names;
  for (std::uint8_t i = 0; i < kElections; ++i) {
    if (i > 0) names += ", ";
    names += name_of(ElectionId{i});
  }
  return names;
}

Elector::Elector(ElectionId which, std::uint32_t size, NodeId self)
    : size_(size), self_(self), election_(start(which, size, self)) {}

Elector::AnyElection Elector::start(ElectionId which, std::uint32_t size, NodeId self) {
  HAPAX_CHECK(is_valid(which));
  HAPAX_CHECK(number(self) < size);
  const View view{.size = size, .self = self};
  std::optional<AnyElection> started;
  with_election(name_of(which), [&]<class A>() { started.emplace(make<A>(view)); });
  return std::move(*started);
}

template <class Input>
Reject Elector::step(std::vector<Mail>& out, Input&& input) {
  return std::visit(
      [&]<class A>(A& a) {
        Effects<typename A::Message> fx;
        input(a, fx);
        fx.for_each_message(self_, size_, [&](NodeId to, const typename A::Message& message) {
          HAPAX_CHECK(to != self_);
          out.push_back({to, {}});
          encode_to(out.back().message, message);
        });
        return fx.rejected();
      },
      election_);
}

void Elector::campaign(std::vector<Mail>& out) {
  step(out, [](auto& a, auto& fx) { a.campaign(fx); });
}
void Elector::suspect(NodeId peer, std::vector<Mail>& out) {
  step(out, [&](auto& a, auto& fx) { a.suspect(peer, fx); });
}
void Elector::restore(NodeId peer, std::vector<Mail>& out) {
  step(out, [&](auto& a, auto& fx) { a.restore(peer, fx); });
}

Elector::Verdict Elector::receive(NodeId from, std::span<const std::uint8_t> message,
                                  std::vector<Mail>& out) {
  HAPAX_CHECK(from != self_);
  // The longest lists every member once.
  if (message.size() > 64 + std::size_t{16} * size_) return Verdict::malformed;
  Verdict verdict = Verdict::fine;
  const Reject reject = step(out, [&]<class A>(A& a, Effects<typename A::Message>& fx) {
    const auto decoded = decode<typename A::Message>(message);
    if (!decoded) {
      verdict = Verdict::malformed;
    } else if (number(term_of(*decoded)) > kHighestTerm) {
      verdict = Verdict::refused;
    } else {
      a.receive(from, *decoded, fx);
    }
  });
  return reject == Reject::none ? verdict : Verdict::refused;
}

std::optional<NodeId> Elector::leader() const {
  return std::visit([](const auto& a) { return a.leader(); }, election_);
}
Term Elector::term() const {
  return std::visit([](const auto& a) { return a.term(); }, election_);
}
bool Elector::is_open() const {
  return std::visit([](const auto& a) { return a.is_open(); }, election_);
}

}  // namespace hapax
