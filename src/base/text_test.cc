#include "base/text.h"

#include <gtest/gtest.h>
#include <vector>

namespace hapax {
namespace {

enum class Colour : std::uint8_t { red, green };
constexpr std::string_view name_of(Colour colour) {
  return colour == Colour::red ? "red" : "green";
}
enum class Bare : std::uint8_t { zero, one };

struct Ping {
  HAPAX_RECORD(Ping)
};
struct Request {
  Clock clock{};
  HAPAX_RECORD(Request, clock)
};
struct Box2 {
  NodeSet nodes;
  std::vector<NodeId> queue;
  HAPAX_RECORD(Box2, nodes, queue)
};

TEST(Text, NumbersAndIdsPrintAsPeopleWriteThem) {
  EXPECT_EQ(to_text(7u), "7");
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(NodeId{7}), "#7");
  EXPECT_EQ(to_text(Clock{7}), "7");
  EXPECT_EQ(to_text(Turn{8}), "8");
}

TEST(Text, AnEnumPrintsByItsNameWhereItHasOne) {
  EXPECT_EQ(to_text(Colour::green), "green");
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
  EXPECT_EQ(to_text(Box2{{NodeId{1}}, {NodeId{2}}}), "BOX2(nodes={#1} queue=[#2])");
}

TEST(Text, WhatIsFixedPrintsItsValueAndOfAPointerOnlyWhetherThereIsOne) {
  const int shared = 5;
  EXPECT_EQ(to_text(Fixed<NodeId>{NodeId{2}}), "#2");
  EXPECT_EQ(to_text(Fixed<const int*>{&shared}), "shared");
  EXPECT_EQ(to_text(Fixed<const int*>{}), "default");
}

}  // namespace
}  // namespace hapax
