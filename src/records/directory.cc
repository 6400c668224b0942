#include "records/directory.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <fmt/format.h>

#include "base/text.h"
#include "records/json_fields.h"

namespace hapax {
namespace {

namespace json = boost::json;

constexpr std::string_view kSettings = "settings";
constexpr std::string_view kLives = "lives";
constexpr std::string_view kView = "view";
constexpr std::string_view kLife = "life/";
constexpr std::string_view kEvicted = "evicted/";
constexpr std::string_view kBanned = "banned/";

std::string key_of(std::string_view prefix, Life life) {
  return fmt::format("{}{}", prefix, number(life));
}
std::string key_of_ban(std::uint32_t seat) { return fmt::format("{}{}", kBanned, seat); }

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_shortest = text.size() == 1 || !text.starts_with('0');
  if (failed != std::errc{} || end != text.data() + text.size() || !is_shortest ||
      value > kLargestNumber) {
    return std::nullopt;
  }
  return value;
}

// False: that is not what we write. What is not there is not said.
bool read_after(const json::object& object, Roll& roll) {
  const json::value* after = object.if_contains("after");
  if (after == nullptr) return true;
  if (!after->is_array()) return false;
  for (const json::value& earlier : after->as_array()) {
    if (!earlier.is_int64() || earlier.as_int64() <= 0) return false;
    roll.after.push_back(Epoch{static_cast<std::uint64_t>(earlier.as_int64())});
  }
  return true;
}
bool read_algorithms(const json::object& object, Roll& roll) {
  constexpr std::size_t kLongest = 16'384;
  if (!object.contains("algorithms")) return true;
  roll.algorithms = text_at(object, "algorithms", kLongest).value_or("");
  return Policy::from_lines(roll.algorithms).has_value();
}

std::optional<Roll> roll_in(const std::string& text) {
  const auto object = object_in(text);
  if (!object) return std::nullopt;
  const auto epoch = number_at(*object, "epoch");
  const json::value* members = object->if_contains("members");
  if (!epoch || *epoch == 0 || members == nullptr || !members->is_array()) return std::nullopt;
  Roll roll{Epoch{*epoch}, {}};
  for (const json::value& member : members->as_array()) {
    if (!member.is_int64() || member.as_int64() <= 0) return std::nullopt;
    const Life life{static_cast<std::uint64_t>(member.as_int64())};
    if (roll.has(life)) return std::nullopt;
    roll.members.push_back(life);
  }
  if (roll.members.size() > kSeats) return std::nullopt;
  if (!read_after(*object, roll) || !read_algorithms(*object, roll)) return std::nullopt;
  return roll;
}
std::string text_of(const Roll& roll) {
  json::array members;
  for (const Life life : roll.members)
    members.emplace_back(static_cast<std::int64_t>(number(life)));
  json::array after;
  for (const Epoch epoch : roll.after) after.emplace_back(static_cast<std::int64_t>(number(epoch)));
  json::object object{{"epoch", static_cast<std::int64_t>(number(roll.epoch))},
                      {"members", std::move(members)},
                      {"after", std::move(after)}};
  // A member of the version before that knows nothing of it reads the others.
  if (!roll.algorithms.empty()) object["algorithms"] = roll.algorithms;
  return json::serialize(object);
}

std::optional<Enlisted> enlisted_in(const engine::Record& record) {
  const auto life = number_in(std::string_view{record.key}.substr(kLife.size()));
  const auto object = object_in(record.value);
  if (!life || *life == 0 || !object) return std::nullopt;
  const auto seat = number_at(*object, "seat");
  const auto address = text_at(*object, "address");
  const auto name = text_at(*object, "name");
  const auto beat = number_at(*object, "beat");
  const auto reached = number_at(*object, "reached");
  const json::value* announced = object->if_contains("announced");
  if (!seat || *seat >= kSeats || !address || !name || !beat || !reached || *reached > kSeats ||
      announced == nullptr || !announced->is_bool()) {
    return std::nullopt;
  }
  Enlisted enlisted{Life{*life},
                    static_cast<std::uint32_t>(*seat),
                    *address,
                    *name,
                    announced->as_bool(),
                    *beat,
                    static_cast<std::uint32_t>(*reached),
                    record.version,
                    0};
  if (!object->contains("ttl_ms")) return enlisted;
  constexpr std::uint64_t kLongestTtl = 3'600'000;
  const auto ttl_ms = number_at(*object, "ttl_ms");
  if (!ttl_ms || *ttl_ms == 0 || *ttl_ms > kLongestTtl) return std::nullopt;
  enlisted.ttl_ms = static_cast<std::uint32_t>(*ttl_ms);
  return enlisted;
}
std::string text_of(const Enlisted& e) {
  json::object object{{"seat", e.seat},
                      {"address", e.address},
                      {"name", e.name},
                      {"announced", e.announced},
                      {"beat", static_cast<std::int64_t>(e.beat)},
                      {"reached", e.reached}};
  if (e.ttl_ms != 0) object["ttl_ms"] = e.ttl_ms;
  return json::serialize(object);
}

std::optional<Ban> ban_in(const engine::Record& record) {
  const auto seat = number_in(std::string_view{record.key}.substr(kBanned.size()));
  const auto object = object_in(record.value);
  if (!seat || *seat >= kSeats || !object) return std::nullopt;
  const auto name = text_at(*object, "name");
  const auto address = text_at(*object, "address");
  const auto by = text_at(*object, "by");
  if (!name || !address || !by) return std::nullopt;
  return Ban{static_cast<std::uint32_t>(*seat), *name, *address, *by};
}

}  // namespace

