// A client of several groups and engines: a small file says which of them serves a name
// (cells/cells.h). Each is connected when its first name is used.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cells/cells.h"
#include "handles/refusing_gateway.h"
#include "hapax/client.h"

namespace hapax::client {

// The file of cells:FILE; empty: it is another address.
std::string_view cells_file(std::string_view address);
// Throws std::system_error: bad_address.
Cells read_cells(std::string_view address);
// How the entry is reached: as it says, and as `usual` where it does not.
ClientOptions options_of(const CellEntry& entry, const ClientOptions& usual);

class CellsGateway final : public detail::RefusingGateway {
 public:
  using Connect = std::function<std::shared_ptr<detail::Gateway>(const ClientOptions&)>;

  // `usual` is what a cell does not say.
  CellsGateway(Cells cells, ClientOptions usual, Connect connect);

  // Throws std::system_error: nobody serves that name, or who does cannot be reached.
  detail::Served serving(std::string_view name, detail::Named what) override;

  std::error_code who(std::string_view name, std::vector<LockInfo>& locks,
                      detail::LeftOut& left_out) override;

 private:
  const Cells cells_;
  const ClientOptions usual_;
  const Connect connect_;
  std::mutex mutex_;  // Guards
  std::map<const CellEntry*, std::shared_ptr<detail::Gateway>> connected_;
};

}  // namespace hapax::client
