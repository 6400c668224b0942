#include "records/json_fields.h"

namespace hapax {

namespace json = boost::json;

std::optional<json::object> object_in(const std::string& text) {
  boost::system::error_code failed;
  json::parse_options options;
  options.max_depth = 8;  // A later version may have more to say.
  json::value value = json::parse(text, failed, {}, options);
  if (failed || !value.is_object()) return std::nullopt;
  return std::move(value.as_object());
}

std::optional<std::uint64_t> number_at(const json::object& object, std::string_view field) {
  const json::value* value = object.if_contains(field);
  if (value == nullptr || !value->is_int64() || value->as_int64() < 0) return std::nullopt;
  const auto number = static_cast<std::uint64_t>(value->as_int64());
  return number > kLargestNumber ? std::nullopt : std::optional{number};
}

std::optional<std::string> text_at(const json::object& object, std::string_view field,
                                   std::size_t longest) {
  const json::value* value = object.if_contains(field);
  if (value == nullptr || !value->is_string() || value->as_string().size() > longest) {
    return std::nullopt;
  }
  return std::string{value->as_string()};
}

}  // namespace hapax
