#include "console/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax::cli {
namespace {

Table wide_table_of_names() {
  Table table;
  table.column("name", Table::Align::left, Table::Length::long_);
  table.column("count");
  table.column("command", Table::Align::left, Table::Length::long_);
  table.row({"orders/0123456789/é/42", "7", "backup --everything --to elsewhere"});
  return table;
}

std::string rule(int columns) {
  std::string text;
  for (int i = 0; i < columns; ++i) text += "─";
  return text + '\n';
}

TEST(TableTest, HasColumnsAsWideAsTheyNeed) {
  EXPECT_EQ(wide_table_of_names().text(),
            "name                    count  command\n" + rule(65) +
                "orders/0123456789/é/42      7  backup --everything --to elsewhere\n");
  EXPECT_EQ(wide_table_of_names().text_within(100), wide_table_of_names().text());
}

TEST(TableTest, CutsWhatIsLongFromTheRight) {
  EXPECT_EQ(wide_table_of_names().text_within(50),
            "name                    count  command\n" + rule(50) +
                "orders/0123456789/é/42      7  backup --eve…ewhere\n");
  EXPECT_EQ(
      wide_table_of_names().text_within(36),
      "name               count  command\n" + rule(36) + "orders/0123…/é/42      7  backup…ere\n")
      << "what is left of the last, ten characters, and then the one before it";
}

TEST(TableTest, CutsNothingThatIsShort) {
  EXPECT_EQ(wide_table_of_names().text_within(1),
            "name    count  comm…d\n" + rule(21) + "orde…2      7  back…e\n");
}

}  // namespace
}  // namespace hapax::cli
