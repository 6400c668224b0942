#include "cells/cells.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <utility>

#include "base/file_text.h"
#include "base/printable.h"

namespace hapax {
namespace {

constexpr std::size_t kMostCells = 1'000;

// How many bytes of it are a cell and its :/.
std::size_t cell_part(std::string_view name) {
  const std::size_t colon = name.find(":/");
  const bool is_first = colon != std::string_view::npos && colon > 0 && name.find('/') == colon + 1;
  return is_first ? colon + 2 : 0;
}

// What `word` sets of a cell, or an error.
Result<void> set(CellEntry& cell, const std::string& word) {
  const std::pair<std::string_view, std::string*> known[] = {
      {"ca=", &cell.authority},
      {"cert=", &cell.certificate},
      {"key=", &cell.key},
      {"server-user=", &cell.server_user},
  };
  for (const auto& [key, value] : known) {
    if (!word.starts_with(key)) continue;
    *value = word.substr(key.size());
    return {};
  }
  return error("{} is none of ca=FILE, cert=FILE, key=FILE and server-user=USER", printable(word));
}

Result<CellEntry> cell_of(const std::string& line) {
  std::istringstream words{line};
  CellEntry cell;
  words >> cell.names >> cell.address;
  if (cell.address.empty()) {
    return error("{} is followed by no address; use unix:/path, host:port or etcd://…",
                 printable(cell.names));
  }
  if (cell.address.starts_with("cells:")) return error("cells cannot be served by other cells");
  if (cell.names == ":/") return error("a cell has a name before its :/");
  if (cell.names == "*") cell.names.clear();
  for (std::string word; words >> word;) {
    const auto done = set(cell, word);
    if (!done) return done.error();
  }
  return cell;
}

}  // namespace

Result<Cells> Cells::parse(std::string_view text, const std::string& file) {
  Cells cells;
  cells.file_ = file;
  std::istringstream lines{std::string{text}};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    const auto cell = cell_of(line);
    if (!cell) return error("{}:{}: {}", file, number, cell.error().message);
    for (const CellEntry& other : cells.all_) {
      if (other.names == cell->names) {
        return error("{}:{}: {} is said twice", file, number,
                     cell->names.empty() ? "*" : printable(cell->names));
      }
    }
    if (cells.all_.size() == kMostCells) return error("{}: more than {} cells", file, kMostCells);
    cells.all_.push_back(*cell);
  }
  if (cells.all_.empty()) return error("{}: no cell is in it", file);
  std::stable_sort(
      cells.all_.begin(), cells.all_.end(),
      [](const CellEntry& a, const CellEntry& b) { return a.names.size() > b.names.size(); });
  return cells;
}

Result<Cells> Cells::read(const std::string& file) {
  const auto text = text_of_file(file);
  if (!text) return text.error();
  return parse(*text, file);
}

Result<Cells::Place> Cells::find(std::string_view name) const {
  const std::size_t part = cell_part(name);
  for (const CellEntry& cell : all_) {
    // A cell that is not listed must not be taken for a name of the usual group's: whoever holds
    // the lock that is meant is elsewhere.
    if (name.starts_with(cell.names) && cell_part(cell.names) == part) {
      return Place{&cell, std::string{name.substr(part)}};
    }
  }
  std::vector<std::string> known;
  for (const CellEntry& cell : all_)
    known.push_back(cell.names.empty() ? "*" : printable(cell.names));
  return error("{} has nobody for {}; it has {}", file_,
               name.empty() ? "names without a cell" : printable(name), fmt::join(known, ", "));
}

Result<Cells::Place> Cells::find_folder(std::string_view folder) const {
  if (folder.empty() || folder.ends_with('/')) return find(folder);
  auto place = find(std::string{folder} + '/');
  if (place) place->name.pop_back();
  return place;
}

}  // namespace hapax
