#include "base/text.h"

#include <gtest/gtest.h>
#include <vector>

#include "base/counted.h"

namespace hapax {
namespace {

struct Priced {
  std::uint32_t euros = 0;
  HAPAX_RECORD(Priced, euros)
};

}  // namespace
}  // namespace hapax

template <>
struct fmt::formatter<hapax::Priced> : fmt::formatter<std::uint32_t> {
  template <class Context>
  auto format(hapax::Priced priced, Context& context) const {
    return fmt::format_to(context.out(), "{} euros", priced.euros);
  }
};

namespace hapax {
namespace {

enum class Light : std::uint8_t { red, green };
constexpr std::string_view name_of(Light light) { return light == Light::red ? "red" : "green"; }
enum class Bare : std::uint8_t { zero, one };

struct Ping {
  HAPAX_RECORD(Ping)
};
struct Request {
  Clock clock{};
  HAPAX_RECORD(Request, clock)
};
struct Lists {
  NodeSet nodes;
  std::vector<NodeId> queue;
  HAPAX_RECORD(Lists, nodes, queue)
};

struct Node {
  Fixed<NodeId> self;
  Clock clock{};
  HAPAX_RECORD(Node, self, clock)
};

TEST(Text, NumbersAndIdsPrintAsPeopleWriteThem) {
  EXPECT_EQ(to_text(7u), "7");
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(NodeId{7}), "#7");
  EXPECT_EQ(to_text(Clock{7}), "7");
  EXPECT_EQ(to_text(Turn{8}), "8");
}

TEST(Text, AnEnumPrintsByItsNameWhereItHasOne) {
  EXPECT_EQ(to_text(Light::green), "green");
  EXPECT_EQ(to_text(Bare::one), "1");
}

TEST(Text, ContainersPrintTheirMembersInOrder) {
  EXPECT_EQ(to_text(NodeSet{}), "{}");
  EXPECT_EQ(to_text(NodeSet{NodeId{3}, NodeId{1}, NodeId{70}}), "{#1,#3,#70}");
  EXPECT_EQ(to_text(std::vector<NodeId>{}), "[]");
  EXPECT_EQ(to_text(std::vector{NodeId{3}, NodeId{1}}), "[#3,#1]");
  EXPECT_EQ(to_text(std::vector{std::pair{NodeId{3}, 5u}}), "[#3:5]");
}

TEST(Text, WhatIsNotThereIsADash) {
  EXPECT_EQ(to_text(std::optional<Clock>{}), "-");
  EXPECT_EQ(to_text(std::optional{Clock{4}}), "4");
  EXPECT_EQ(to_text(Box<Request>{}), "-");
  EXPECT_EQ(to_text(Box{Request{Clock{4}}}), "REQUEST(clock=4)");
}

TEST(Text, MessagesAreSpokenOfInCapitals) {
  EXPECT_EQ(to_text(Ping{}), "PING");
  EXPECT_EQ(to_text(Request{Clock{5}}), "REQUEST(clock=5)");
  EXPECT_EQ(to_text(std::variant<Ping, Request>{Request{Clock{6}}}), "REQUEST(clock=6)");
}

TEST(Text, FieldsOfARecordAreApartByBlanks) {
  EXPECT_EQ(to_text(Lists{{NodeId{1}}, {NodeId{2}}}), "LISTS(nodes={#1} queue=[#2])");
}

TEST(Text, WhatNeverChangesIsLeftOut) {
  EXPECT_EQ(to_text(Node{{NodeId{3}}, Clock{2}}), "NODE(clock=2)");
}

TEST(Text, ARecordWithAShortFormOfItsOwnPrintsByIt) {
  EXPECT_EQ(to_text(Priced{5}), "5 euros");
  EXPECT_EQ(to_text(std::vector{Priced{5}, Priced{6}}), "[5 euros,6 euros]");
}

TEST(Counted, OneIsNoPlural) {
  EXPECT_EQ(counted(1, "member"), "1 member");
  EXPECT_EQ(counted(0, "member"), "0 members");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

}  // namespace
}  // namespace hapax
