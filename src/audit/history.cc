#include "audit/history.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <tuple>

#include "base/check.h"

namespace hapax::audit {
namespace {

namespace json = boost::json;

constexpr std::pair<std::string_view, Op> kOps[]{{"acquire", Op::acquire}, {"release", Op::release},
                                                 {"lost", Op::lost},       {"read", Op::read},
                                                 {"write", Op::write},     {"end", Op::end}};

Result<Op> op_from(const json::object& line) {
  const json::value* value = line.if_contains("op");
  if (value != nullptr && value->is_string()) {
    for (const auto& [name, op] : kOps) {
      if (std::string_view{value->get_string()} == name) return op;
    }
  }
  return error("\"op\" is one of acquire, release, lost, read, write, end");
}

Result<std::string_view> name_from(const json::object& line, const char* key) {
  const json::value* value = line.if_contains(key);
  if (value == nullptr || !value->is_string()) return error("\"{}\" is missing, or no text", key);
  const std::string_view name = value->get_string();
  if (name.empty() || name.size() > History::kLongestName) {
    return error("\"{}\" has 1 … {} bytes", key, History::kLongestName);
  }
  return name;
}

// None if it is not there, or null.
Result<std::optional<std::int64_t>> whole_from(const json::object& line, const char* key) {
  const json::value* value = line.if_contains(key);
  if (value == nullptr || value->is_null()) return std::optional<std::int64_t>{};
  if (!value->is_int64() || value->get_int64() < 0) {
    return error("\"{}\" is a whole number from 0", key);
  }
  return std::optional{value->get_int64()};
}

bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

Result<std::optional<Fence>> fence_from(const json::object& line) {
  const json::value* value = line.if_contains("fence");
  if (value == nullptr || value->is_null()) return std::optional<Fence>{};
  std::uint64_t epoch = 0, turn = 0;
  if (value->is_string()) {
    std::string_view text = value->get_string();
    if (take_number(text, epoch) && text.starts_with('.')) {
      text.remove_prefix(1);
      if (take_number(text, turn) && text.empty()) {
        return std::optional{Fence{Epoch{epoch}, Turn{turn}}};
      }
    }
  }
  return error("\"fence\" is a text of two numbers, \"EPOCH.TURN\"");
}

Result<void> read_times(const json::object& line, Event& event) {
  const auto call = whole_from(line, "call");
  if (!call) return call.error();
  if (!*call) return error("\"call\" is missing: nanoseconds of a monotonic clock");
  event.call = **call;
  for (const auto& [key, field] : {std::pair{"ret", &Event::ret},
                                   {"valid_until", &Event::valid_until},
                                   {"looked", &Event::looked},
                                   {"value", &Event::value}}) {
    const auto number = whole_from(line, key);
    if (!number) return number.error();
    event.*field = *number;
  }
  if (event.ret && *event.ret < event.call) return error("\"ret\" lies before \"call\"");
  return {};
}

Result<bool> ok_from(const json::object& line, bool is_needed) {
  const json::value* value = line.if_contains("ok");
  if (value == nullptr && !is_needed) return true;
  if (value == nullptr || !value->is_bool())
    return error("\"ok\" is missing, or not true or false");
  return value->get_bool();
}

std::uint32_t place_of(std::string_view name, auto& index, std::vector<std::string>& names) {
  const auto [at, is_new] = index.try_emplace(std::string{name}, names.size());
  if (is_new) names.emplace_back(name);
  return at->second;
}

}  // namespace

Result<void> History::add_line(std::string_view text) {
  boost::system::error_code failed;
  json::parse_options options;
  options.max_depth = 4;
  const json::value parsed = json::parse(text, failed, {}, options);
  if (failed) return error("this is no JSON: {}", failed.message());
  const json::object* line = parsed.if_object();
  if (line == nullptr) return error("this is no JSON object");
  if (events_.size() + files_.size() >= kMostEvents) {
    return error("more than {} events", kMostEvents);
  }
  if (line->contains("file")) {
    auto file_event = file_event_in(text);
    if (!file_event) return file_event.error();
    files_.push_back(std::move(*file_event));
    return {};
  }

  Event event;
  const auto op = op_from(*line);
  if (!op) return op.error();
  event.op = *op;
  const auto client_name = name_from(*line, "client");
  if (!client_name) return client_name.error();
  if (const auto done = read_times(*line, event); !done) return done.error();
  const bool has_outcome =
      event.ret && (event.op == Op::acquire || event.op == Op::read || event.op == Op::write);
  const auto ok = ok_from(*line, has_outcome);
  if (!ok) return ok.error();
  event.ok = *ok;
  const auto fence = fence_from(*line);
  if (!fence) return fence.error();
  event.fence = *fence;
  if (event.op == Op::acquire && event.ret && event.ok && !event.fence) {
    return error("\"fence\" is missing: every grant has one");
  }
  if (event.op != Op::end) {
    const auto lock_name = name_from(*line, "lock");
    if (!lock_name) return lock_name.error();
    event.lock = lock(*lock_name);
  }
  event.client = client(*client_name);
  add(event);
  return {};
}

void History::add(const Event& event) {
  HAPAX_CHECK(events_.size() < kMostEvents);
  const bool is_grant = event.op == Op::acquire && event.ok && event.ret.has_value();
  HAPAX_CHECK((!is_grant || event.fence.has_value()));
  events_.push_back(event);
}

ClientId History::client(std::string_view name) {
  return ClientId{place_of(name, client_index_, client_names_)};
}
LockId History::lock(std::string_view name) {
  return LockId{place_of(name, lock_index_, lock_names_)};
}

std::vector<Event> History::in_order() const {
  std::vector<Event> sorted = events_;
  // Stable: what a client did at the same time stays in the order of its lines.
  std::stable_sort(sorted.begin(), sorted.end(), [](const Event& a, const Event& b) {
    return std::tuple{a.client, a.call} < std::tuple{b.client, b.call};
  });
  std::vector<Event> events;
  events.reserve(sorted.size());
  for (auto from = sorted.begin(); from != sorted.end();) {
    const auto to = std::find_if(from, sorted.end(), [&](const Event& event) {
      return event.client != from->client || event.call != from->call;
    });
    for (auto at = from; at != to; ++at) {
      const auto is_its_end = [&](const Event& other) {
        return other.ret && other.op == at->op && other.lock == at->lock;
      };
      if (at->ret || std::find_if(from, to, is_its_end) == to) events.push_back(*at);
    }
    from = to;
  }
  return events;
}

const std::string& History::name_of(ClientId client) const {
  return client_names_[static_cast<std::size_t>(client)];
}
const std::string& History::name_of(LockId lock) const {
  return lock_names_[static_cast<std::size_t>(lock)];
}

}  // namespace hapax::audit
