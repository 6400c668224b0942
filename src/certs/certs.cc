#include "certs/certs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "certs/authority.h"
#include "certs/new_file.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;

std::optional<Error> objection(const CertsPlan& plan) {
  if (plan.hosts.empty() && plan.clients.empty()) return error("a group has at least one member");
  if (plan.days < 1 || plan.days > 36500) return error("certificates are valid for 1 … 36500 days");
  for (const std::string& host : plan.hosts) {
    const bool plain = std::all_of(host.begin(), host.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':';
    });
    if (host.empty() || host.size() > 253 || !plain ||
        (!is_ip(host) && host.find(':') != std::string::npos)) {
      return error("'{}' is not the name or the address of a host", host);
    }
  }
  for (const std::string& name : plan.clients) {
    if (is_client_name(name)) continue;
    return error("'{}' is not the name of a client: 1 … 48 letters, digits, '.', '-' or '_'", name);
  }
  return std::nullopt;
}

// 0: there is none.
std::size_t last_member_in(const fs::path& folder) {
  std::size_t last = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator{folder, failed}) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kPrefix = "member-";
    std::size_t number = 0;
    if (!name.starts_with(kPrefix) || entry.path().extension() != ".pem") continue;
    const auto read =
        std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    if (read.ec == std::errc{}) last = std::max(last, number);
  }
  return last;
}

Result<std::vector<NewFile>> files_of(const CertsPlan& plan) {
  std::vector<NewFile> files;
  const auto add = [&](const std::string& name, const Pair& pair) {
    files.push_back({plan.folder / (name + ".pem"), pem_of(*pair.certificate), 0644});
    files.push_back({plan.folder / (name + ".key"), pem_of(*pair.key), 0600});
  };
  Pair authority;
  if (plan.is_added || plan.hosts.empty()) {
    auto known = read_authority(plan.folder);
    if (!known) return known.error();
    authority = std::move(*known);
  } else {
    authority = make_authority(4 * plan.days);
    add("ca", authority);
  }
  const std::size_t first = plan.is_added ? last_member_in(plan.folder) + 1 : 1;
  for (std::size_t i = 0; i < plan.hosts.size(); ++i) {
    const std::string name = fmt::format("member-{}", first + i);
    add(name, make_member(name, plan.hosts[i], plan.days, authority));
  }
  for (const std::string& client : plan.clients) {
    const std::string name = fmt::format("client-{}", client);
    add(name, make_client(name, plan.days, authority));
  }
  return files;
}

}  // namespace

Result<std::vector<fs::path>> make_certs(const CertsPlan& plan) {
  if (const auto e = objection(plan)) return *e;
  std::error_code failed;
  fs::create_directories(plan.folder, failed);
  if (failed) return error("cannot make the folder {}: {}", plan.folder.string(), failed.message());
  const auto files = files_of(plan);
  if (!files) return files.error();
  for (const NewFile& file : *files) {
    if (!fs::exists(fs::symlink_status(file.path, failed))) continue;
    if (!plan.overwrite)
      return error("{} is there already; certificates are not overwritten", file.path.string());
  }
  std::vector<fs::path> paths;
  for (const NewFile& file : *files) {
    if (plan.overwrite) fs::remove(file.path, failed);
    if (const auto e = write(file)) return *e;
    paths.push_back(file.path);
  }
  return paths;
}

TlsFiles tls_files(const fs::path& folder, Seat member) {
  const std::string name = fmt::format("member-{}", number(member) + 1);
  return {folder / "ca.pem", folder / (name + ".pem"), folder / (name + ".key")};
}

TlsFiles tls_files(const fs::path& folder, std::string_view client) {
  const std::string name = fmt::format("client-{}", client);
  return {folder / "ca.pem", folder / (name + ".pem"), folder / (name + ".key")};
}

}  // namespace hapax::net