const Enlisted* Directory::find(Life life) const {
  const auto at =
      std::find_if(lives.begin(), lives.end(), [&](const Enlisted& e) { return e.life == life; });
  return at == lives.end() ? nullptr : &*at;
}

bool Directory::differs_from(std::string_view others) const {
  return settings_version != 0 && !set && !lives.empty() && settings != others;
}

std::optional<std::uint32_t> Directory::free_seat() const {
  std::array<bool, kSeats> taken{};
  for (const Enlisted& e : lives) taken[e.seat] = true;
  for (const Ban& ban : bans) taken[ban.seat] = true;
  const auto free = std::find(taken.begin(), taken.end(), false);
  if (free == taken.end()) return std::nullopt;
  return static_cast<std::uint32_t>(free - taken.begin());
}

Result<Directory> directory_of(const engine::Snapshot& snapshot) {
  Directory directory;
  directory.revision = snapshot.revision;
  for (const engine::Record& record : snapshot.records) {
    const std::string_view key = record.key;
    bool is_good = true;
    if (std::count(key.begin(), key.end(), '/') > 1) continue;  // Of a later version: life/4/more.
    if (key == kSettings) {
      directory.settings = record.value;
      directory.settings_version = record.version;
      if (is_set(record.value)) {
        directory.set = set_settings_in(record.value);
        is_good = directory.set.has_value();
      }
    } else if (key == kLives) {
      const auto last = number_in(record.value);
      is_good = last.has_value();
      directory.last_life = last.value_or(0);
      directory.last_life_version = record.version;
    } else if (key == kView) {
      const auto roll = roll_in(record.value);
      is_good = roll.has_value();
      if (roll) directory.reg.roll = *roll;
      directory.reg.version = record.version;
    } else if (key.starts_with(kLife)) {
      const auto enlisted = enlisted_in(record);
      is_good = enlisted.has_value();
      if (enlisted) directory.lives.push_back(*enlisted);
    } else if (key.starts_with(kEvicted)) {
      const auto life = number_in(key.substr(kEvicted.size()));
      is_good = life.has_value();
      if (life) {
        directory.evicted.push_back(Life{*life});
        directory.evicted_by[Life{*life}] = record.value;
      }
    } else if (key.starts_with(kBanned)) {
      const auto ban = ban_in(record);
      is_good = ban.has_value();
      if (ban) directory.bans.push_back(*ban);
    }  // Otherwise it is of a later version, or somebody else's.
    if (!is_good) return error("the engine's record '{}' is not one of hapax's", record.key);
  }
  std::sort(directory.lives.begin(), directory.lives.end(),
            [](const Enlisted& a, const Enlisted& b) { return a.life < b.life; });
  for (const Enlisted& e : directory.lives) {
    if (e.announced) directory.reg.beats.push_back({e.life, e.version, e.ttl_ms});
  }
  return directory;
}

