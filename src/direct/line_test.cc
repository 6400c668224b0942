// A line of contenders at a server that loses answers, ends sessions and lets clocks run.
#include "direct/line.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hapax/error.h"
#include "loop/loop.h"

namespace hapax::direct {
namespace {

using namespace std::chrono_literals;

// In memory, on the loop. Answers to the next calls may be lost, before or after they are done.
class FakeServer final : public Server {
 public:
  enum class Loss { none, request, answer };

  explicit FakeServer(Loop& io) : io_(io) {}

  std::string trouble() const override { return renews ? "" : "silent"; }
  bool reuses_numbers() const override { return reuses; }
  void open_session(std::chrono::milliseconds ttl, Then<Session> then) override {
    answer(std::move(then), Session{++sessions, ttl});
  }
  void renew(const Session& session, Then<Session> then) override {
    if (!renews) return answer(std::move(then), Trouble{Trouble::Kind::unknown, "silent"});
    if (ended.contains(session.id)) return answer(std::move(then), over());
    answer(std::move(then), session);
  }
  void close_session(const Session& session, std::function<void()> then) override {
    end(session.id);
    io_.post(std::move(then));
  }
  void join(const Session& session, const Contender& contender, Then<Standing> then) override {
    ++joins;
    const std::string place = std::to_string(session.id) + "-" + std::to_string(contender.number);
    const Loss lost = std::exchange(next_join, Loss::none);
    if (lost == Loss::request) return answer(std::move(then), unknown());
    if (ended.contains(session.id)) return answer(std::move(then), over());
    auto& line = lines[contender.name];
    const bool is_there =
        std::any_of(line.begin(), line.end(), [&](const Entry& e) { return e.place == place; });
    if (!is_there) line.push_back({place, session.id, ++revision});
    if (lost == Loss::answer) return answer(std::move(then), unknown());
    look(contender, {place, {}}, true, [this, then = std::move(then)](Outcome<Standing> standing) {
      if (!holds_joins_back) return then(std::move(standing));
      late_joins.push_back([then, standing = std::move(standing)] { then(standing); });
    });
  }
  bool rejoins() const override { return has_rejoin; }
  void rejoin(const Session& session, const Contender& leaving, const Standing& left,
              const Contender& joining, Then<Standing> then) override {
    ++rejoin_calls;
    const Loss lost = std::exchange(next_rejoin, Loss::none);
    if (lost == Loss::request) return answer(std::move(then), unknown());
    auto& line = lines[leaving.name];
    const auto at = std::find_if(line.begin(), line.end(), [&](const Entry& e) {
      return e.place == left.place && e.created == number(left.fence.turn);
    });
    if (at == line.end()) return answer(std::move(then), Standing{"", {}, true});
    const std::string place = std::to_string(session.id) + "-" + std::to_string(joining.number);
    remove(leaving.name, left.place);
    line.push_back({place, session.id, ++revision});
    if (lost == Loss::answer) return answer(std::move(then), unknown());
    look(joining, {place, {}}, true, std::move(then));
  }
  void look(const Contender& contender, const Standing& asked, bool, Then<Standing> then) override {
    Standing standing{asked.place, {}, true, "", revision, {}};
    ++looks;
    Entry before;
    for (const Entry& entry : lines[contender.name]) {
      if (entry.place == asked.place) {
        standing.is_gone = false;
        standing.fence = {Epoch{1}, Turn{entry.created}};
        standing.before = before.place;
        standing.before_fence = {Epoch{1}, Turn{before.created}};
      }
      before = entry;
    }
    answer(std::move(then), standing);
  }
  std::unique_ptr<Watch> await_change(const Contender&, const Standing& standing,
                                      std::function<void(std::uint64_t)> then) override {
    ++waits;
    struct Kept final : Watch {
      Kept(FakeServer& s, std::string k, std::function<void(std::uint64_t)> f)
          : server(s), key(std::move(k)) {
        server.watches[key].push_back({this, [f = std::move(f), &s] { f(s.revision); }});
      }
      ~Kept() override {
        std::erase_if(server.watches[key], [this](const auto& w) { return w.first == this; });
      }
      FakeServer& server;
      const std::string key;
    };
    return std::make_unique<Kept>(*this, standing.before, std::move(then));
  }
  void leave(const Session&, const Contender& contender, const Standing& standing, bool,
             Then<bool> then) override {
    ++leaves;
    const Loss lost = std::exchange(next_leave, Loss::none);
    if (lost != Loss::request) remove(contender.name, standing.place);
    if (lost != Loss::none) return answer(std::move(then), unknown());
    answer(std::move(then), true);
  }
  void list(const std::string&, Then<std::vector<LockInfo>> then) override {
    answer(std::move(then), std::vector<LockInfo>{});
  }
  std::unique_ptr<Watch> observe(const std::string&,
                                 std::function<void(std::optional<Leader>)>) override {
    return nullptr;
  }

