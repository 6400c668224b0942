#include "visitors/visitor.h"

#include <array>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <variant>

#include "session/frames.h"

namespace hapax {
namespace {

namespace asio = boost::asio;

// Whatever the daemon has to say, it is no reason to fall.
TEST(Visitor, IsRefusedAnAnswerThatIsTooLong) {
  asio::io_context io;
  asio::local::stream_protocol::socket ours{io}, theirs{io};
  asio::local::connect_pair(ours, theirs);
  const auto visitor = std::make_shared<Visitor>(
      std::move(ours), nullptr, Visitor::Handlers{[](Visitor&, session::Ask&&) {}, [](Visitor&) {}},
      nullptr);
  session::Stats stats;
  stats.request = 7;
  stats.counters.push_back({std::string(session::kLargestAnswer, 'x'), 1});
  visitor->tell(stats);
  io.poll();
  std::array<std::uint8_t, 4096> room;
  const std::size_t count = theirs.read_some(asio::buffer(room));
  std::span<const std::uint8_t> bytes{room.data(), count};
  session::Answer answer;
  ASSERT_EQ(session::take_frame(bytes, session::kLargestAnswer, answer), session::Taken::record);
  ASSERT_TRUE(std::holds_alternative<session::Refused>(answer));
  EXPECT_EQ(std::get<session::Refused>(answer).request, 7u);
}

}  // namespace
}  // namespace hapax
