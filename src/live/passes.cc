#include "live/passes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <sys/random.h>
#include <utility>

namespace hapax::live {
namespace {

// 256 bits that nobody can guess.
Result<std::string> secret() {
  std::array<std::uint8_t, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return error("the kernel gives no random bytes; try again");
  }
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return {boost::system::in_place_value, std::move(text)};
}

// In a time that does not tell how much of it was right.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]);
  }
  return difference == 0;
}

bool is_same(const Caller& a, const Caller& b) {
  return a.user == b.user && a.certified == b.certified;
}

}  // namespace

Result<std::string> Passes::issue(const Caller& caller, Instant now) {
  issued_.remove_if([&](const Issued& issued) { return issued.until <= now; });
  const auto is_theirs = [&](const Issued& issued) { return is_same(issued.caller, caller); };
  const auto count = std::count_if(issued_.begin(), issued_.end(), is_theirs);
  if (static_cast<std::size_t>(count) >= kMostOfOne) {
    issued_.erase(std::find_if(issued_.begin(), issued_.end(), is_theirs));
  } else if (issued_.size() >= kMost) {
    return error("{} passes to the live page are in use; ask again when some have expired", kMost);
  }
  auto pass = secret();
  if (!pass) return pass.error();
  issued_.push_back({*pass, caller, now + kGoodFor});
  return pass;
}

const Caller* Passes::find(std::string_view pass, Instant now) const {
  const Caller* found = nullptr;
  for (const Issued& issued : issued_) {
    if (is_same(issued.pass, pass) && now < issued.until) found = &issued.caller;
  }
  return found;
}

}  // namespace hapax::live