  void end(std::uint64_t session) {
    ended[session] = true;
    for (auto& [name, line] : lines) {
      std::vector<std::string> gone;
      for (const Entry& entry : line) {
        if (entry.session == session) gone.push_back(entry.place);
      }
      for (const std::string& place : gone) remove(name, place);
    }
  }
  void remove(const std::string& name, const std::string& place) {
    std::erase_if(lines[name], [&](const Entry& e) { return e.place == place; });
    if (!tells) return;
    const auto told = watches[place];
    for (const auto& [watch, then] : told) io_.post(then);
  }
  // Somebody else's.
  void add(const std::string& name, const std::string& place) {
    lines[name].push_back({place, 1'000, ++revision});
  }

  struct Entry {
    std::string place;
    std::uint64_t session = 0;
    std::uint64_t created = 0;
  };
  std::map<std::string, std::vector<Entry>> lines;
  std::map<std::string, std::vector<std::pair<Watch*, std::function<void()>>>> watches;
  std::map<std::uint64_t, bool> ended;
  std::uint64_t sessions = 0, revision = 0;
  int joins = 0, looks = 0, leaves = 0, waits = 0;
  bool renews = true, reuses = false, tells = true, has_rejoin = false;
  int rejoin_calls = 0;
  bool holds_joins_back = false;
  std::vector<std::function<void()>> late_joins;
  Loss next_join = Loss::none, next_leave = Loss::none, next_rejoin = Loss::none;

 private:
  static Trouble unknown() { return {Trouble::Kind::unknown, "lost"}; }
  static Trouble over() { return {Trouble::Kind::over, "over"}; }
  template <class T, class U>
  void answer(Then<T> then, U told) {
    io_.post([then = std::move(then), told = Outcome<T>{std::move(told)}] { then(told); });
  }

  Loop& io_;
};

class LineTest : public ::testing::Test {
 protected:
  struct Asked {
    std::optional<std::error_code> error;
    detail::Holding holding;
  };
  LineTest() {
    line.start([](const std::string&) {});
    run_until([&] { return line.keeper().valid_for() > 0ms; });
  }
  template <class Done>
  bool run_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io.run_one_for(50ms);
      io.restart();
    }
    return true;
  }
  // Lets whatever is due come.
  void settle() {
    while (io.poll() > 0) io.restart();
    io.restart();
  }
  void ask(Asked& asked, std::uint64_t request) {
    line.ask(request, {"a", Want::exclusive, ""},
             [&asked](std::error_code error, const std::string&, const detail::Holding& holding) {
               asked = {error, holding};
             });
  }
  bool is_granted(const Asked& asked) {
    return run_until([&] { return asked.error.has_value(); }) && !*asked.error;
  }

