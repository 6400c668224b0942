// Bytes of a client at its daemon's door, and of a daemon at its client's.
//
// The first byte says who speaks: even a client, odd a daemon. The rest is what it says, in
// each version that we speak.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/testing/fuzz.h"
#include "session/frames.h"

namespace hapax::session {
namespace {

// As the reader of either side does it: what is whole is taken, and the first frame that is none
// ends it.
template <class Record>
void read_all(std::span<const std::uint8_t> bytes, std::size_t largest, std::uint32_t version) {
  for (;;) {
    const std::span<const std::uint8_t> before = bytes;
    Record record;
    if constexpr (std::is_same_v<Record, Ask>) largest = largest_ask(bytes, version);
    const Taken taken = take_frame(bytes, largest, record, version);
    if (taken != Taken::record) {
      // Nothing was taken, so that more bytes may complete it.
      HAPAX_CHECK(bytes.size() == before.size());
      return;
    }
    const std::size_t size = before.size() - bytes.size();
    HAPAX_CHECK(size > kLengthBytes);
    HAPAX_CHECK(size <= kLengthBytes + largest);
    // There is one way to write a record, and this was it.
    Bytes again;
    const bool fits = write_frame(again, record, version);
    HAPAX_CHECK(fits);
    const auto written = before.first(size);
    HAPAX_CHECK(std::equal(again.begin(), again.end(), written.begin(), written.end()));
  }
}

}  // namespace
}  // namespace hapax::session

HAPAX_FUZZ_TARGET(session) {
  using namespace hapax::session;
  if (input.empty()) return;
  for (std::uint32_t version = kOldestVersion; version <= kVersion; ++version) {
    if (input[0] % 2 == 0) {
      read_all<Ask>(input.subspan(1), kLargestAsk, version);
    } else {
      read_all<Answer>(input.subspan(1), kLargestAnswer, version);
    }
  }
}
