// An Instance of an algorithm does what the algorithm itself does.
#include "core/instance.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/text.h"
#include "catalog/algorithms.h"
#include "catalog/catalog.h"
#include "catalog/operations.h"
#include "mutex/testing/mutant.h"
#include "wire/codec.h"

namespace hapax {
namespace {

// Two worlds side by side: the algorithm by its type, and as an Instance.
template <class A>
class SideBySide {
 public:
  explicit SideBySide(const Operations& operations) : operations_(operations) {
    for (std::uint32_t i = 0; i < kSize; ++i) {
      const View view{Epoch{1}, kSize, NodeId{i}, NodeId{1}, true};
      typed_.push_back(make<A>(view));
      erased_.emplace_back(operations_, view);
    }
    typed_fx_.explain(true);
    erased_fx_.explain(true);
  }

  void run(std::uint64_t seed) {
    Prng prng{seed};
    for (std::uint32_t i = 0; i < kSize; ++i) {
      step(i, [](auto& a, auto& fx) {
        if constexpr (requires { a.start(fx); }) a.start(fx);
      });
    }
    for (int steps = 0; steps < 400; ++steps) {
      const auto who = static_cast<std::uint32_t>(prng.below(kSize));
      if (!letters_.empty() && prng.below(3) != 0) {
        const Letter letter = letters_.front();
        letters_.erase(letters_.begin());
        deliver(letter);
      } else if (typed_[who].phase() == Phase::idle) {
        step(who, [](auto& a, auto& fx) { a.request(fx); });
      } else if (typed_[who].phase() == Phase::inside) {
        step(who, [](auto& a, auto& fx) { a.release(fx); });
      }
    }
    EXPECT_GT(entries_, 3u);
  }

 private:
  static constexpr std::uint32_t kSize = 4;
  struct Letter {
    NodeId from, to;
    typename A::Message message;
  };

  template <class F>
  void step(std::uint32_t who, F&& f) {
    typed_fx_.clear();
    erased_fx_.clear();
    f(typed_[who], typed_fx_);
    f(erased_[who], erased_fx_);
    compare(who);
  }
  void deliver(const Letter& letter) {
    typed_fx_.clear();
    erased_fx_.clear();
    typed_[number(letter.to)].receive(letter.from, letter.message, typed_fx_);
    const Bytes bytes = encode(letter.message);
    EXPECT_EQ(operations_.describe_message(bytes), to_text(letter.message));
    EXPECT_TRUE(erased_[number(letter.to)].receive(letter.from, bytes, erased_fx_));
    compare(number(letter.to));
  }

  void compare(std::uint32_t who) {
    const A& typed = typed_[who];
    const Instance& erased = erased_[who];
    EXPECT_EQ(erased.phase(), typed.phase());
    EXPECT_EQ(erased.counter(), counter_of(typed));
    if constexpr (requires { typed.standing(); }) {
      EXPECT_EQ(erased.describe(), typed.standing());
    } else {
      EXPECT_EQ(erased.describe(), fields_text(typed));
    }
    Bytes bytes;
    erased.encode_to(bytes);
    EXPECT_EQ(bytes, encode(typed));
    EXPECT_EQ(erased_fx_.entered(), typed_fx_.entered());
    EXPECT_EQ(erased_fx_.rejected(), typed_fx_.rejected());
    EXPECT_TRUE(std::ranges::equal(erased_fx_.reasons(), typed_fx_.reasons()));
    EXPECT_TRUE(std::ranges::equal(erased_fx_.deferred(), typed_fx_.deferred()));
    ASSERT_EQ(erased_fx_.sends().size(), typed_fx_.sends().size());
    for (std::size_t i = 0; i < typed_fx_.sends().size(); ++i) {
      const auto& send = typed_fx_.sends()[i];
      const auto& same = erased_fx_.sends()[i];
      EXPECT_EQ(same.reach, send.reach);
      EXPECT_TRUE(std::ranges::equal(erased_fx_.bytes(same), encode(send.message)));
      EXPECT_TRUE(std::ranges::equal(erased_fx_.listed(same), typed_fx_.listed(send)));
    }
    if (typed_fx_.entered()) ++entries_;
    typed_fx_.for_each_message(NodeId{who}, kSize, [&](NodeId to, const auto& message) {
      letters_.push_back({NodeId{who}, to, message});
    });
  }

