#include "world/script.h"

#include <utility>

namespace hapax {
namespace {

constexpr std::string_view kDashes = "----";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool is_blank = line.find_first_not_of(" \t") == std::string_view::npos;
    lines.emplace_back(is_blank ? std::string_view{} : line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_comment(const std::string& line) { return line.empty() || line.front() == '#'; }

}  // namespace

Result<Script> Script::parse(std::string_view text) {
  const std::vector<std::string> lines = lines_of(text);
  Script script;
  std::size_t at = 0;
  while (true) {
    ScriptBlock block;
    for (; at < lines.size() && is_comment(lines[at]); ++at) block.comments.push_back(lines[at]);
    if (at == lines.size()) {
      script.closing = std::move(block.comments);
      return script;
    }
    block.line = at + 1;
    for (; at < lines.size() && lines[at] != kDashes; ++at) {
      if (is_comment(lines[at])) {
        return error("line {}: expected ---- after the commands of line {}", at + 1, block.line);
      }
      block.commands.push_back(lines[at]);
    }
    if (at == lines.size()) {
      return error("line {}: the commands have no ---- after them", block.line);
    }
    for (++at; at < lines.size() && !lines[at].empty(); ++at) block.outcome.push_back(lines[at]);
    script.blocks.push_back(std::move(block));
  }
}

std::string Script::text() const {
  std::string text;
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text += line + '\n';
  };
  for (const ScriptBlock& block : blocks) {
    add(block.comments);
    add(block.commands);
    text += std::string{kDashes} + '\n';
    add(block.outcome);
  }
  add(closing);
  return text;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t from = line.find_first_not_of(" \t");
    if (from == std::string_view::npos) return words;
    line.remove_prefix(from);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

}  // namespace hapax
