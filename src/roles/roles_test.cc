#include "roles/roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace hapax {
namespace {

using ::testing::HasSubstr;

const Caller kAlice{uid_t{4'000'001}, ""};
const Caller kBob{uid_t{4'000'002}, ""};
const Caller kBilling{std::nullopt, "billing"};
const Caller kAnybody{};

Roles roles_of(const std::vector<std::string>& lines) {
  const auto roles = Roles::parse(lines);
  EXPECT_TRUE(roles.has_value()) << (roles ? "" : roles.error().message);
  return roles ? *roles : Roles{};
}

std::string complaint(const std::string& line) {
  const auto roles = Roles::parse(std::vector{line});
  return roles ? "fine" : roles.error().message;
}

TEST(Roles, OnlyTheDaemonsUserAndRootAdministerIfNothingIsSaid) {
  const Roles none;
  for (const Caller& caller : {Caller{geteuid(), ""}, Caller{uid_t{0}, ""}}) {
    for (const Right right : {Right::lock, Right::read, Right::administer}) {
      EXPECT_TRUE(none.may(caller, right, "x"));
    }
  }
  for (const Caller& caller : {kAlice, kBilling, kAnybody}) {
    EXPECT_TRUE(none.may(caller, Right::lock, "x"));
    EXPECT_TRUE(none.may(caller, Right::read, "x"));
    EXPECT_FALSE(none.may(caller, Right::administer));
  }
}

TEST(Roles, ArePerUserAndPerCertificateAndByPrefix) {
  const Roles roles = roles_of({"4000001=lock, read on orders/* bills/*", "4000001 = read",
                                "client:billing=lock on bills/*", "client:ops=administer"});
  EXPECT_TRUE(roles.may(kAlice, Right::lock, "orders/7"));
  EXPECT_TRUE(roles.may(kAlice, Right::lock, "bills/7"));
  EXPECT_FALSE(roles.may(kAlice, Right::lock, "order"));
  EXPECT_TRUE(roles.may(kAlice, Right::lock)) << "some lock";
  EXPECT_TRUE(roles.may(kAlice, Right::read, "anything")) << "by the second line";
  EXPECT_FALSE(roles.may(kAlice, Right::administer));
  EXPECT_FALSE(roles.may(kBob, Right::read, "orders/7")) << "nobody has named it";
  EXPECT_TRUE(roles.may(kBilling, Right::lock, "bills/7"));
  EXPECT_FALSE(roles.may(kBilling, Right::lock, "orders/7"));
  EXPECT_FALSE(roles.may(kBilling, Right::read));
  EXPECT_TRUE(roles.may({std::nullopt, "ops"}, Right::administer));
  EXPECT_FALSE(roles.may(kAnybody, Right::lock, "bills/7"));
  EXPECT_TRUE(roles.may(Caller{geteuid(), ""}, Right::administer)) << "roles never lock us out";
}

TEST(Roles, OfEverybodyIncludeWhoeverGetsIn) {
  const Roles roles = roles_of({"*=read"});
  for (const Caller& caller : {kAlice, kBilling, kAnybody}) {
    EXPECT_TRUE(roles.may(caller, Right::read, "x"));
    EXPECT_FALSE(roles.may(caller, Right::lock, "x"));
  }
}

TEST(Roles, ARefusalSaysWhatWasNeededAndWhoYouAre) {
  const Roles roles = roles_of({"4000001=lock,read on orders/*"});
  EXPECT_EQ(roles.objection(kAlice, Right::lock, "take orders/1", "orders/1"), std::nullopt);
  EXPECT_EQ(roles.objection(kAlice, Right::administer, "evict a member").value_or(""),
            "to evict a member needs the right to administer; you are uid 4000001, who may lock, "
            "read on orders/*");
  EXPECT_THAT(roles.objection(kBilling, Right::read, "see who holds").value_or(""),
              HasSubstr("you are client billing, who may do nothing"));
  EXPECT_THAT(Roles{}.objection(kAnybody, Right::administer, "leave").value_or(""),
              HasSubstr("you are somebody over plain TCP, who may lock, read"));
}

TEST(Roles, SayWhatIsWrongWithALine) {
  EXPECT_EQ(complaint("root=lock"), "fine");
  EXPECT_THAT(complaint("root"), HasSubstr("alice=lock,read on orders/*"));
  EXPECT_THAT(complaint("root=fly"), HasSubstr("'fly' is no right"));
  EXPECT_THAT(complaint("root="), HasSubstr("not complete"));
  EXPECT_THAT(complaint("root=lock on"), HasSubstr("not complete"));
  EXPECT_THAT(complaint("no such user=lock"), HasSubstr("there is no user no such user"));
  EXPECT_THAT(complaint("client:a b=lock"), HasSubstr("no name of a client's certificate"));
  EXPECT_THAT(complaint("root=administer on x"), HasSubstr("a line of its own"));
}

}  // namespace
}  // namespace hapax