  const Operations& operations_;
  std::vector<A> typed_;
  std::vector<Instance> erased_;
  std::vector<Letter> letters_;
  Effects<typename A::Message> typed_fx_;
  InstanceEffects erased_fx_;
  std::uint64_t entries_ = 0;
};

TEST(Instance, DoesWhatTheAlgorithmDoes) {
  const auto compare = []<class A>() {
    SCOPED_TRACE(A::kInfo.name);
    SideBySide<A>{*find_algorithm(A::kInfo.name)}.run(7);
  };
  for_each_mutex(compare);
  for_each_shared(compare);
}

TEST(Instance, IsAValue) {
  for (const Operations* algorithm : algorithms()) {
    SCOPED_TRACE(algorithm->info.name);
    const View view{Epoch{1}, 3, NodeId{1}, NodeId{0}, false};
    Instance one{*algorithm, view};
    InstanceEffects fx;
    one.request(fx);
    const Instance copy{one};
    EXPECT_TRUE(copy == one);
    Instance moved{std::move(one)};
    EXPECT_TRUE(one.empty());  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(copy == moved);
    EXPECT_FALSE((Instance{*algorithm, view} == moved));
    moved = Instance{*algorithm, view};
    EXPECT_TRUE(moved.is_like_new(view));
    EXPECT_FALSE(copy.is_like_new(view));
    one = copy;
    EXPECT_TRUE(copy == one);
    EXPECT_FALSE(Instance{} == one);
  }
}

TEST(Instance, BytesThatAreNoMessageChangeNothing) {
  for (const Operations* algorithm : algorithms()) {
    SCOPED_TRACE(algorithm->info.name);
    Instance one{*algorithm, View{Epoch{1}, 3, NodeId{1}, NodeId{0}, false}};
    const Instance before{one};
    InstanceEffects fx;
    for (const Bytes& bytes : {Bytes{}, Bytes{99}, Bytes{0, 0x80, 0}}) {
      EXPECT_FALSE(one.receive(NodeId{0}, bytes, fx));
      EXPECT_FALSE(algorithm->is_message(bytes));
    }
    EXPECT_TRUE(one == before);
    EXPECT_TRUE(fx.sends().empty());
  }
}

// What a test makes up may be larger than the place in an Instance.
TEST(Instance, LargeAlgorithmsLieOnTheHeap) {
  using Large = testing::Mutant<Lamport, testing::HandsAllOn<Lamport>>;
  static_assert(sizeof(Large) > Instance::kPlace);
  SideBySide<Large>{OperationsOf<Large>::kTable}.run(3);
}

// Members of different versions talk to one another by these numbers. A new algorithm gets the next
// free one; none is ever given to another.
TEST(Catalog, NumbersAreAsTheyWere) {
  std::vector<std::pair<std::string_view, int>> numbers;
  for (const Operations* algorithm : algorithms()) {
    numbers.emplace_back(algorithm->info.name, number(algorithm->info.id));
    EXPECT_EQ(find_algorithm(algorithm->info.id), algorithm);
    EXPECT_EQ(find_algorithm(algorithm->info.name), algorithm);
  }
  const std::vector<std::pair<std::string_view, int>> first{{"central", 0},
                                                            {"token-ring", 1},
                                                            {"lamport", 2},
                                                            {"ricart-agrawala", 3},
                                                            {"carvalho-roucairol", 4},
                                                            {"maekawa-basic", 5},
                                                            {"maekawa", 6},
                                                            {"suzuki-kasami", 7},
                                                            {"raymond", 8},
                                                            {"naimi-trehel", 9},
                                                            {"bakery", 10},
                                                            {"readers-writers", 11},
                                                            {"semaphore-ra", 12}};
  std::set<int> taken;
  for (const auto& [name, id] : numbers) EXPECT_TRUE(taken.insert(id).second) << name;
  for (const auto& [name, id] : first) {
    ASSERT_NE(find_algorithm(name), nullptr) << name;
    EXPECT_EQ(number(find_algorithm(name)->info.id), id) << name;
  }
  EXPECT_EQ(find_algorithm(AlgorithmId{127}), nullptr);
  EXPECT_EQ(find_algorithm(AlgorithmId{200}), nullptr);
  EXPECT_EQ(find_algorithm("nobody"), nullptr);
}

}  // namespace
}  // namespace hapax
