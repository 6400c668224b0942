#include "records/backup.h"

#include <algorithm>
#include <fmt/format.h>

#include "records/json_fields.h"

namespace hapax {
namespace {

namespace json = boost::json;

constexpr std::string_view kWhat = "hapax backup";
constexpr std::uint64_t kHighestEpoch = std::uint64_t{1} << 60;

Result<std::vector<engine::Record>> records_in(const json::object& object) {
  const json::value* records = object.if_contains("records");
  if (records == nullptr || !records->is_object()) return error("it has no records");
  std::vector<engine::Record> all;
  for (const auto& [key, value] : records->as_object()) {
    if (!value.is_string() || key.size() > engine::kKeyBytes || key.empty() ||
        value.as_string().size() > engine::kValueBytes) {
      return error("its record '{}' is not a text", std::string_view{key});
    }
    all.push_back({std::string{key}, std::string{value.as_string()}, 1});
  }
  return all;
}

bool is_taken(const engine::Record& record) {
  return record.key.starts_with("banned/") || (record.key == "settings" && is_set(record.value));
}

}  // namespace

std::string text_of(const Backup& backup, std::uint64_t at) {
  json::object records;
  for (const engine::Record& record : backup.records) records[record.key] = record.value;
  return json::serialize(json::object{{"what", kWhat},
                                      {"group", backup.group},
                                      {"at", static_cast<std::int64_t>(at)},
                                      {"epoch", static_cast<std::int64_t>(number(backup.epoch))},
                                      {"records", std::move(records)}});
}

Result<Backup> backup_in(const std::string& text) {
  const auto object = object_in(text);
  if (!object || text_at(*object, "what") != kWhat) return error("it was not made by hapax backup");
  const auto group = text_at(*object, "group");
  const auto epoch = number_at(*object, "epoch");
  if (!group || !epoch || *epoch > kHighestEpoch) return error("it has no group, or no epoch");
  auto records = records_in(*object);
  if (!records) return records.error();
  Backup backup{*group, Epoch{*epoch}, std::move(*records)};
  const auto good = directory_of({1, backup.records});
  if (!good) return good.error();
  backup.epoch = std::max(backup.epoch, good->reg.roll.epoch);
  return backup;
}

Change restoring(const Backup& backup) {
  Change change{
      {{"settings", engine::kAbsent}, {"lives", engine::kAbsent}, {"view", engine::kAbsent}}, {}};
  for (const engine::Record& record : backup.records) {
    if (is_taken(record)) change.writes.push_back({record.key, record.value});
  }
  return change;
}

}  // namespace hapax
