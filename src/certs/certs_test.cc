#include "certs/certs.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string>

#include "base/testing/folder.h"
#include "certs/kept_certs.h"
#include "tls/tls.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate load(const fs::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  EXPECT_NE(file, nullptr) << path;
  Certificate certificate{PEM_read_X509(file, nullptr, nullptr, nullptr), &X509_free};
  std::fclose(file);
  return certificate;
}

TEST(Certs, SayWhoAndWhere) {
  const hapax::testing::Folder folder;
  const auto paths = make_certs({folder.path() / "new", {"db1.example", "10.0.0.2", "::1"}});
  ASSERT_TRUE(paths) << paths.error().message;
  EXPECT_EQ(paths->size(), 8u);
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    const TlsFiles files = tls_files(folder.path() / "new", Seat{i});
    const Certificate certificate = load(files.certificate);
    EXPECT_EQ(member_of(certificate.get()), Seat{i});
    const Certificate authority = load(files.authority);
    EXPECT_EQ(X509_verify(certificate.get(), X509_get0_pubkey(authority.get())), 1);
    EXPECT_EQ(X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_SERVER, 0), 1);
    EXPECT_EQ(X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_CLIENT, 0), 1);
    EXPECT_NE(X509_check_ca(certificate.get()), 1) << "a member could make members";
    EXPECT_TRUE(make_tls_context(files));
  }
  EXPECT_EQ(X509_check_host(load((*paths)[2]).get(), "db1.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(load((*paths)[2]).get(), "db2.example", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(load((*paths)[4]).get(), "10.0.0.2", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(load((*paths)[6]).get(), "::1", 0), 1);
  EXPECT_EQ(member_of(load((*paths)[0]).get()), std::nullopt) << "the authority is no member";
}

TEST(Certs, ClientsAreNoMembersAndServeNobody) {
  const hapax::testing::Folder folder;
  EXPECT_THAT(make_certs({folder.path(), {}, 825, false, {"alice"}}).error().message,
              HasSubstr("no authority"));
  ASSERT_TRUE(make_certs({folder.path(), {"a"}, 825, false, {"alice"}}));
  ASSERT_TRUE(make_certs({folder.path(), {}, 825, false, {"ci-runner.7"}}));
  const Certificate authority = load(folder.path() / "ca.pem");
  for (const std::string name : {"alice", "ci-runner.7"}) {
    const TlsFiles files = tls_files(folder.path(), name);
    const Certificate certificate = load(files.certificate);
    EXPECT_EQ(client_of(certificate.get()), name);
    EXPECT_EQ(member_of(certificate.get()), std::nullopt);
    EXPECT_EQ(X509_verify(certificate.get(), X509_get0_pubkey(authority.get())), 1);
    EXPECT_EQ(X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_CLIENT, 0), 1);
    EXPECT_EQ(X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_SERVER, 0), 0);
  }
  EXPECT_EQ(client_of(load(folder.path() / "member-1.pem").get()), std::nullopt);
  for (const std::string name : {"", "a b", "a,URI:hapax:member-1", "a/b"}) {
    EXPECT_THAT(make_certs({folder.path(), {}, 825, false, {name}}).error().message,
                HasSubstr("is not the name of a client"));
  }
}

