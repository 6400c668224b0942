#include "group_commands/view_text.h"

#include <gmock/gmock.h>

#include "base/release.h"
#include "group_json/group_json.h"

namespace hapax::cli {
namespace {

using ::testing::HasSubstr;

GroupStatus status_with(const std::vector<std::string>& releases) {
  GroupStatus status;
  status.release = release();
  status.releases = releases;
  return status;
}

TEST(Lease, IsShownWithWhatIsLeftOfIt) {
  using std::chrono::milliseconds;
  ViewStatus view;
  view.ttl = milliseconds{2'000};
  view.standing = "in the view";
  EXPECT_EQ(show_lease(view, ""), "no lease: in the view; nothing is granted here");
  EXPECT_EQ(show_lease(view, "no lease: etcd does not answer"), "no lease: etcd does not answer");
  view.lease = milliseconds{1'234};
  EXPECT_EQ(show_lease(view, ""), "lease: 1234 ms left of 2000; in the view");
  view.in_jeopardy = true;
  EXPECT_THAT(show_lease(view, ""), HasSubstr("of 2000; in the view; in jeopardy: "));
}

TEST(Lease, MayBeLongerThanATtlThatWasSetSince) {
  ViewStatus view;
  view.ttl = std::chrono::milliseconds{2'000};
  view.lease = std::chrono::milliseconds{3'663};
  view.standing = "in the view";
  EXPECT_EQ(show_lease(view, ""),
            "lease: 3663 ms left of a longer TTL; it is 2000 ms from then on; in the view");
}

TEST(ReleaseWarnings, AreOfMembersThatRunDifferentOnes) {
  EXPECT_EQ(release_warnings(status_with({"0.1.0", "0.1.0"})), "");
  EXPECT_EQ(release_warnings(status_with({"0.1.0", ""})), "") << "one is not known";
  EXPECT_EQ(release_warnings(status_with({"0.1.0", "older", "0.1.0"})),
            "members run different releases, 0.1.0 and older: go on with the upgrade, or back\n");
}

TEST(ReleaseWarnings, AreOfMembersOfTheViewOnly) {
  GroupStatus status = status_with({});
  status.view.emplace();
  for (const char* release : {"0.1.0", "older"}) {
    ViewStatus::Life life;
    life.release = release;
    status.view->lives.push_back(life);
  }
  EXPECT_EQ(release_warnings(status), "") << "they are yet to come, or gone";
  for (ViewStatus::Life& life : status.view->lives) life.is_member = true;
  EXPECT_THAT(release_warnings(status), HasSubstr("0.1.0 and older"));
}

TEST(ReleaseWarnings, AreOfADaemonTooFarAway) {
  GroupStatus status;
  EXPECT_EQ(release_warnings(status), "") << "an older one that does not say";
  status.release = "99.7.0";
  EXPECT_THAT(release_warnings(status), HasSubstr("at most one minor version away"));
}

TEST(Release, IsShownAsFarAsItIsKnown) {
  EXPECT_EQ(show_release("0.1.0"), "0.1.0");
  EXPECT_EQ(show_release(""), "-");
  EXPECT_TRUE(json_release("").is_null());
  ASSERT_TRUE(json_release("older").is_string());
  EXPECT_EQ(json_release("older").as_string(), "older");
}

TEST(OwnCertificate, IsShownWithTheTimeThatIsLeft) {
  using namespace std::chrono_literals;
  const auto in = [](std::chrono::hours left) {
    return GroupStatus::Certificate{"ca.pem", std::chrono::system_clock::now() + left + 30min};
  };
  EXPECT_EQ(show_certificate(in(312 * 24h)), "certificate: good for 312 days (ca.pem)\n");
  EXPECT_EQ(show_certificate(in(47h)), "certificate: good for 47 hours (ca.pem)\n");
  EXPECT_EQ(show_certificate(in(-74h)), "certificate: EXPIRED 3 days ago (ca.pem)\n");
  EXPECT_TRUE(json_certificate(std::nullopt).is_null());
}

}  // namespace
}  // namespace hapax::cli