bool is_only_beats(const engine::Commit& commit, const Directory& known) {
  return std::all_of(commit.writes.begin(), commit.writes.end(), [&](const engine::Write& write) {
    if (!write.value || !write.key.starts_with(kLife)) return false;
    const auto now = enlisted_in({write.key, *write.value, commit.revision});
    const Enlisted* before = now ? known.find(now->life) : nullptr;
    return before != nullptr && before->announced && now->announced && now->seat == before->seat &&
           now->address == before->address && now->name == before->name;
  });
}

Change enlisting(const Directory& now, const Enlisted& me, std::string_view settings,
                 bool starts_over) {
  const bool keeps = now.set && !starts_over;
  Change change{{{std::string{kSettings}, now.settings_version},
                 {std::string{kLives}, now.last_life_version},
                 {key_of(kLife, me.life), engine::kAbsent},
                 {key_of_ban(me.seat), engine::kAbsent}},
                {{std::string{kSettings}, keeps ? now.settings : std::string{settings}},
                 {std::string{kLives}, fmt::format("{}", number(me.life))},
                 {key_of(kLife, me.life), text_of(me)}}};
  if (keeps || now.reg.roll.algorithms.empty()) return change;
  Roll roll = now.reg.roll;
  roll.algorithms.clear();
  change.conditions.push_back({std::string{kView}, now.reg.version});
  change.writes.push_back({std::string{kView}, text_of(roll)});
  return change;
}

Change beating(const Enlisted& me) {
  return {{{key_of(kLife, me.life), engine::kExists}, {key_of(kEvicted, me.life), engine::kAbsent}},
          {{key_of(kLife, me.life), text_of(me)}}};
}

Change proposing(const Proposal& proposal) {
  Change change{{{std::string{kView}, proposal.version}},
                {{std::string{kView}, text_of(proposal.next)}}};
  for (const Beat& beat : proposal.gone) {
    change.conditions.push_back({key_of(kLife, beat.life), beat.version});
    change.writes.push_back({key_of(kLife, beat.life), std::nullopt});
    change.writes.push_back({key_of(kEvicted, beat.life), std::nullopt});
  }
  return change;
}

Change setting(const Directory& now, const Roll& next, const SetSettings& settings) {
  Change change = proposing({now.reg.version, next, {}});
  change.conditions.push_back({std::string{kSettings}, now.settings_version});
  change.writes.push_back({std::string{kSettings}, text_of(settings)});
  return change;
}

Change evicting(Life life, std::string_view by) {
  return {{{key_of(kLife, life), engine::kExists}}, {{key_of(kEvicted, life), std::string{by}}}};
}

Change banning(const Enlisted& whom, std::string_view by) {
  Change change = evicting(whom.life, by);
  change.writes.push_back(
      {key_of_ban(whom.seat),
       json::serialize(
           json::object{{"name", whom.name}, {"address", whom.address}, {"by", std::string{by}}})});
  return change;
}

Change lifting(const Ban& ban) {
  return {{{key_of_ban(ban.seat), engine::kExists}}, {{key_of_ban(ban.seat), std::nullopt}}};
}

Change striking(const Enlisted& unannounced) {
  const Life life = unannounced.life;
  return {{{key_of(kLife, life), unannounced.version}},
          {{key_of(kLife, life), std::nullopt}, {key_of(kEvicted, life), std::nullopt}}};
}

}  // namespace hapax
