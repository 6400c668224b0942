// Is it XML? Enough of a checker for what we write: elements nest, attributes are quoted and come
// once, & and < are escaped, there is one root.
#pragma once

#include <regex>
#include <set>
#include <string>
#include <vector>

namespace hapax::testing {

// Within a tag: its attributes.
inline std::string attribute_mistake(std::string rest) {
  static const std::regex attribute{
      R"re(\s+([A-Za-z][-A-Za-z0-9:]*)="([^"<&]|&(amp|lt|gt|quot);)*")re"};
  std::set<std::string> seen;
  std::smatch match;
  while (std::regex_search(rest, match, attribute, std::regex_constants::match_continuous)) {
    if (!seen.insert(match[1]).second) return "twice: " + match[1].str();
    rest = match.suffix();
  }
  return rest.find_first_not_of(" \n") == std::string::npos ? "" : "no attribute: " + rest;
}

// What is wrong first; empty if nothing is.
inline std::string xml_mistake(const std::string& text) {
  static const std::regex stray{"&(?!(amp|lt|gt|quot);)"};
  std::vector<std::string> open;
  bool rooted = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t tag = std::min(text.find('<', at), text.size());
    const std::string words = text.substr(at, tag - at);
    if (std::regex_search(words, stray)) return "a stray &: " + words;
    if (open.empty() && words.find_first_not_of('\n') != std::string::npos) return "text outside";
    if (tag == text.size()) break;
    const std::size_t end = text.find('>', tag);
    if (end == std::string::npos) return "a tag does not end";
    std::string inner = text.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inner.starts_with('/')) {
      if (open.empty() || open.back() != inner.substr(1)) return "closes nothing: " + inner;
      open.pop_back();
      continue;
    }
    const bool closes = inner.ends_with('/');
    if (closes) inner.pop_back();
    const std::size_t name = std::min(inner.find_first_of(" \n"), inner.size());
    if (const std::string mistake = attribute_mistake(inner.substr(name)); !mistake.empty()) {
      return mistake;
    }
    if (open.empty() && rooted) return "a second root: " + inner;
    rooted = true;
    if (!closes) open.push_back(inner.substr(0, name));
  }
  return open.empty() && rooted ? "" : "something stays open";
}

}  // namespace hapax::testing
