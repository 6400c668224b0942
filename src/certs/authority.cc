#include "certs/authority.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <utility>

#include "base/check.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;

using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;

constexpr long kClockSkew =
    60L * 60;  // Machines disagree about the time; certificates begin early.

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

std::string text_of(const Memory& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string bytes_of(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

// Four bytes or sixteen.
std::string ip_of(const std::string& bytes) {
  std::array<unsigned char, 16> octets{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), octets.size()), octets.begin());
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, octets.data(), text.data(), text.size());
  return text.data();
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

}  // namespace

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
  std::array<unsigned char, 16> ignored{};
  return inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
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

std::string host_of(X509& certificate) {
  std::string host;
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_DNS) host = bytes_of(name->d.dNSName);
    if (name->type == GEN_IPADD) host = ip_of(bytes_of(name->d.iPAddress));
  }
  GENERAL_NAMES_free(names);
  return host;
}

std::string name_of(X509& certificate) {
  const X509_NAME* subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return "";
  return bytes_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

void revoke(X509_CRL& list, X509& certificate) {
  X509_REVOKED* entry = X509_REVOKED_new();
  ASN1_TIME* now = X509_gmtime_adj(nullptr, 0);
  must(entry != nullptr && now != nullptr &&
       X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(&certificate)) == 1 &&
       X509_REVOKED_set_revocationDate(entry, now) == 1 &&
       X509_CRL_add0_revoked(&list, entry) == 1);
  ASN1_TIME_free(now);
}

Revoked make_revoked(const Pair& authority) {
  Revoked list{X509_CRL_new()};
  must(list != nullptr && X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) == 1 &&
       X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(authority.certificate.get())) ==
           1);
  return list;
}

void sign(X509_CRL& list, const Pair& authority) {
  // As long as the authority itself: a list that ends would lock everybody out.
  ASN1_TIME* now = X509_gmtime_adj(nullptr, -kClockSkew);
  must(now != nullptr && X509_CRL_set1_lastUpdate(&list, now) == 1 &&
       X509_CRL_set1_nextUpdate(&list, X509_get0_notAfter(authority.certificate.get())) == 1 &&
       X509_CRL_sort(&list) == 1 && X509_CRL_sign(&list, authority.key.get(), EVP_sha256()) > 0);
  ASN1_TIME_free(now);
}

Certificate read_certificate(const fs::path& path) {
  const Memory file{BIO_new_file(path.c_str(), "r")};
  Certificate certificate{file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr)
                               : nullptr};
  ERR_clear_error();
  return certificate;
}

std::vector<Certificate> read_certificates(const fs::path& path) {
  std::vector<Certificate> all;
  if (const Memory file{BIO_new_file(path.c_str(), "r")}) {
    while (X509* one = PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr)) {
      all.emplace_back(one);
    }
  }
  ERR_clear_error();
  return all;
}

Revoked read_revoked(const fs::path& path) {
  const Memory file{BIO_new_file(path.c_str(), "r")};
  Revoked list{file ? PEM_read_bio_X509_CRL(file.get(), nullptr, nullptr, nullptr) : nullptr};
  ERR_clear_error();
  return list;
}

Result<Pair> read_authority(const fs::path& folder) {
  Pair pair{nullptr, read_certificate(folder / "ca.pem")};
  if (const Memory file{BIO_new_file((folder / "ca.key").c_str(), "r")}) {
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

std::string pem_of(X509& certificate) {
  const Memory memory{BIO_new(BIO_s_mem())};
  must(memory != nullptr && PEM_write_bio_X509(memory.get(), &certificate) == 1);
  return text_of(memory);
}

std::string pem_of(EVP_PKEY& key) {
  const Memory memory{BIO_new(BIO_s_secmem())};
  must(memory != nullptr &&
       PEM_write_bio_PrivateKey(memory.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return text_of(memory);
}

std::string pem_of(X509_CRL& list) {
  const Memory memory{BIO_new(BIO_s_mem())};
  must(memory != nullptr && PEM_write_bio_X509_CRL(memory.get(), &list) == 1);
  return text_of(memory);
}

}  // namespace hapax::net
