#include "visitors/visitor.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <variant>

#include "base/testing/strangers.h"
#include "session/frames.h"

namespace hapax {
namespace {

namespace asio = boost::asio;

// Whatever the daemon has to say, it is no reason to fall.
TEST(Visitor, IsRefusedAnAnswerThatIsTooLong) {
  Loop io;
  asio::local::stream_protocol::socket ours{testing::strangers()}, theirs{testing::strangers()};
  asio::local::connect_pair(ours, theirs);
  const auto visitor = std::make_shared<Visitor>(
      net::Socket{io, ours.release()}, nullptr,
      Visitor::Handlers{[](Visitor&, session::Ask&&) {}, [](Visitor&) {}}, nullptr);
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

class Handing final : public SessionStream {
 public:
  explicit Handing(net::Socket socket) : SessionStream(std::move(socket), nullptr) {}
  using SessionStream::hand_over;
  bool has_ended = false;

 private:
  void on_ask(session::Ask&&) override {}
  void on_end() override { has_ended = true; }
  void on_refused(const std::string&) override {}
};

// The kernel may refuse to carry one, e.g. since too many are on their way. Whoever is hung up on
// by that lives on, and may be inside what would be taken for free.
TEST(SessionStream, GoesOnWithoutADescriptorThatCannotBeHandedOver) {
  Loop io;
  asio::local::stream_protocol::socket ours{testing::strangers()}, theirs{testing::strangers()};
  asio::local::connect_pair(ours, theirs);
  const auto stream = std::make_shared<Handing>(net::Socket{io, ours.release()});
  stream->tell(session::Refused{1, "bytes"});
  stream->hand_over(std::numeric_limits<int>::max());  // There is none.
  io.poll();
  EXPECT_FALSE(stream->has_ended);
  std::array<std::uint8_t, 4096> room;
  theirs.non_blocking(true);
  boost::system::error_code failed;
  const std::size_t count = theirs.read_some(asio::buffer(room), failed);
  std::span<const std::uint8_t> bytes{room.data(), count};
  session::Answer answer;
  ASSERT_EQ(session::take_frame(bytes, session::kLargestAnswer, answer), session::Taken::record);
  EXPECT_TRUE(std::holds_alternative<session::Refused>(answer));
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Descriptors are kept back for members: a crowd that does not read must not use them up.
TEST(Visitor, IsHandedNoMemoryWhileItDoesNotRead) {
  for (const bool reads : {true, false}) {
    Loop io;
    asio::local::stream_protocol::socket ours{testing::strangers()}, theirs{testing::strangers()};
    asio::local::connect_pair(ours, theirs);
    const auto visitor = std::make_shared<Visitor>(
        net::Socket{io, ours.release()}, nullptr,
        Visitor::Handlers{[](Visitor&, session::Ask&&) {}, [](Visitor&) {}}, nullptr);
    visitor->start();
    Bytes hello;
    ASSERT_TRUE(session::write_frame(hello, session::Ask{session::Hello{}}));
    asio::write(theirs, asio::buffer(hello));
    while (!visitor->has_introduced_itself()) io.run_one();
    for (int i = 0; i < 20 && !reads; ++i) {
      visitor->tell(session::Refused{1, std::string(100'000, 'x')});
      io.poll();
    }
    const std::size_t before = open_descriptors();
    visitor->share();
    io.poll();
    EXPECT_EQ(visitor->kept.has_value(), reads);
    EXPECT_EQ(open_descriptors(), before);
    visitor->close(false);
    io.poll();
  }
}

}  // namespace
}  // namespace hapax