TEST(Certs, KeysAreForTheirOwnerOnly) {
  const hapax::testing::Folder folder;
  const auto paths = make_certs({folder.path(), {"a"}});
  ASSERT_TRUE(paths);
  for (const fs::path& path : *paths) {
    if (path.extension() != ".key") continue;
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
}

TEST(Certs, AreNotOverwritten) {
  const hapax::testing::Folder folder;
  std::ofstream{folder.path() / "member-2.key"} << "precious";
  const auto refused = make_certs({folder.path(), {"a", "b"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("member-2.key is there already"));
  EXPECT_FALSE(fs::exists(folder.path() / "ca.pem")) << "nothing is written then";
  EXPECT_TRUE(make_certs({folder.path(), {"a", "b"}, 10, true}));
  EXPECT_TRUE(make_tls_context(tls_files(folder.path(), Seat{1})));
}

TEST(Certs, RefuseWhatIsNoHost) {
  const hapax::testing::Folder folder;
  for (const char* host : {"", "a,DNS:b", "a b", "a/b", "a:b"}) {
    const auto refused = make_certs({folder.path(), {host}});
    ASSERT_FALSE(refused) << host;
    EXPECT_THAT(refused.error().message, HasSubstr("not the name or the address"));
  }
  EXPECT_FALSE(make_certs({folder.path(), {}}));
  EXPECT_FALSE(make_certs({folder.path(), {"a"}, 0}));
  const auto unwritable = make_certs({"/proc/hapax", {"a"}});
  ASSERT_FALSE(unwritable);
  EXPECT_THAT(unwritable.error().message, HasSubstr("cannot make the folder"));
}

TEST(Tls, NamesTheFileThatIsWrong) {
  const hapax::testing::Folder folder;
  ASSERT_TRUE(make_certs({folder.path(), {"a", "b"}}));
  const TlsFiles good = tls_files(folder.path(), Seat{0});
  const auto complaint = [](const TlsFiles& files) {
    const auto result = make_tls_context(files);
    return result ? std::string{"fine"} : result.error().message;
  };
  EXPECT_EQ(complaint(good), "fine");
  TlsFiles bad = good;
  bad.authority = good.key;
  EXPECT_THAT(complaint(bad), HasSubstr("authority " + bad.authority));
  bad = good;
  bad.certificate = (folder.path() / "none").string();
  EXPECT_THAT(complaint(bad), HasSubstr("certificate " + bad.certificate));
  bad = good;
  bad.key = good.certificate;
  EXPECT_THAT(complaint(bad), HasSubstr("key " + bad.key));
  bad = good;
  bad.key = tls_files(folder.path(), Seat{1}).key;
  EXPECT_THAT(complaint(bad), HasSubstr(bad.key));
}

// Whether `server` lets in who has these files, as OpenSSL decides it.
bool trusts(const TlsFiles& server, const TlsFiles& peer) {
  const auto context = make_tls_context(server);
  EXPECT_TRUE(context) << context.error().message;
  const Certificate certificate = load(peer.certificate);
  X509_STORE_CTX* check = X509_STORE_CTX_new();
  X509_STORE_CTX_init(check, SSL_CTX_get_cert_store((*context)->native_handle()), certificate.get(),
                      nullptr);
  const bool is_good = X509_verify_cert(check) == 1;
  X509_STORE_CTX_free(check);
  return is_good;
}

TEST(KeptCerts, AreAddedUnderTheSameAuthority) {
  const hapax::testing::Folder folder;
  EXPECT_THAT(make_certs({folder.path(), {"c"}, 825, false, {}, true}).error().message,
              HasSubstr("no authority"));
  ASSERT_TRUE(make_certs({folder.path(), {"a", "10.0.0.2"}}));
  const auto added = make_certs({folder.path(), {"c", "::1"}, 90, false, {"alice"}, true});
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->front(), folder.path() / "member-3.pem");
  EXPECT_TRUE(trusts(tls_files(folder.path(), Seat{0}), tls_files(folder.path(), Seat{3})));
  const auto kept = list_certs(folder.path());
  ASSERT_TRUE(kept) << kept.error().message;
  std::string shown;
  for (const KeptCert& cert : *kept) shown += cert.name + ' ' + cert.host + '\n';
  EXPECT_EQ(shown, "ca \nmember-1 a\nmember-2 10.0.0.2\nmember-3 c\nmember-4 ::1\nclient-alice \n");
  const auto days =
      std::chrono::duration_cast<std::chrono::hours>((*kept)[3].until - (*kept)[3].from) / 24;
  EXPECT_EQ(days.count(), 90);
}

TEST(KeptCerts, AreRenewedWithNewKeys) {
  const hapax::testing::Folder folder;
  ASSERT_TRUE(make_certs({folder.path(), {"a", "b"}, 1, false, {"alice"}}));
  const auto before = *list_certs(folder.path());
  const auto renewed = renew_certs(folder.path(), {"member-2", "client-alice"}, 90);
  ASSERT_TRUE(renewed) << renewed.error().message;
  EXPECT_EQ(renewed->size(), 4u);
  const auto after = *list_certs(folder.path());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_new = after[i].name == "member-2" || after[i].name == "client-alice";
    EXPECT_EQ(after[i].serial != before[i].serial, is_new) << after[i].name;
    EXPECT_EQ(after[i].host, before[i].host);
  }
  EXPECT_TRUE(trusts(tls_files(folder.path(), Seat{0}), tls_files(folder.path(), Seat{1})));
  EXPECT_EQ(fs::status(folder.path() / "member-2.key").permissions(), fs::perms{0600});
  EXPECT_EQ(renew_certs(folder.path(), {}, 90)->size(), 6u) << "all but the authority";
  EXPECT_THAT(renew_certs(folder.path(), {"membr-2"}, 90).error().message,
              HasSubstr("did you mean member-2?"));
}

TEST(KeptCerts, AreRefusedOnceTheyAreRevoked) {
  const hapax::testing::Folder folder;
  ASSERT_TRUE(make_certs({folder.path(), {"a", "b"}, 825, false, {"alice", "bob"}}));
  const TlsFiles server = tls_files(folder.path(), Seat{0});
  EXPECT_TRUE(trusts(server, tls_files(folder.path(), "alice")));
  ASSERT_TRUE(revoke_certs(folder.path(), {"client-alice"}));
  ASSERT_TRUE(revoke_certs(folder.path(), {"member-2"}));
  EXPECT_FALSE(trusts(server, tls_files(folder.path(), "alice")));
  EXPECT_FALSE(trusts(server, tls_files(folder.path(), Seat{1})));
  EXPECT_TRUE(trusts(server, tls_files(folder.path(), "bob")));
  EXPECT_FALSE(revoke_certs(folder.path(), {"ca"}));
  EXPECT_FALSE(revoke_certs(folder.path(), {"client-carol"}));
  // So are those from before it was renewed, or only these.
  const auto keep = [&](const char* file) {
    fs::copy_file(folder.path() / file, folder.path() / (std::string{"old-"} + file));
  };
  EXPECT_THAT(revoke_certs(folder.path(), {"client-bob"}, Which::former).error().message,
              HasSubstr("not been renewed"));
  keep("client-bob.pem");
  keep("client-bob.key");
  ASSERT_TRUE(renew_certs(folder.path(), {"client-bob"}, 90));
  const TlsFiles old{folder.path() / "ca.pem", folder.path() / "old-client-bob.pem",
                     folder.path() / "old-client-bob.key"};
  EXPECT_TRUE(trusts(server, old));
  ASSERT_TRUE(revoke_certs(folder.path(), {"client-bob"}, Which::former));
  EXPECT_FALSE(trusts(server, old));
  EXPECT_TRUE(trusts(server, tls_files(folder.path(), "bob")));
  ASSERT_TRUE(renew_certs(folder.path(), {"client-bob"}, 90));
  ASSERT_TRUE(revoke_certs(folder.path(), {"client-bob"}));
  EXPECT_FALSE(trusts(server, tls_files(folder.path(), "bob")));
  // Anew it is another certificate.
  ASSERT_TRUE(renew_certs(folder.path(), {"client-alice"}, 90));
  EXPECT_TRUE(trusts(server, tls_files(folder.path(), "alice")));
  std::ofstream{folder.path() / "crl.pem"} << "nonsense";
  EXPECT_THAT(make_tls_context(server).error().message, HasSubstr("crl.pem"));
}

}  // namespace
}  // namespace hapax::net
