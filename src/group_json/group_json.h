// A group, its members and its locks as JSON: what `--json` prints and what a daemon's live page is
// told, from one place.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hapax/client.h"

namespace hapax::cli {

boost::json::object json_of(const Person& person);
boost::json::object json_of(const LockInfo& lock);
// As `hapax who --json`. `silent`: members that did not answer, from 1.
boost::json::object json_of_locks(const std::vector<LockInfo>& locks,
                                  const std::vector<std::uint32_t>& silent,
                                  std::uint64_t more_locks);

// As `hapax status --json`; `with_all`: with what each member says of itself.
boost::json::object json_of(const GroupStatus& status, bool with_all);
boost::json::object json_of(const MemberStats& stats);
boost::json::object json_view(const ViewStatus& view);

// From 1; null if there is none.
boost::json::value json_member(const std::optional<std::uint32_t>& member);
// Null if it is not known.
boost::json::value json_release(const std::string& release);
// Null if it has none.
boost::json::value json_certificate(const std::optional<GroupStatus::Certificate>& certificate);

}  // namespace hapax::cli
