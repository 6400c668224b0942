// A small certificate authority for one group: `ca.pem`, and for each member a certificate that
// says which member it is and on which host, for each client one with its name. For groups that
// have no authority of their own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tls/tls.h"

namespace hapax::net {

struct CertsPlan {
  std::filesystem::path folder;    // Created if it is not there.
  std::vector<std::string> hosts;  // Of member 0, 1, …: a name or an IP address.
  int days = 825;                  // How long their certificates are valid; the authority's: 4×.
  bool overwrite = false;
  // Names of clients. Without members: signed by the authority that is already in the folder.
  std::vector<std::string> clients{};
  bool is_added = false;  // To a folder with an authority: members are counted on from the last.
};

// Writes ca.pem, ca.key, member-1.pem, member-1.key, …, client-NAME.pem, client-NAME.key, … and
// returns their paths in that order. Keys are readable by their owner only. Unless told to
// overwrite, refuses before it writes anything.
Result<std::vector<std::filesystem::path>> make_certs(const CertsPlan& plan);

// The files of one member as make_certs() names them.
TlsFiles tls_files(const std::filesystem::path& folder, Seat member);
// The same of a client.
TlsFiles tls_files(const std::filesystem::path& folder, std::string_view client);

}  // namespace hapax::net
