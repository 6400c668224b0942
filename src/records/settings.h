// What all members of a group on an engine must have in common: how long a lease lasts, and which
// algorithm serves which lock. Members are given it at their start; while they run, somebody may
// set other settings (`hapax settings set`), which then hold for everybody who comes, whatever it
// was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "locks/policy.h"
#include "service/lease_times.h"

namespace hapax {

// The first part of a long text, and what tells it from others that begin alike.
std::string shortened(const std::string& text, std::size_t most);

struct Settings {
  Span ttl{};
  Policy policy;

  std::string text() const;  // As people read it; no two have the same.
  friend bool operator==(const Settings&, const Settings&) = default;
};

// Of these parts, each that is there replaces what was; all rules together are one.
struct SettingsChange {
  std::optional<Span> ttl;
  std::optional<std::vector<std::string>> rules;
  std::optional<std::string> fallback;

  // An error says what is wrong with it; nothing may be changed then.
  Result<Settings> applied_to(const Settings& now) const;
};

// Settings that were set while members ran, as the engine keeps them.
struct SetSettings {
  Settings now;
  // What the members were given that were there first. Nobody can be asked to forget it: their
  // links say so, and so must those of everybody who comes.
  std::string started;
  Span started_ttl{};
  Span longest{};        // Of all TTLs there have been.
  std::string by;        // Who asked for it, and where.
  std::uint64_t at = 0;  // Seconds since 1970.
};
std::string text_of(const SetSettings& settings);
// Whether that record is one; else it has the text of what members were given.
inline bool is_set(std::string_view record) { return record.starts_with('{'); }
std::optional<SetSettings> set_settings_in(const std::string& record);

}  // namespace hapax
