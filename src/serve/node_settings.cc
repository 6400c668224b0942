#include "serve/node_settings.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sstream>
#include <toml++/toml.h>
#include <utility>

#include "base/file_text.h"

namespace hapax::cli {
namespace {

struct Text {
  const char* name;
  std::optional<std::string> NodeSettings::*field;
};
struct List {
  const char* name;
  std::vector<std::string> NodeSettings::*field;
};
constexpr Text kTexts[]{{"self", &NodeSettings::self},
                        {"state", &NodeSettings::state},
                        {"new-group", &NodeSettings::new_group},
                        {"epoch-above", &NodeSettings::epoch_above},
                        {"restore", &NodeSettings::restore},
                        {"listen", &NodeSettings::listen},
                        {"group", &NodeSettings::group},
                        {"default-algorithm", &NodeSettings::default_algorithm},
                        {"ca", &NodeSettings::ca},
                        {"cert", &NodeSettings::cert},
                        {"key", &NodeSettings::key},
                        {"insecure", &NodeSettings::insecure},
                        {"socket-mode", &NodeSettings::socket_mode},
                        {"socket-group", &NodeSettings::socket_group},
                        {"metrics", &NodeSettings::metrics},
                        {"page", &NodeSettings::page},
                        {"log-level", &NodeSettings::log_level},
                        {"log-format", &NodeSettings::log_format},
                        {"election", &NodeSettings::election},
                        {"engine", &NodeSettings::engine},
                        {"advertise", &NodeSettings::advertise},
                        {"name", &NodeSettings::name},
                        {"seat", &NodeSettings::seat},
                        {"ttl", &NodeSettings::ttl},
                        {"engine-ca", &NodeSettings::engine_ca},
                        {"engine-cert", &NodeSettings::engine_cert},
                        {"engine-key", &NodeSettings::engine_key},
                        {"engine-user", &NodeSettings::engine_user},
                        {"engine-password-file", &NodeSettings::engine_password_file}};
constexpr List kLists[]{{"members", &NodeSettings::members},
                        {"clients", &NodeSettings::clients},
                        {"algorithm", &NodeSettings::algorithm},
                        {"role", &NodeSettings::role},
                        {"lock-delay", &NodeSettings::lock_delay}};

// default-algorithm is HAPAX_DEFAULT_ALGORITHM.
const char* environment(std::string name) {
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  const char* value = std::getenv(("HAPAX_" + name).c_str());
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// Nothing if it is neither a text, nor a whole number, nor a truth value.
std::optional<std::string> text_in(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  return std::nullopt;
}

Result<std::vector<std::string>> list_of(const std::string& key, const toml::node& node) {
  std::vector<std::string> list;
  const auto* array = node.as_array();
  if (array == nullptr) return error("{} is a list of texts, as in {} = [\"…\", \"…\"]", key, key);
  for (const toml::node& item : *array) {
    const auto text = text_in(item);
    if (!text) return error("{} is a list of texts, as in {} = [\"…\", \"…\"]", key, key);
    list.push_back(*text);
  }
  return list;
}

Result<void> set(NodeSettings& settings, const std::string& key, const toml::node& node) {
  for (const auto& [name, field] : kTexts) {
    if (key != name) continue;
    const auto text = text_in(node);
    if (!text) return error("{} is a text, as in {} = \"…\"", key, key);
    settings.*field = *text;
    return {};
  }
  std::string names;
  for (const auto& [name, field] : kLists) {
    if (key != name) continue;
    auto list = list_of(key, node);
    if (!list) return list.error();
    settings.*field = std::move(*list);
    return {};
  }
  for (const auto& text : kTexts) names += fmt::format("{}, ", text.name);
  for (const auto& list : kLists) names += fmt::format("{}, ", list.name);
  return error("there is no setting {}; there are {}", key, names.substr(0, names.size() - 2));
}

}  // namespace

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream{text};
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Result<NodeSettings> settings_from_file(const std::string& path) {
  const auto text = text_of_file(path);
  if (!text) return error("--config: {}", text.error().message);
  return settings_in(*text, path);
}

Result<NodeSettings> settings_in(std::string_view text, const std::string& path) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& e) {
    return error("--config {}, line {}: {}", path, e.source().begin.line, e.description());
  }
  NodeSettings settings;
  for (const auto& [key, node] : table) {
    if (const auto done = set(settings, std::string{key.str()}, node); !done) {
      return error("--config {}, line {}: {}", path, node.source().begin.line,
                   done.error().message);
    }
  }
  return settings;
}

NodeSettings settings_from_environment() {
  NodeSettings settings;
  for (const auto& [name, field] : kTexts) {
    if (const char* value = environment(name)) settings.*field = value;
  }
  for (const auto& [name, field] : kLists) {
    if (const char* value = environment(name)) settings.*field = split_at_commas(value);
  }
  return settings;
}

NodeSettings overlay(NodeSettings below, const NodeSettings& above) {
  for (const auto& [name, field] : kTexts) {
    if (above.*field) below.*field = above.*field;
  }
  for (const auto& [name, field] : kLists) {
    if (!(above.*field).empty()) below.*field = above.*field;
  }
  return below;
}

}  // namespace hapax::cli
