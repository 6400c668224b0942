// The certificates of a folder that make_certs() has begun: which there are, renewed, revoked.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace hapax::net {

struct KeptCert {
  std::string name;  // member-1, client-alice; ca, the authority itself
  std::string host;  // Where a member is reached.
  std::string serial;
  std::chrono::system_clock::time_point from, until;
  bool is_revoked = false;
};

// The authority first, then members by number, clients by name.
Result<std::vector<KeptCert>> list_certs(const std::filesystem::path& folder);

// Anew for the same names and hosts, with keys of their own; no names: all that are not revoked.
// The files are replaced, a key and then its certificate, and returned; the certificates that were
// there before are kept in former.pem, to be revoked.
Result<std::vector<std::filesystem::path>> renew_certs(const std::filesystem::path& folder,
                                                       const std::vector<std::string>& names,
                                                       int days);

// Adds them to crl.pem, which is returned; whoever has that file beside ca.pem refuses them. All of
// that name: also those from before they were renewed, or only these.
enum class Which { all, former };
Result<std::filesystem::path> revoke_certs(const std::filesystem::path& folder,
                                           const std::vector<std::string>& names,
                                           Which which = Which::all);

}  // namespace hapax::net
