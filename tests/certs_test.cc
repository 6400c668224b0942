#include <gmock/gmock.h>
#include <string>

#include "cli_testing.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;

class CertsCommand : public Cli {};

TEST_F(CertsCommand, MakesThemOnce) {
  const std::string dir = folder() + "/certs";
  const std::string make = "certs --dir '" + dir + "' --members db1:7400,10.0.0.2,[::1]:7400";
  const Finished made = hapax(make);
  EXPECT_EQ(made.status, 0) << made.err;
  for (const char* name : {"ca", "member-1", "member-2", "member-3"}) {
    for (const char* kind : {".pem", ".key"}) {
      EXPECT_THAT(made.out, HasSubstr(dir + "/" + name + kind + "\n"));
      EXPECT_THAT(contents_of(dir + "/" + name + kind), HasSubstr("-----BEGIN"));
    }
  }
  const std::string key = contents_of(dir + "/member-1.key");
  expect_refused(make, "ca.pem is there already");
  EXPECT_EQ(contents_of(dir + "/member-1.key"), key);
  EXPECT_EQ(hapax(make + " --force").status, 0);
  EXPECT_NE(contents_of(dir + "/member-1.key"), key);
  EXPECT_EQ(shell("openssl verify -CAfile '" + dir + "/ca.pem' '" + dir + "/member-1.pem'").status,
            0);
}

TEST_F(CertsCommand, SaysWhatIsWrong) {
  expect_refused("certs --dir x", "--members is missing");
  expect_refused("certs --members a", "--dir is missing");
  expect_refused("certs --dir '" + folder() + "' --members a,b/c", "'b/c' is not the name");
  expect_refused("certs --dir '" + folder() + "' --members a --days 0", "days");
  expect_refused("certs --dir /proc/hapax --members a", "cannot make the folder");
}

TEST_F(CertsCommand, AddsListsRenewsAndRevokes) {
  const std::string dir = " --dir '" + folder() + "/certs'";
  EXPECT_EQ(hapax("certs --members db1" + dir).status, 0);
  EXPECT_THAT(hapax("certs add --members 10.0.0.2 --clients alice --days 90" + dir).out,
              HasSubstr("member-2.pem"));
  EXPECT_EQ(hapax("certs revoke client-alice" + dir).status, 0);
  EXPECT_THAT(hapax("certs renew member-1" + dir).out, HasSubstr("member-1.key"));
  const std::string table = hapax("certs list" + dir).out;
  EXPECT_THAT(table, ::testing::ContainsRegex("member-1 +db1 +[0-9-]+ +824 days left"));
  EXPECT_THAT(table, ::testing::ContainsRegex("member-2 +10.0.0.2 +[0-9-]+ +89 days left"));
  EXPECT_THAT(table, ::testing::ContainsRegex("client-alice +[0-9-]+ +revoked"));
  const auto certificates = object_of("certs list --json" + dir).at("certificates").as_array();
  ASSERT_EQ(certificates.size(), 4u);
  EXPECT_EQ(certificates[3].at("name"), "client-alice");
  EXPECT_TRUE(certificates[3].at("revoked").as_bool());
  expect_refused("certs revoke client-alic" + dir, "did you mean client-alice?");
  expect_refused("certs list --dir /nowhere", "cannot read /nowhere");
}

}  // namespace
}  // namespace hapax::testing
