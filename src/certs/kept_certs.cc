#include "certs/kept_certs.h"

#include <algorithm>
#include <compare>
#include <ctime>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

#include "base/nearest.h"
#include "certs/authority.h"
#include "certs/new_file.h"
#include "tls/tls.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

system_clock::time_point time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return system_clock::from_time_t(timegm(&parts));
}

std::string serial_of(X509& certificate) {
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get_serialNumber(&certificate), nullptr);
  char* text = BN_bn2hex(number);
  std::string serial = text == nullptr ? "" : text;
  OPENSSL_free(text);
  BN_free(number);
  return serial;
}

bool is_in(X509_CRL* list, X509& certificate) {
  X509_REVOKED* found = nullptr;
  return list != nullptr && X509_CRL_get0_by_cert(list, &found, &certificate) == 1;
}

// What was renewed, and is good until it ends or is revoked.
constexpr const char* kFormerFile = "former.pem";

std::optional<Error> keep_former(const fs::path& folder, const std::string& name) {
  std::string all;
  for (const Certificate& one : read_certificates(folder / kFormerFile)) all += pem_of(*one);
  all += pem_of(*read_certificate(folder / (name + ".pem")));
  return replace({folder / kFormerFile, all, 0644});
}

// Members as people count, then clients.
auto order_of(const KeptCert& cert) {
  const bool is_member = cert.name.starts_with("member-");
  return std::tuple{cert.name != "ca", !is_member, is_member ? cert.name.size() : 0, cert.name};
}

// Whether there is a certificate of that name; an error that says which one may have been meant.
Result<void> find(const fs::path& folder, const std::vector<KeptCert>& kept,
                  const std::string& name) {
  std::vector<std::string> names;
  for (const KeptCert& cert : kept) {
    if (cert.name == name && name != "ca") return {};
    if (cert.name != "ca") names.push_back(cert.name);
  }
  if (name == "ca") return error("the authority itself is not renewed or revoked: make new ones");
  const std::string meant = nearest(name, names);
  return error("there is no certificate of {} in {}{}", name, folder.string(),
               meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

}  // namespace

Result<std::vector<KeptCert>> list_certs(const fs::path& folder) {
  std::error_code failed;
  std::vector<KeptCert> kept;
  const Revoked revoked = read_revoked(folder / kRevokedFile);
  for (const auto& entry : fs::directory_iterator{folder, failed}) {
    const std::string name = entry.path().stem().string();
    const bool is_ours = name == "ca" || name.starts_with("member-") || name.starts_with("client-");
    if (!is_ours || entry.path().extension() != ".pem") continue;
    const Certificate certificate = read_certificate(entry.path());
    if (!certificate) return error("{} is not a certificate", entry.path().string());
    kept.push_back({name, host_of(*certificate), serial_of(*certificate),
                    time_of(X509_get0_notBefore(certificate.get())),
                    time_of(X509_get0_notAfter(certificate.get())),
                    is_in(revoked.get(), *certificate)});
  }
  if (failed) return error("cannot read {}: {}", folder.string(), failed.message());
  if (kept.empty()) return error("there are no certificates in {}", folder.string());
  std::sort(kept.begin(), kept.end(),
            [](const KeptCert& a, const KeptCert& b) { return order_of(a) < order_of(b); });
  return kept;
}

Result<std::vector<fs::path>> renew_certs(const fs::path& folder,
                                          const std::vector<std::string>& names, int days) {
  const auto authority = read_authority(folder);
  if (!authority) return authority.error();
  const auto kept = list_certs(folder);
  if (!kept) return kept.error();
  for (const std::string& name : names) {
    if (auto there = find(folder, *kept, name); !there) return there.error();
  }
  std::vector<fs::path> written;
  for (const KeptCert& cert : *kept) {
    const bool is_named = std::find(names.begin(), names.end(), cert.name) != names.end();
    if (cert.name == "ca" || (names.empty() ? cert.is_revoked : !is_named)) continue;
    const Pair pair = cert.name.starts_with("member-")
                          ? make_member(cert.name, cert.host, days, *authority)
                          : make_client(cert.name, days, *authority);
    const NewFile files[] = {{folder / (cert.name + ".key"), pem_of(*pair.key), 0600},
                             {folder / (cert.name + ".pem"), pem_of(*pair.certificate), 0644}};
    if (const auto e = keep_former(folder, cert.name)) return *e;
    for (const NewFile& file : files) {
      if (const auto e = replace(file)) return *e;
      written.push_back(file.path);
    }
  }
  return written;
}

Result<fs::path> revoke_certs(const fs::path& folder, const std::vector<std::string>& names,
                              Which which) {
  const auto authority = read_authority(folder);
  if (!authority) return authority.error();
  const auto kept = list_certs(folder);
  if (!kept) return kept.error();
  fs::path path = folder / kRevokedFile;
  Revoked list = read_revoked(path);
  if (!list && fs::exists(path)) return error("{} is not a list of the revoked", path.string());
  if (!list) list = make_revoked(*authority);
  for (const std::string& name : names) {
    if (auto there = find(folder, *kept, name); !there) return there.error();
    std::vector<Certificate> certificates = read_certificates(folder / kFormerFile);
    std::erase_if(certificates, [&](const Certificate& one) { return name_of(*one) != name; });
    if (which == Which::former && certificates.empty()) {
      return error("{} has not been renewed: there is none from before", name);
    }
    if (which == Which::all) certificates.push_back(read_certificate(folder / (name + ".pem")));
    for (const Certificate& one : certificates) {
      if (!is_in(list.get(), *one)) revoke(*list, *one);
    }
  }
  sign(*list, *authority);
  if (const auto e = replace({path, pem_of(*list), 0644})) return *e;
  return Result<fs::path>{boost::system::in_place_value, std::move(path)};
}

}  // namespace hapax::net
