// Keys and certificates as OpenSSL has them, and the authority of one group, which signs.
#pragma once

#include <filesystem>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string>
#include <vector>

#include "base/result.h"

namespace hapax::net {

template <auto F>
struct Free {
  template <class T>
  void operator()(T* thing) const {
    F(thing);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Revoked = std::unique_ptr<X509_CRL, Free<X509_CRL_free>>;

struct Pair {
  Key key;
  Certificate certificate;
};

Pair make_authority(int days);
// Named member-N and client-NAME.
Pair make_member(const std::string& name, const std::string& host, int days, const Pair& authority);
Pair make_client(const std::string& name, int days, const Pair& authority);
// Where a member's certificate is good; empty for a client's.
std::string host_of(X509& certificate);
std::string name_of(X509& certificate);

// Adds to those that the authority no longer vouches for.
void revoke(X509_CRL& list, X509& certificate);
Revoked make_revoked(const Pair& authority);
void sign(X509_CRL& list, const Pair& authority);

// What the files of a folder have; null, or an error, if they have nothing of the kind.
Certificate read_certificate(const std::filesystem::path& path);
std::vector<Certificate> read_certificates(
    const std::filesystem::path& path);  // One after another.
Revoked read_revoked(const std::filesystem::path& path);
Result<Pair> read_authority(const std::filesystem::path& folder);

std::string pem_of(X509& certificate);
std::string pem_of(EVP_PKEY& key);
std::string pem_of(X509_CRL& list);

bool is_ip(const std::string& host);

}  // namespace hapax::net
