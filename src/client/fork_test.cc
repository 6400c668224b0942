// What the handles of a program are worth in a child that it forks: nothing, and the parent's stay
// what they were. And what a program that it starts inherits of them: nothing either.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;

// Of a child: what was wrong there.
class Complaints {
 public:
  void expect(bool is_so, const char* what) {
    if (!is_so) text_ += fmt::format("not so: {}\n", what);
  }
  // Whether it throws Errc::forked.
  template <class F>
  void expect_forked(F call, const char* what) {
    try {
      call();
      text_ += fmt::format("{} did not throw\n", what);
    } catch (const std::system_error& e) {
      if (e.code() != Errc::forked) text_ += fmt::format("{} threw {}\n", what, e.what());
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

#define EXPECT_THERE(complaints, is_so) (complaints).expect((is_so), #is_so)
#define EXPECT_FORKED(complaints, call) (complaints).expect_forked([&] { (void)(call); }, #call)

// Runs `f` in a child and returns what it complained about, or that it did not come to its end.
std::string in_child(const std::function<void(Complaints&)>& f) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    Complaints complaints;
    f(complaints);
    const std::string text = complaints.text() + "end";
    (void)!write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char room[4096];
  for (ssize_t count = 0; (count = read(ends[0], room, sizeof room)) > 0;) {
    text.append(room, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : fmt::format("{}…, then ended with {:#x}", text, status);
}

class Forked : public ::testing::Test {
 protected:
  Forked() {
    for (std::uint32_t i = 0; i < 2; ++i) {
      nodes_.push_back(std::make_unique<Node>(
          NodeOptions{.self = i + 1,
                      .members = {at("member-0"), at("member-1")},
                      .state = (folder_ / fmt::format("state-{}", i)).string(),
                      .new_group = true,
                      .clients = {at(fmt::format("clients-{}", i))},
                      .algorithms = {"reports/*=readers-writers", "pool/*=semaphore-ra:2"}}));
    }
  }
  std::string at(const std::string& name) const { return "unix:" + (folder_ / name).string(); }

  // With `way` a Client or a Node.
  template <class Way>
  void check(std::unique_ptr<Way> way);

  const testing::Folder folder_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

// All that a program may have.
template <class Way>
struct Handles {
  explicit Handles(std::unique_ptr<Way> w)
      : way(std::move(w)),
        mutex(*way, "one"),
        reports(*way, "reports/1"),
        pool(*way, "pool/1"),
        election(*way, "lead"),
        observation(election.observe()) {
    for (int i = 0; i < 2; ++i) {  // A member's second time takes no message.
      mutex.lock();
      if (i == 0) mutex.unlock();
    }
    reports.lock_shared();
    pool.acquire();
    election.campaign("me");
  }

  void expect_forked(Complaints& c) {
    const auto soon = Mutex::Clock::now() + 10s;
    EXPECT_THERE(c, mutex.lost().stop_requested());
    EXPECT_THERE(c, mutex.valid_for() == 0ms);
    EXPECT_FORKED(c, mutex.fence());
    mutex.unlock();
    mutex.unlock();
    EXPECT_FORKED(c, mutex.lock());
    EXPECT_FORKED(c, mutex.try_lock());
    EXPECT_THERE(c, mutex.acquire_until(soon, {}) == Errc::forked);
    std::error_code told;
    mutex.async_acquire([&](std::error_code error) { told = error; });
    EXPECT_THERE(c, told == Errc::forked);
    EXPECT_THERE(c, reports.lost().stop_requested());
    EXPECT_THERE(c, reports.valid_for() == 0ms);
    EXPECT_FORKED(c, reports.fence());
    reports.unlock_shared();
    reports.unlock();
    EXPECT_FORKED(c, reports.lock());
    EXPECT_THERE(c, reports.acquire_shared_until(soon, {}) == Errc::forked);
    EXPECT_THERE(c, pool.lost().stop_requested());
    pool.release();
    EXPECT_FORKED(c, pool.acquire());
    EXPECT_THERE(c, !election.is_leader());
    EXPECT_THERE(c, election.lost().stop_requested());
    EXPECT_THERE(c, election.valid_for() == 0ms);
    EXPECT_THERE(c, election.hand_over("you") == Errc::forked);
    EXPECT_THERE(c, election.campaign_until("me", soon, {}) == Errc::forked);
    EXPECT_THERE(c, election.ask_to_resign() == Errc::forked);
    EXPECT_FORKED(c, election.fence());
    EXPECT_FORKED(c, election.leader());
    EXPECT_FORKED(c, election.observe());
    election.resign();
    EXPECT_THERE(c, !observation.next_until(soon).has_value());
    EXPECT_THERE(c, observation.is_lost());
    EXPECT_FORKED(c, way->status());
    EXPECT_FORKED(c, way->stats());
    EXPECT_FORKED(c, way->who());
    EXPECT_FORKED(c, way->leave_group(0ms));
    Mutex later{*way, "later"};
    EXPECT_FORKED(c, later.lock());
  }
  void expect_held() {
    EXPECT_FALSE(mutex.lost().stop_requested());
    EXPECT_FALSE(reports.lost().stop_requested());
    EXPECT_TRUE(election.is_leader());
    EXPECT_GT(mutex.valid_for(), 0ms);
  }

  std::unique_ptr<Way> way;
  Mutex mutex;
  SharedMutex reports;
  Semaphore pool;
  Election election;
  Election::Observation observation;
};

template <class Way>
void Forked::check(std::unique_ptr<Way> way) {
  std::optional<Handles<Way>> handles{std::in_place, std::move(way)};
  EXPECT_EQ(in_child([&](Complaints& c) {
              handles->expect_forked(c);
              // One of its own works, and shows that the parent has what it had.
              Client own{at("clients-1")};
              Mutex same{own, "one"};
              EXPECT_THERE(c, !same.try_lock());
              SharedMutex writer{own, "reports/1"};
              EXPECT_THERE(c, !writer.try_lock());
              handles.reset();
              EXPECT_THERE(c, !same.try_lock());
            }),
            "end");
  handles->expect_held();
  Client other{at("clients-1")};
  Mutex same{other, "one"};
  EXPECT_FALSE(same.try_lock());
  handles->mutex.unlock();
  EXPECT_TRUE(same.try_lock_for(10s));
  same.unlock();
}

TEST_F(Forked, AClientsHandlesAreLostInTheChildAndTheParentsAsBefore) {
  check(std::make_unique<Client>(at("clients-0")));
}
TEST_F(Forked, ANodesHandlesAreLostInTheChildAndTheParentsAsBefore) { check(std::move(nodes_[0])); }

// Whatever the parent's other threads are doing at that moment.
TEST_F(Forked, HandlesDoNotHangInTheChild) {
  std::optional<Handles<Client>> handles{std::in_place, std::make_unique<Client>(at("clients-0"))};
  std::atomic<bool> is_over = false;
  std::stop_source stop;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        handles->reports.lock_shared();
        handles->reports.unlock_shared();
        (void)handles->election.is_leader();
      }
    });
  }
  threads.emplace_back([&] {
    while (handles->observation.next(stop.get_token())) {
    }
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(in_child([&](Complaints& c) {
                EXPECT_THERE(c, handles->reports.lost().stop_requested());
                handles->reports.unlock_shared();
                EXPECT_THERE(c, !handles->election.is_leader());
                EXPECT_THERE(c, handles->observation.is_lost());
                handles.reset();
              }),
              "end");
  }
  is_over = true;
  stop.request_stop();
  for (std::thread& thread : threads) thread.join();
}

// What a program has open that this process starts, but for what it opens itself.
std::vector<std::string> inherited() {
  const std::unique_ptr<FILE, int (*)(FILE*)> listing{
      popen("for f in /proc/self/fd/*; do readlink $f; done", "re"), pclose};
  std::string text;
  char room[4096];
  while (std::fgets(room, sizeof room, listing.get()) != nullptr) text += room;
  std::vector<std::string> all;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("socket:") || line.starts_with("anon_inode:") || line.starts_with("/")) {
      if (!line.starts_with("/proc/")) all.push_back(line);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Started, ProgramsInheritNothing) {
  const testing::Folder folder;
  const std::vector<std::string> before = inherited();
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Client>> clients;
  for (const int i : {0, 1}) {
    const std::string socket = fmt::format("unix:{}/clients-{}", folder.path().string(), i);
    nodes.push_back(std::make_unique<Node>(
        NodeOptions{.engine = "embedded:" + (folder / "group.db").string(),
                    .listen = fmt::format("unix:{}/member-{}", folder.path().string(), i),
                    .name = fmt::format("node-{}", i),
                    .clients = {socket}}));
    clients.push_back(std::make_unique<Client>(socket));
  }
  EXPECT_TRUE(eventually([&] {
    return nodes[0]->is_complete() && nodes[1]->is_complete() && nodes[0]->status().size == 2;
  }));
  Mutex mutex{*clients[0], "one"};
  mutex.lock();
  EXPECT_EQ(inherited(), before);
}

}  // namespace
}  // namespace hapax
