// A table for people: columns as wide as they need, numbers to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hapax::cli {

class Table {
 public:
  enum class Align { left, right };

  void column(std::string title, Align align = Align::right);
  // REQUIRES: as many cells as columns.
  void row(std::vector<std::string> cells);
  std::string text() const;
  std::size_t width() const;  // In columns of a terminal.

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::string> titles_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

// 18, 5.08, 2.829: as many digits as mean something.
std::string show_number(double value);

}  // namespace hapax::cli
