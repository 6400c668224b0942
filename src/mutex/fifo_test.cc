#include "mutex/fifo.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "base/text.h"
#include "wire/codec.h"

namespace hapax {
namespace {

Fifo<NodeId> queue_of(std::initializer_list<std::uint32_t> items) {
  Fifo<NodeId> queue;
  for (const std::uint32_t item : items) queue.push(NodeId{item});
  return queue;
}

TEST(Fifo, GivesBackInTheOrderOfComing) {
  Fifo<std::uint32_t> queue;
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 3; ++i) queue.push(in++);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(queue.pop(), out++);
    EXPECT_EQ(queue.size(), in - out);
  }
  while (!queue.empty()) EXPECT_EQ(queue.pop(), out++);
  EXPECT_EQ(out, in);
}

TEST(Fifo, EqualQueuesAreEqualWhateverTheirPast) {
  Fifo<NodeId> past = queue_of({9, 1, 2, 3});
  past.pop();
  const Fifo<NodeId> fresh = queue_of({1, 2, 3});
  EXPECT_TRUE(past == fresh);
  EXPECT_EQ(encode(past), encode(fresh));
  EXPECT_EQ(to_text(past), "[#1,#2,#3]");
}

TEST(Fifo, ComesBackFromItsBytes) {
  const Fifo<NodeId> queue = queue_of({5, 0, 7});
  Fifo<NodeId> copy = queue_of({1, 2, 3, 4});
  copy.pop();
  const Bytes bytes = encode(queue);
  Decoder decoder{bytes};
  ASSERT_TRUE(decoder.read(copy));
  EXPECT_TRUE(decoder.at_end());
  EXPECT_TRUE(copy == queue);
}

}  // namespace
}  // namespace hapax
