// Fields of JSON objects that anybody may have written: nothing if they are not there, or not what
// we write.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hapax {

// Everything in the records counts, and must be able to go on.
inline constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 62;

std::optional<boost::json::object> object_in(const std::string& text);
std::optional<std::uint64_t> number_at(const boost::json::object& object, std::string_view field);
std::optional<std::string> text_at(const boost::json::object& object, std::string_view field,
                                   std::size_t longest = 512);

}  // namespace hapax
