#include "cells/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace hapax {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    "# names   where\n"
    "eu:/        db1.eu:7411,db2.eu:7411   ca=/etc/eu.pem cert=c.pem key=k.pem\n"
    "\n"
    "eu:/billing/  unix:/run/eu-billing.sock\r\n"
    "billing/    unix:/run/billing.sock server-user=billing\n"
    "  *         unix:/run/usual.sock\n";

Cells cells(const std::string& text = kText) {
  const auto all = Cells::parse(text, "cells");
  EXPECT_TRUE(all) << all.error().message;
  return all ? *all : Cells{};
}
std::pair<std::string, std::string> place(const Cells& all, const std::string& name) {
  const auto found = all.find(name);
  if (!found) return {"", found.error().message};
  return {found->cell->address, found->name};
}
std::string refusal(const std::string& text) {
  const auto all = Cells::parse(text, "cells");
  return all ? "" : all.error().message;
}

using Pair = std::pair<std::string, std::string>;

TEST(CellsTest, AreFoundByTheLongestBeginning) {
  const Cells all = cells();
  EXPECT_EQ(place(all, "eu:/orders/42"), (Pair{"db1.eu:7411,db2.eu:7411", "orders/42"}));
  EXPECT_EQ(place(all, "eu:/billing/7"), (Pair{"unix:/run/eu-billing.sock", "billing/7"}));
  EXPECT_EQ(place(all, "billing/7"), (Pair{"unix:/run/billing.sock", "billing/7"}));
  EXPECT_EQ(place(all, "orders"), (Pair{"unix:/run/usual.sock", "orders"}));
  EXPECT_EQ(all.find("eu:/x")->cell->certificate, "c.pem");
  EXPECT_EQ(all.find("billing/7")->cell->server_user, "billing");
}

TEST(CellsTest, HaveTheFoldersOfTheirNames) {
  const Cells all = cells();
  const auto at = [&](const std::string& folder) -> Pair {
    const auto found = all.find_folder(folder);
    if (!found) return {"", found.error().message};
    return {found->cell->address, found->name};
  };
  EXPECT_EQ(at("billing"), (Pair{"unix:/run/billing.sock", "billing"})) << "as billing/7";
  EXPECT_EQ(at("eu:/billing"), (Pair{"unix:/run/eu-billing.sock", "billing"}));
  EXPECT_EQ(at("eu:/"), (Pair{"db1.eu:7411,db2.eu:7411", ""}));
  EXPECT_EQ(at("eu:/orders"), (Pair{"db1.eu:7411,db2.eu:7411", "orders"}));
  EXPECT_EQ(at(""), (Pair{"unix:/run/usual.sock", ""}));
  EXPECT_THAT(at("us:/").second, HasSubstr("nobody for us:/"));
  EXPECT_THAT(cells("eu:/ a:1\n").find_folder("").error().message,
              HasSubstr("nobody for names without a cell; it has eu:/"));
}

// A name that begins with a cell goes to that cell or nowhere.
TEST(CellsTest, ThatANameNamesAreNotGuessed) {
  const Cells all = cells("eu:/ a:1\n* b:1\n");
  EXPECT_THAT(place(all, "us:/orders").second,
              HasSubstr("cells has nobody for us:/orders; it has eu:/"));
  EXPECT_EQ(place(all, "urls/http://x"), (Pair{"b:1", "urls/http://x"}));
  EXPECT_EQ(place(all, ":/x"), (Pair{"b:1", ":/x"}));
  EXPECT_THAT(place(cells("a/ b:1\n"), "c").second, HasSubstr("nobody for c"));
}

TEST(CellsTest, SayWhatIsWrongWithALine) {
  EXPECT_EQ(refusal(""), "cells: no cell is in it");
  EXPECT_THAT(refusal("# x\neu:/\n"), HasSubstr("cells:2: eu:/ is followed by no address"));
  EXPECT_THAT(refusal("eu:/ a:1\neu:/ b:1"), HasSubstr("cells:2: eu:/ is said twice"));
  EXPECT_THAT(refusal("* a:1\n* b:1"), HasSubstr("cells:2: * is said twice"));
  EXPECT_THAT(refusal("eu:/ a:1 tls=yes"), HasSubstr("tls=yes is none of ca=FILE"));
  EXPECT_THAT(refusal(":/ a:1"), HasSubstr("a cell has a name"));
  EXPECT_THAT(refusal("* cells:/etc/cells"), HasSubstr("other cells"));
  EXPECT_THAT(refusal("a\x1b[2J\n"), HasSubstr("a\\x1b[2J"));
}

RC_GTEST_PROP(CellsTest, TakeAnyBytes, (const std::string& text, const std::string& name)) {
  const auto all = Cells::parse(text, "cells");
  if (!all) RC_SUCCEED(all.error().message);
  const auto found = all->find(name);
  if (found) RC_ASSERT(name.ends_with(found->name));
}

}  // namespace
}  // namespace hapax
