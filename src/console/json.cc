#include "console/json.h"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "base/printable.h"

namespace hapax::cli {
namespace {

void append(std::string& out, const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    out += '{';
    for (const auto& [key, member] : *object) {
      if (out.back() != '{') out += ',';
      out += json_string(key) + ':';
      append(out, member);
    }
    out += '}';
  } else if (const auto* array = value.if_array()) {
    out += '[';
    for (const auto& item : *array) {
      if (out.back() != '[') out += ',';
      append(out, item);
    }
    out += ']';
  } else if (const double* number = value.if_double()) {
    out += fmt::format("{}", *number);  // Boost would write 2.5E0.
  } else if (const auto* text = value.if_string()) {
    out += json_string(*text);
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

boost::json::value json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double rounded = std::round(value * 1e9) / 1e9;
  if (std::abs(rounded) < 1e15 && rounded == std::floor(rounded)) {
    return static_cast<std::int64_t>(rounded);
  }
  return rounded;
}

std::string json_text(const boost::json::object& object) {
  std::string out;
  append(out, object);
  return out;
}

void print_json(const boost::json::object& object) { fmt::print("{}\n", json_text(object)); }

}  // namespace hapax::cli
