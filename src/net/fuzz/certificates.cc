// The names in a certificate, whatever an authority that was talked into it has signed.
//
// An input is the common name and then the alternative names, each after its length in a byte; the
// top bit of a length makes it a DNS name instead of a URI.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <openssl/x509v3.h>
#include <span>

#include "base/check.h"
#include "base/testing/fuzz.h"
#include "tls/tls.h"

namespace hapax::net {
namespace {

constexpr std::uint8_t kOther = 0x80;

std::span<const std::uint8_t> take_name(std::span<const std::uint8_t>& input,
                                        std::uint8_t& length) {
  length = input[0];
  const auto name =
      input.subspan(1).first(std::min<std::size_t>(length % kOther, input.size() - 1));
  input = input.subspan(1 + name.size());
  return name;
}

void add_names(X509* certificate, std::span<const std::uint8_t> input) {
  GENERAL_NAMES* names = sk_GENERAL_NAME_new_null();
  while (!input.empty()) {
    std::uint8_t length = 0;
    const auto text = take_name(input, length);
    ASN1_IA5STRING* string = ASN1_IA5STRING_new();
    ASN1_STRING_set(string, text.data(), static_cast<int>(text.size()));
    GENERAL_NAME* name = GENERAL_NAME_new();
    GENERAL_NAME_set0_value(name, length < kOther ? GEN_URI : GEN_DNS, string);
    sk_GENERAL_NAME_push(names, name);
  }
  X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT);
  GENERAL_NAMES_free(names);
}

}  // namespace
}  // namespace hapax::net

HAPAX_FUZZ(certificates, 5'000) {
  using namespace hapax::net;
  if (input.empty()) return;
  const std::unique_ptr<X509, void (*)(X509*)> certificate{X509_new(), X509_free};
  std::uint8_t length = 0;
  const auto common = take_name(input, length);
  if (length < kOther) {
    X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate.get()), NID_commonName,
                               MBSTRING_ASC, common.data(), static_cast<int>(common.size()), -1, 0);
  }
  if (!input.empty()) add_names(certificate.get(), input);
  const auto member = member_of(certificate.get());
  const auto client = client_of(certificate.get());
  HAPAX_CHECK(!(member && client));
  if (client) HAPAX_CHECK(is_client_name(*client));
}
