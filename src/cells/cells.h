// Which group or engine serves a name: an organisation grows by adding groups, and a small file
// says which names are whose. A line each:
//
//   # names      where                                     files and users, if they differ
//   eu:/         db1.eu:7411,db2.eu:7411                   ca=/etc/hapax/eu/ca.pem
//   us:/         etcd://10.1.0.1:2379,10.1.0.2:2379
//   us:/gpu/     etcd://10.1.0.9:2379
//   billing/     unix:/run/billing/hapax.sock              server-user=billing
//   *            unix:/run/hapaxd/hapax.sock
//
// The longest that a name begins with serves it; `*` serves what no other does. What ends with :/
// is a cell, and is no part of the name there: eu:/orders/42 is orders/42 in the first group.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hapax {

struct CellEntry {    // A line of the file.
  std::string names;  // That begin with it; empty: all others.
  std::string address;
  // As ClientOptions has them; empty: as for all others.
  std::string authority, certificate, key, server_user;
};

class Cells {
 public:
  // An error says which line, and what to write there. `file` is its name, for people.
  static Result<Cells> parse(std::string_view text, const std::string& file);
  static Result<Cells> read(const std::string& file);

  struct Place {
    const CellEntry* cell = nullptr;  // Lives as long as these cells.
    std::string name;                 // There.
  };
  Result<Place> find(std::string_view name) const;
  // The same for the names in that folder: who serves `gpu/` serves the folder gpu. What of it
  // another one serves is not there.
  Result<Place> find_folder(std::string_view folder) const;

  const std::vector<CellEntry>& all() const { return all_; }

 private:
  std::string file_;
  std::vector<CellEntry> all_;  // The longest first: the first that fits serves.
};

}  // namespace hapax
