#include "client/cells_gateway.h"

#include <system_error>
#include <utility>

#include "core/lock_name.h"

namespace hapax::client {

std::string_view cells_file(std::string_view address) {
  constexpr std::string_view kScheme = "cells:";
  return address.starts_with(kScheme) ? address.substr(kScheme.size()) : std::string_view{};
}

Cells read_cells(std::string_view address) {
  auto cells = Cells::read(std::string{cells_file(address)});
  if (!cells) throw std::system_error{make_error_code(Errc::bad_address), cells.error().message};
  return std::move(*cells);
}

ClientOptions options_of(const CellEntry& entry, const ClientOptions& usual) {
  ClientOptions options = Client::options_for(entry.address);
  options.asks_only = usual.asks_only;
  options.engine_ttl = usual.engine_ttl;
  options.engine_units = usual.engine_units;
  options.engine_group = usual.engine_group;
  options.engine_user = usual.engine_user;
  options.engine_password = usual.engine_password;
  const auto set = [](std::string& option, const std::string& said) {
    if (!said.empty()) option = said;
  };
  set(options.authority, entry.authority);
  set(options.certificate, entry.certificate);
  set(options.key, entry.key);
  set(options.server_user, entry.server_user);
  return options;
}

CellsGateway::CellsGateway(Cells cells, ClientOptions usual, Connect connect)
    : RefusingGateway(Errc::refused),
      cells_(std::move(cells)),
      usual_(std::move(usual)),
      connect_(std::move(connect)) {}

detail::Served CellsGateway::serving(std::string_view name, detail::Named what) {
  const bool is_folder = what == detail::Named::folder;
  const auto place = is_folder ? cells_.find_folder(name) : cells_.find(name);
  if (!place) throw std::system_error{make_error_code(Errc::bad_name), place.error().message};
  if (!(is_folder && place->name.empty()) && !check_lock_name(place->name)) {
    throw std::system_error{make_error_code(Errc::bad_name), std::string{name.substr(0, 40)}};
  }
  const std::lock_guard lock{mutex_};
  auto& gateway = connected_[place->cell];
  if (gateway == nullptr) gateway = connect_(options_of(*place->cell, usual_));
  return {gateway, place->name};
}

// Names are as they are there.
std::error_code CellsGateway::who(std::string_view name, std::vector<LockInfo>& locks,
                                  detail::LeftOut& left_out) {
  if (name.empty()) {
    throw std::system_error{make_error_code(Errc::refused),
                            "several groups are asked one at a time: say which name"};
  }
  const detail::Served served = serving(name, detail::Named::one);
  return served.gateway->who(served.name, locks, left_out);
}

}  // namespace hapax::client
