// What both Client and Node ask: an answer, or an exception.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "handles/gateway.h"
#include "handles/own_gateway.h"

namespace hapax::client {

inline void throw_if(std::error_code error, const std::string& what) {
  if (error) throw std::system_error{error, what};
}

// Asks for what administrators may; what is told of it. It may take `patience` longer than others.
inline std::string administer(const std::shared_ptr<detail::Gateway>& gateway, session::Ask asked,
                              std::chrono::milliseconds patience = {}) {
  std::string told;
  throw_if((*detail::OwnGateway{gateway})
               .administer(std::move(asked), patience + 4 * session::kSilence, told),
           told);
  return told;
}

inline void leave(const std::shared_ptr<detail::Gateway>& gateway,
                  std::chrono::milliseconds patience) {
  constexpr std::chrono::seconds kForTheView{60};  // To be agreed on, after the draining.
  administer(gateway, session::Leave{0, static_cast<std::uint64_t>(patience.count())},
             patience + kForTheView);
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
