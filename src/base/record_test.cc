#include "base/record.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/ids.h"

namespace hapax {
namespace {

struct Empty {
  HAPAX_RECORD(Empty)
};

struct Pair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  HAPAX_RECORD(Pair, first, second)
};

class Hidden {
 public:
  Hidden(NodeId self, std::uint64_t count) : self_{self}, count_(count) {}
  void count() { ++count_; }

  HAPAX_RECORD(Hidden, self_, count_)

 private:
  Fixed<NodeId> self_;
  std::uint64_t count_;
};

struct Plain {
  int field = 0;
};

static_assert(Record<Empty> && Record<Pair> && Record<Hidden>);
static_assert(!Record<Plain> && !Record<int>);

template <class R>
std::vector<std::string> names(const R& record) {
  std::vector<std::string> names;
  for_each_field(record, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  return names;
}

TEST(Record, KnowsItsNameAndTheNamesOfItsFields) {
  EXPECT_EQ(Pair::kRecordName, "Pair");
  EXPECT_EQ(names(Pair{}), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(names(Empty{}), std::vector<std::string>{});
}

TEST(Record, TheUnderscoreOfAHiddenMemberIsNotPartOfItsName) {
  EXPECT_EQ(names(Hidden{NodeId{1}, 2}), (std::vector<std::string>{"self", "count"}));
}

TEST(Record, EqualMeansEqualInEveryField) {
  EXPECT_TRUE((Pair{1, 2} == Pair{1, 2}));
  EXPECT_FALSE((Pair{1, 2} == Pair{1, 3}));
  EXPECT_FALSE((Pair{1, 2} == Pair{0, 2}));
  EXPECT_TRUE(Empty{} == Empty{});
  Hidden a{NodeId{1}, 5};
  const Hidden b = a;
  EXPECT_TRUE(a == b);
  a.count();
  EXPECT_FALSE(a == b);
}

TEST(Record, WhatIsFixedTellsNodesApart) {
  EXPECT_FALSE((Hidden{NodeId{1}, 5} == Hidden{NodeId{2}, 5}));
}

TEST(Record, FieldsAreTheMembersThemselvesInTheOrderOfTheList) {
  Pair pair{1, 2};
  std::get<1>(fields(pair)) = 7;
  EXPECT_EQ(pair.second, 7u);
  std::vector<std::uint32_t> seen;
  for_each_field(pair, [&](std::string_view, std::uint32_t& value) {
    seen.push_back(value);
    value = 0;
  });
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 7}));
  EXPECT_TRUE((pair == Pair{0, 0}));
}

}  // namespace
}  // namespace hapax
