// A copy of what an engine keeps for a group, as one JSON document; and what a group may take from
// it on an engine that has lost everything: settings that were set, bans, and above which epoch its
// views begin. Never the view and its lives: a lease must not come back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "engine/record.h"
#include "records/directory.h"

namespace hapax {

struct Backup {
  std::string group;
  Epoch epoch{};                        // The highest that anybody had seen.
  std::vector<engine::Record> records;  // Without their versions.
};

// `at`: seconds since 1970.
std::string text_of(const Backup& backup, std::uint64_t at);
// An error that says what is wrong with it.
Result<Backup> backup_in(const std::string& text);

// What is taken from it, onto an engine that has no records of the group.
Change restoring(const Backup& backup);

}  // namespace hapax