  Loop io;
  FakeServer server{io};
  Line line{io, server, 1s};
  Asked first, second;
};

TEST_F(LineTest, LetsInOneAfterTheOther) {
  ask(first, 1);
  ask(second, 2);
  EXPECT_TRUE(is_granted(first));
  settle();
  EXPECT_FALSE(second.error.has_value());
  line.give_back(1);
  EXPECT_TRUE(is_granted(second));
  EXPECT_LT(first.holding.fence, second.holding.fence);
}

TEST_F(LineTest, ALostAnswerToAJoinTakesNoSecondPlace) {
  for (const auto loss : {FakeServer::Loss::request, FakeServer::Loss::answer}) {
    server.joins = 0;
    server.next_join = loss;
    Asked asked;
    const std::uint64_t request = loss == FakeServer::Loss::request ? 1 : 2;
    ask(asked, request);
    EXPECT_TRUE(is_granted(asked));
    EXPECT_EQ(server.joins, 2);
    EXPECT_EQ(server.lines["a"].size(), 1u);
    line.give_back(request);
    EXPECT_TRUE(run_until([&] { return server.lines["a"].empty(); }));
  }
}

TEST_F(LineTest, ALostAnswerToALeaveIsAskedForAgain) {
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.next_leave = FakeServer::Loss::request;
  line.give_back(1);
  EXPECT_TRUE(run_until([&] { return server.lines["a"].empty(); }));
  EXPECT_EQ(server.leaves, 2);
}

TEST_F(LineTest, OneThatIsCalledOffWhileItJoinsLeavesAgain) {
  server.next_join = FakeServer::Loss::answer;
  ask(first, 1);
  line.cancel(1);
  EXPECT_EQ(first.error, std::error_code{Errc::cancelled}) << "at once";
  EXPECT_TRUE(run_until([&] { return server.leaves == 1; }));
  EXPECT_TRUE(server.lines["a"].empty());
}

TEST_F(LineTest, AWaiterWhoseSessionIsOverBeginsAnewBehindOthers) {
  server.add("a", "other");
  ask(first, 1);
  ASSERT_TRUE(run_until([&] { return !server.watches["other"].empty(); }));
  server.end(server.sessions);
  server.add("a", "later");
  ASSERT_TRUE(run_until([&] { return server.lines["a"].size() == 3; }));
  EXPECT_EQ(server.sessions, 2u);
  server.remove("a", "other");
  settle();
  EXPECT_FALSE(first.error.has_value());
  server.remove("a", "later");
  EXPECT_TRUE(is_granted(first));
}

TEST_F(LineTest, AHolderWhoseSessionIsOverIsTold) {
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  EXPECT_FALSE(first.holding.lost.stop_requested());
  server.end(server.sessions);
  EXPECT_TRUE(run_until([&] { return first.holding.lost.stop_requested(); }));
  ask(second, 2);
  EXPECT_TRUE(is_granted(second));
  line.give_back(1);
  settle();
  EXPECT_FALSE(second.holding.lost.stop_requested());
  EXPECT_EQ(server.lines["a"].size(), 1u) << "what was given back was nobody else's";
}

TEST_F(LineTest, AHolderIsToldBeforeASessionThatIsNotRenewedIsOver) {
  const auto begun = std::chrono::steady_clock::now();
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.renews = false;
  EXPECT_TRUE(run_until([&] { return first.holding.lost.stop_requested(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 800ms) << "but not much before";
  EXPECT_EQ(line.keeper().valid_for(), 0ms);
}

TEST_F(LineTest, AWaiterKeepsItsPlaceThroughASilenceAndIsNotLetInDuringOne) {
  server.add("a", "other");
  ask(first, 1);
  ASSERT_TRUE(run_until([&] { return !server.watches["other"].empty(); }));
  server.renews = false;
  ASSERT_TRUE(run_until([&] { return line.keeper().valid_for() == 0ms; }));
  server.remove("a", "other");
  settle();
  EXPECT_FALSE(first.error.has_value()) << "nobody knows whether its session is over";
  server.renews = true;
  EXPECT_TRUE(is_granted(first));
  EXPECT_EQ(server.sessions, 1u);
  EXPECT_GT(line.keeper().valid_for(), 0ms);
}

TEST_F(LineTest, AHolderWhosePlaceIsDeletedIsToldWithTheNextRenewal) {
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.lines["a"].clear();
  EXPECT_TRUE(run_until([&] { return first.holding.lost.stop_requested(); }));
}

TEST_F(LineTest, WhoseTimeIsOverHearsWhetherSomebodyElseHasIt) {
  server.add("a", "other");
  ask(first, 1);
  line.time_is_over(1);  // Its answer is on its way.
  EXPECT_TRUE(run_until([&] { return first.error.has_value(); }));
  EXPECT_EQ(*first.error, Errc::timed_out);
  EXPECT_TRUE(run_until([&] { return server.lines["a"].size() == 1; }));
  server.remove("a", "other");
  ask(second, 2);
  line.time_is_over(2);
  EXPECT_TRUE(is_granted(second));
}

TEST_F(LineTest, ANumberIsUsedAgainOnlyIfItsPlaceWasSurelyLeft) {
  server.reuses = true;
  std::vector<std::string> places;
  const auto enter_and_leave = [&](std::uint64_t request) {
    Asked asked;
    ask(asked, request);
    ASSERT_TRUE(is_granted(asked));
    places.push_back(server.lines["a"].front().place);
    line.give_back(request);
    ASSERT_TRUE(run_until([&] { return server.lines["a"].empty(); }));
    settle();
  };
  enter_and_leave(1);
  enter_and_leave(2);
  server.next_join = FakeServer::Loss::request;  // It may still come.
  enter_and_leave(3);
  enter_and_leave(4);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[1], places[2]);
  EXPECT_NE(places[2], places[3]);
  server.end(server.sessions);
  enter_and_leave(5);
  EXPECT_EQ(server.sessions, 2u);
}

TEST_F(LineTest, OneThatComesBackDoesNotStandBehindItself) {
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.next_leave = FakeServer::Loss::request;
  line.give_back(1);
  ask(second, 2);
  EXPECT_TRUE(is_granted(second));
  EXPECT_EQ(server.leaves, 2);
  EXPECT_EQ(server.waits, 0);
}

TEST_F(LineTest, OneThatComesBackForAMomentIsNotTurnedAwayByItself) {
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.next_leave = FakeServer::Loss::request;
  line.give_back(1);
  ask(second, 2);
  line.time_is_over(2);
  EXPECT_TRUE(is_granted(second));
}

TEST_F(LineTest, WhoStandsRightBehindOneOfOursNeedsNoServerToTell) {
  ask(first, 1);
  ask(second, 2);
  ASSERT_TRUE(is_granted(first));
  ASSERT_TRUE(run_until([&] { return server.waits == 1; }));
  server.tells = false;
  const int looks = server.looks;
  line.give_back(1);
  EXPECT_TRUE(is_granted(second));
  EXPECT_EQ(server.looks, looks);
}

TEST_F(LineTest, AnAnswerThatComesAfterTheOneBeforeHasLeftIsUnderstood) {
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.holds_joins_back = true;
  server.tells = false;
  ask(second, 2);
  ASSERT_TRUE(run_until([&] { return server.late_joins.size() == 1; }));
  line.give_back(1);
  settle();
  EXPECT_EQ(server.lines["a"].size(), 1u);
  server.late_joins[0]();
  EXPECT_TRUE(is_granted(second));
  EXPECT_EQ(server.waits, 0);
}

TEST_F(LineTest, WhoReleasesAndAsksAgainAsksOnce) {
  server.has_rejoin = true;
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.add("a", "other");
  line.give_back(1);
  ask(second, 2);
  ASSERT_TRUE(run_until([&] { return server.waits == 1; }));
  EXPECT_FALSE(second.error.has_value()) << "the other one came first";
  EXPECT_EQ(server.joins, 1);
  EXPECT_EQ(server.leaves, 0);
  EXPECT_EQ(server.rejoin_calls, 1);
  server.remove("a", "other");
  EXPECT_TRUE(is_granted(second));
  EXPECT_LT(first.holding.fence, second.holding.fence);
  line.give_back(2);
  EXPECT_TRUE(run_until([&] { return server.lines["a"].empty(); })) << "nobody asks again";
  EXPECT_EQ(server.leaves, 1);
}

TEST_F(LineTest, ALostAnswerToBothLeavesNothingBehind) {
  server.has_rejoin = true;
  std::uint64_t request = 0;
  for (const auto loss : {FakeServer::Loss::request, FakeServer::Loss::answer}) {
    Asked before, after;
    ask(before, ++request);
    ASSERT_TRUE(is_granted(before));
    server.next_rejoin = loss;
    line.give_back(request);
    ask(after, ++request);
    EXPECT_TRUE(is_granted(after));
    EXPECT_TRUE(run_until([&] { return server.lines["a"].size() == 1; }));
    line.give_back(request);
    EXPECT_TRUE(run_until([&] { return server.lines["a"].empty(); }));
    settle();
  }
  EXPECT_EQ(server.rejoin_calls, 2);
}

// Somebody has deleted it: then it is not left, but the next one may come.
TEST_F(LineTest, OneThatIsNotThereAnyMoreDoesNotKeepTheNextOut) {
  server.has_rejoin = true;
  ask(first, 1);
  ASSERT_TRUE(is_granted(first));
  server.lines["a"].clear();
  line.give_back(1);
  ask(second, 2);
  EXPECT_TRUE(is_granted(second));
  EXPECT_EQ(server.lines["a"].size(), 1u);
}

// It gave up while it waited: others are before it.
TEST_F(LineTest, WhoStandsBehindOneThatGivesUpIsNotLetIn) {
  server.add("a", "other");
  ask(first, 1);
  ask(second, 2);
  ASSERT_TRUE(run_until([&] { return server.waits == 2; }));
  line.cancel(1);
  ASSERT_TRUE(run_until([&] { return server.lines["a"].size() == 2; }));
  settle();
  EXPECT_FALSE(second.error.has_value());
  server.remove("a", "other");
  EXPECT_TRUE(is_granted(second));
}

// It was first with another session, and is not any more.
TEST_F(LineTest, WhoStandsBehindOneThatWasFirstOnceIsNotLetIn) {
  server.add("a", "other");
  ask(first, 1);
  ASSERT_TRUE(run_until([&] { return server.waits == 1; }));
  server.renews = false;
  ASSERT_TRUE(run_until([&] { return line.keeper().valid_for() == 0ms; }));
  server.remove("a", "other");
  settle();
  ASSERT_FALSE(first.error.has_value()) << "first, but the session is in doubt";
  server.add("a", "later");
  server.end(server.sessions);
  server.renews = true;
  ask(second, 2);
  ASSERT_TRUE(run_until([&] { return server.lines["a"].size() == 3; }));
  settle();
  line.cancel(1);
  ASSERT_TRUE(run_until([&] { return server.lines["a"].size() == 2; }));
  settle();
  EXPECT_FALSE(second.error.has_value()) << "the later one has it";
  server.remove("a", "later");
  EXPECT_TRUE(is_granted(second));
}

TEST_F(LineTest, OneThatGoesWakesOnlyTheNext) {
  server.add("a", "other");
  ask(first, 1);
  ask(second, 2);
  ASSERT_TRUE(run_until([&] { return server.watches.size() >= 2; }));
  EXPECT_EQ(server.watches["other"].size(), 1u);
  line.cancel(1);
  ASSERT_TRUE(run_until([&] { return server.watches["other"].size() == 1 && server.leaves == 1; }));
  settle();
  EXPECT_FALSE(second.error.has_value()) << "the one before that is still there";
  server.remove("a", "other");
  EXPECT_TRUE(is_granted(second));
}

// As a gateway ends it: what a request that pauses still hears, that it is cancelled, comes too
// late.
TEST(Line, EndsWithItsLoop) {
  Loop io;
  FakeServer server{io};
  auto line = std::make_unique<Line>(io, server, 1s);
  line->start([](const std::string&) {});
  io.poll();
  server.next_join = FakeServer::Loss::request;
  line->ask(1, {"a", Want::exclusive, ""}, [](const auto&...) {});
  io.poll();
  io.post([&] {
    line.reset();
    io.stop();
  });
  io.run();
  EXPECT_EQ(server.joins, 1);
}

}  // namespace
}  // namespace hapax::direct
