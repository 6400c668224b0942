// What both Client and Node ask: an answer, or an exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "client/gateway.h"

namespace hapax::client {

inline void throw_if(std::error_code error, const std::string& what) {
  if (error) throw std::system_error{error, what};
}

inline std::vector<LockInfo> who(detail::Gateway& gateway, std::string_view name,
                                 std::vector<std::uint32_t>* silent, std::uint64_t* more_locks) {
  std::vector<LockInfo> locks;
  detail::LeftOut left_out;
  throw_if(gateway.who(name, locks, left_out), "who");
  if (silent != nullptr) *silent = std::move(left_out.silent);
  if (more_locks != nullptr) *more_locks = left_out.more_locks;
  return locks;
}

inline GroupStatus status(detail::Gateway& gateway, bool all) {
  GroupStatus status;
  throw_if(gateway.status(all, status), "status");
  return status;
}

inline MemberStats stats(detail::Gateway& gateway) {
  MemberStats stats;
  throw_if(gateway.stats(stats), "stats");
  return stats;
}

}  // namespace hapax::client
