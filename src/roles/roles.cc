#include "roles/roles.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

#include "base/credentials.h"
#include "locks/policy.h"
#include "tls/tls.h"

namespace hapax {
namespace {

constexpr std::array kRights{Right::lock, Right::read, Right::administer};
constexpr std::string_view kClient = "client:";
constexpr const char* kExample = "write WHO=RIGHTS, as in 'alice=lock,read on orders/*'";

constexpr std::uint8_t bit_of(Right right) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(right));
}

bool is_ours(const Caller& caller) { return caller.user && is_one_of_us(*caller.user); }

std::string text_of(std::uint8_t rights) {
  std::string text;
  for (const Right right : kRights) {
    if ((rights & bit_of(right)) != 0)
      text += (text.empty() ? "" : ", ") + std::string{name_of(right)};
  }
  return text;
}

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return "";
  return std::string{text.substr(from, text.find_last_not_of(" \t") - from + 1)};
}

}  // namespace

std::string_view name_of(Right right) {
  constexpr std::array<std::string_view, 3> kNames{"lock", "read", "administer"};
  return kNames[static_cast<std::size_t>(right)];
}

std::string Caller::text() const {
  if (user) return text_of_user(*user);
  return certified.empty() ? "somebody over plain TCP" : "client " + certified;
}

bool Roles::Role::is_of(const Caller& caller) const {
  if (is_everybody) return true;
  if (user) return caller.user == user;
  return caller.certified == certified;
}

bool Roles::Role::covers(Right right, std::string_view lock) const {
  if ((rights & bit_of(right)) == 0) return false;
  return patterns.empty() || lock.empty() ||
         std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return glob_matches(pattern, lock); });
}

bool Roles::Role::covers_all(Right right) const {
  return (rights & bit_of(right)) != 0 && patterns.empty();
}

std::string Roles::Role::text() const {
  std::string text = text_of(rights);
  for (std::size_t i = 0; i < patterns.size(); ++i) text += (i == 0 ? " on " : " ") + patterns[i];
  return text;
}

Result<Roles::Role> Roles::parse_role(const std::string& line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos) return error("'{}' says nothing of rights; {}", line, kExample);
  Role role;
  const std::string who = trimmed(std::string_view{line}.substr(0, equals));
  if (who == "*") {
    role.is_everybody = true;
  } else if (who.starts_with(kClient)) {
    role.certified = who.substr(kClient.size());
    if (!net::is_client_name(role.certified)) {
      return error("'{}' is no name of a client's certificate", role.certified);
    }
  } else {
    const auto user = user_named(who);
    if (!user) return error("{}; {}", user.error().message, kExample);
    role.user = *user;
  }
  std::string rest = line.substr(equals + 1);
  std::replace(rest.begin(), rest.end(), ',', ' ');
  std::istringstream words{rest};
  bool is_pattern = false;
  for (std::string word; words >> word;) {
    if (is_pattern) {
      role.patterns.push_back(word);
    } else if (word == "on") {
      is_pattern = true;
    } else {
      const auto* right =
          std::find_if(kRights.begin(), kRights.end(), [&](Right r) { return name_of(r) == word; });
      if (right == kRights.end()) {
        return error("'{}' is no right; there are lock, read and administer", word);
      }
      role.rights |= bit_of(*right);
    }
  }
  if (role.rights == 0 || (is_pattern && role.patterns.empty())) {
    return error("'{}' is not complete; {}", line, kExample);
  }
  if (!role.patterns.empty() && (role.rights & bit_of(Right::administer)) != 0) {
    return error("'{}': who administers does so for all locks; give that right a line of its own",
                 line);
  }
  return role;
}

Result<Roles> Roles::parse(std::span<const std::string> lines) {
  Roles roles;
  for (const std::string& line : lines) {
    auto role = parse_role(line);
    if (!role) return role.error();
    roles.roles_.push_back(std::move(*role));
  }
  return roles;
}

bool Roles::may(const Caller& caller, Right right, std::string_view lock) const {
  if (is_ours(caller)) return true;
  if (roles_.empty()) return right != Right::administer;
  return std::any_of(roles_.begin(), roles_.end(), [&](const Role& role) {
    return role.is_of(caller) && role.covers(right, lock);
  });
}

bool Roles::may_everywhere(const Caller& caller, Right right) const {
  if (is_ours(caller)) return true;
  if (roles_.empty()) return right != Right::administer;
  return std::any_of(roles_.begin(), roles_.end(), [&](const Role& role) {
    return role.is_of(caller) && role.covers_all(right);
  });
}

std::string Roles::rights_of(const Caller& caller) const {
  if (roles_.empty()) return "lock, read";
  std::string text;
  for (const Role& role : roles_) {
    if (role.is_of(caller)) text += (text.empty() ? "" : "; ") + role.text();
  }
  return text.empty() ? "do nothing" : text;
}

std::optional<std::string> Roles::objection(const Caller& caller, Right right,
                                            std::string_view what, std::string_view lock) const {
  if (may(caller, right, lock)) return std::nullopt;
  return fmt::format("to {} needs the right to {}; you are {}, who may {}", what, name_of(right),
                     caller.text(), rights_of(caller));
}

}  // namespace hapax
