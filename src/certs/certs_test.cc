#include "certs/certs.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string>

#include "base/testing/folder.h"
#include "net/tls.h"

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

}  // namespace
}  // namespace hapax::net
