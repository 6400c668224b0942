#include "draw/json.h"

#include <gtest/gtest.h>

#include "draw/testing/traces.h"

namespace hapax {
namespace {

TEST(ChronicleJson, LeavesOutWhatDoesNotApply) {
  const auto scenes = testing::scenes_of_text("nodes central A B\nrequest A\ndeliver B->A\n----\n");
  const boost::json::object object = chronicle_json(scenes);
  const auto& scene = object.at("scenes").at(0);
  EXPECT_EQ(scene.at("algorithm"), "central");
  EXPECT_EQ(scene.at("nodes"), (boost::json::array{"A", "B"}));
  const auto& first = scene.at("happenings").at(0).as_object();
  EXPECT_EQ(first.at("kind"), "request");
  EXPECT_EQ(first.at("node"), "A");
  EXPECT_FALSE(first.contains("peer"));
  EXPECT_FALSE(first.contains("message"));
  EXPECT_FALSE(first.contains("fence"));
}

TEST(ChronicleJson, ASendAndItsArrivalHaveTheSameNumber) {
  const auto scenes =
      testing::scenes_of_text("nodes ricart-agrawala A B\nrequest A\ndeliver A->B\n----\n");
  const boost::json::object object = chronicle_json(scenes);
  boost::json::value sent;
  boost::json::value received;
  for (const auto& h : object.at("scenes").at(0).at("happenings").as_array()) {
    if (h.at("kind") == "send" && sent.is_null()) sent = h.at("message");
    if (h.at("kind") == "receive") received = h.at("message");
  }
  EXPECT_FALSE(sent.is_null());
  EXPECT_EQ(sent, received);
}

}  // namespace
}  // namespace hapax
