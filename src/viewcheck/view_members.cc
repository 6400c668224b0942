#include "viewcheck/view_members.h"

#include <utility>

#include "base/check.h"

namespace hapax {
namespace {

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

ViewMembers::Reaction ViewMembers::finish(const MemberViews& next, Reaction reaction) {
  reaction.member = number_of(next);
  for (const ViewOrders::Send& send : orders_.sends) {
    const auto bytes = orders_.bytes(send);
    reaction.sends.push_back({send.to, frames_.number_of(as_text(bytes), [&] {
                                return Bytes{bytes.begin(), bytes.end()};
                              })});
  }
  HAPAX_CHECK(orders_.grants.size() <= 1);
  if (!orders_.grants.empty()) reaction.granted = orders_.grants.front();
  reaction.lost = !orders_.lost.empty();
  reaction.wanted = !orders_.wanted.empty() || !orders_.recalled.empty();
  reaction.ended = orders_.ended;
  if (!orders_.complaints.empty()) reaction.complaint = orders_.complaints.front().text;
  return reaction;
}

std::uint32_t ViewMembers::number_of(const MemberViews& member) {
  key_.clear();
  member.encode_to(key_);
  return members_.number_of(as_text(key_), [&] { return member; });
}

}  // namespace hapax
