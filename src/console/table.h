// A table for people: columns as wide as they need, numbers to the right. Where there is less room,
// what can be long is cut.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hapax::cli {

class Table {
 public:
  enum class Align { left, right };

  // If the table is too wide, columns that can be long give way, the last one first.
  enum class Length { short_, long_ };
  void column(std::string title, Align align = Align::right, Length length = Length::short_);
  // REQUIRES: as many cells as columns.
  void row(std::vector<std::string> cells);
  std::string text() const;
  // The same in no more columns of a terminal than that, as far as its long columns allow.
  std::string text_within(std::size_t columns) const;
  std::size_t width() const;  // In columns of a terminal.

 private:
  std::vector<std::size_t> widths() const;
  std::string text(const std::vector<std::size_t>& widths) const;

  std::vector<std::string> titles_;
  std::vector<Align> aligns_;
  std::vector<Length> lengths_;
  std::vector<std::vector<std::string>> rows_;
};

// 18, 5.08, 2.829: as many digits as mean something.
std::string show_number(double value);

}  // namespace hapax::cli
