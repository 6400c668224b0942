#include "certs/certs.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;

template <auto F>
struct Free {
  template <class T>
  void operator()(T* thing) const {
    F(thing);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;

constexpr long kClockSkew =
    60L * 60;  // Machines disagree about the time; certificates begin early.

struct Pair {
  Key key;
  Certificate certificate;
};

// OpenSSL fails here only for want of memory or randomness; neither leaves us anything to do.
void must(bool done) { HAPAX_CHECK(done); }

void extend(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  must(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

// A key and a certificate for it, all but the extensions and the signature.
Pair begin(const std::string& name, int days) {
  Pair pair{Key{EVP_EC_gen("P-256")}, Certificate{X509_new()}};
  must(pair.key != nullptr && pair.certificate != nullptr);
  X509* certificate = pair.certificate.get();
  unsigned char serial[16];
  must(RAND_bytes(serial, sizeof serial) == 1);
  serial[0] = static_cast<unsigned char>((serial[0] & 0x7f) | 0x40);  // Positive, and not short.
  BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
  must(number != nullptr && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)));
  BN_free(number);
  must(X509_set_version(certificate, X509_VERSION_3) == 1);
  must(X509_gmtime_adj(X509_getm_notBefore(certificate), -kClockSkew) != nullptr);
  must(X509_time_adj_ex(X509_getm_notAfter(certificate), days, 0, nullptr) != nullptr);
  must(X509_set_pubkey(certificate, pair.key.get()) == 1);
  must(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                  reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                                  0) == 1);
  return pair;
}

void sign(X509* certificate, EVP_PKEY* key) { must(X509_sign(certificate, key, EVP_sha256()) > 0); }

Pair make_authority(int days) {
  Pair authority = begin("hapax authority", days);
  X509* certificate = authority.certificate.get();
  must(X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1);
  extend(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(certificate, certificate, NID_subject_key_identifier, "hash");
  sign(certificate, authority.key.get());
  return authority;
}

bool is_ip(const std::string& host) {
  boost::system::error_code failed;
  boost::asio::ip::make_address(host, failed);
  return !failed;
}

// For one that is not an authority.
Pair make_pair(const std::string& name, const std::string& usage, const std::string& alternatives,
               int days, const Pair& authority) {
  Pair pair = begin(name, days);
  X509* certificate = pair.certificate.get();
  X509* issuer = authority.certificate.get();
  must(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1);
  extend(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
  extend(certificate, issuer, NID_key_usage, "critical,digitalSignature");
  extend(certificate, issuer, NID_ext_key_usage, usage);
  extend(certificate, issuer, NID_subject_key_identifier, "hash");
  extend(certificate, issuer, NID_authority_key_identifier, "keyid");
  extend(certificate, issuer, NID_subject_alt_name, alternatives);
  sign(certificate, authority.key.get());
  return pair;
}

Pair make_member(const std::string& name, const std::string& host, int days,
                 const Pair& authority) {
  return make_pair(name, "serverAuth,clientAuth",
                   fmt::format("URI:hapax:{},{}:{}", name, is_ip(host) ? "IP" : "DNS", host), days,
                   authority);
}

Pair make_client(const std::string& name, int days, const Pair& authority) {
  return make_pair(name, "clientAuth", fmt::format("URI:hapax:{}", name), days, authority);
}

// The authority that make_certs() wrote earlier.
Result<Pair> read_authority(const fs::path& folder) {
  const auto open = [](const fs::path& path) { return Memory{BIO_new_file(path.c_str(), "r")}; };
  Pair pair;
  if (const Memory file = open(folder / "ca.pem")) {
    pair.certificate.reset(PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr));
  }
  if (const Memory file = open(folder / "ca.key")) {
    pair.key.reset(PEM_read_bio_PrivateKey(file.get(), nullptr, nullptr, nullptr));
  }
  ERR_clear_error();
  if (!pair.certificate || !pair.key ||
      X509_check_private_key(pair.certificate.get(), pair.key.get()) != 1) {
    return {boost::system::in_place_error,
            error("there is no authority in {}: its ca.pem and ca.key come from --members",
                  folder.string())};
  }
  return {boost::system::in_place_value, std::move(pair)};
}

std::string text_of(const Memory& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  const Memory memory{BIO_new(BIO_s_mem())};
  must(memory != nullptr && PEM_write_bio_X509(memory.get(), certificate) == 1);
  return text_of(memory);
}

std::string pem_of(EVP_PKEY* key) {
  const Memory memory{BIO_new(BIO_s_secmem())};
  must(memory != nullptr &&
       PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return text_of(memory);
}

struct File {
  fs::path path;
  std::string text;
  mode_t mode;
};

// A new file, so that it has the mode asked for from its first byte on.
std::optional<Error> write(const File& file) {
  const auto failed = [&] {
    return error("cannot write {}: {}", file.path.string(), std::strerror(errno));
  };
  const int fd = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.mode);
  if (fd < 0) return failed();
  std::string_view rest = file.text;
  while (!rest.empty()) {
    const ssize_t count = ::write(fd, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const Error e = failed();
      ::close(fd);
      return e;
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::close(fd) != 0) return failed();
  return std::nullopt;
}

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

Result<std::vector<File>> files_of(const CertsPlan& plan) {
  std::vector<File> files;
  const auto add = [&](const std::string& name, const Pair& pair) {
    files.push_back({plan.folder / (name + ".pem"), pem_of(pair.certificate.get()), 0644});
    files.push_back({plan.folder / (name + ".key"), pem_of(pair.key.get()), 0600});
  };
  Pair authority;
  if (plan.hosts.empty()) {
    auto known = read_authority(plan.folder);
    if (!known) return known.error();
    authority = std::move(*known);
  } else {
    authority = make_authority(4 * plan.days);
    add("ca", authority);
  }
  for (std::size_t i = 0; i < plan.hosts.size(); ++i) {
    const std::string name = fmt::format("member-{}", i + 1);
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
  for (const File& file : *files) {
    if (!fs::exists(fs::symlink_status(file.path, failed))) continue;
    if (!plan.overwrite)
      return error("{} is there already; certificates are not overwritten", file.path.string());
  }
  std::vector<fs::path> paths;
  for (const File& file : *files) {
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
