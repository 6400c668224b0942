// Locks between three members of one process over loopback TCP, beside the bare limit of the same
// machine in the same run: raw sockets that carry as many bytes the same way, and std::mutex.
//
//   locks_bench [ROUNDS [WHAT]]     5 by default; medians are printed
//
// WHAT is one of uncontended, hand-off, threads, async, daemons, kept.
//
// Start it with `taskset -c 0` for all threads on one core, and without for any core; the two are
// different experiments, and bench/locks does both.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/boot_clock.h"
#include "base/check.h"
#include "base/testing/folder.h"
#include "base/testing/free_port.h"
#include "daemon/daemon_thread.h"
#include "hapax/hapax.h"

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_each(int times, const std::function<void()>& f) {
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) f();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / times;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// --- raw sockets ---

constexpr std::size_t kMessage = 24;  // About what a request costs on the wire.
using Message = std::array<char, kMessage>;

std::pair<int, int> tcp_pair() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  HAPAX_CHECK(bind(listener, reinterpret_cast<sockaddr*>(&where), size) == 0);
  HAPAX_CHECK(listen(listener, 1) == 0);
  HAPAX_CHECK(getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size) == 0);
  const int one = socket(AF_INET, SOCK_STREAM, 0);
  HAPAX_CHECK(connect(one, reinterpret_cast<sockaddr*>(&where), size) == 0);
  const int other = accept(listener, nullptr, nullptr);
  close(listener);
  const int on = 1;
  for (const int fd : {one, other}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return {one, other};
}

bool read_all(int fd, Message& message) {
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t count = recv(fd, message.data() + done, message.size() - done, 0);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}
void write_all(int fd, const Message& message) {
  HAPAX_CHECK(send(fd, message.data(), message.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(message.size()));
}

// A peer that sends back whatever comes.
class Echo {
 public:
  Echo() {
    const auto [mine, yours] = tcp_pair();
    fd_ = mine;
    thread_ = std::thread{[fd = yours] {
      Message message;
      while (read_all(fd, message)) write_all(fd, message);
      close(fd);
    }};
  }
  ~Echo() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  std::thread thread_;
};

// --- members ---

class Group {
 public:
  explicit Group(const std::string& algorithm) {
    hapax::NodeOptions options;
    options.default_algorithm = algorithm;
    options.insecure = true;  // TCP is what is measured.
    options.new_group = true;
    for (int i = 0; i < 3; ++i)
      options.members.push_back(fmt::format("127.0.0.1:{}", hapax::testing::free_port()));
    for (; options.self <= 3; ++options.self) {
      options.state = (folder_ / fmt::format("state-{}", options.self)).string();
      nodes_.push_back(std::make_unique<hapax::Node>(options));
    }
    for (int i = 0; i < 1000; ++i) {
      const bool complete = std::all_of(nodes_.begin(), nodes_.end(),
                                        [](const auto& node) { return node->is_complete(); });
      if (complete) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    std::fputs("locks_bench: the members do not find each other\n", stderr);
    std::exit(1);
  }
  hapax::Node& operator[](std::size_t i) { return *nodes_[i]; }

 private:
  const hapax::testing::Folder folder_;
  std::vector<std::unique_ptr<hapax::Node>> nodes_;
};

void report(const char* what, const std::vector<double>& ours, const std::vector<double>& limit,
            const char* unit, double goal) {
  const double ratio = median(ours) / median(limit);
  fmt::print("{:<46} {:>10.3f} {:>10.3f} {:<3} {:>6.2f}x   goal {}x{}\n", what, median(ours),
             median(limit), unit, ratio, goal, ratio <= goal ? "" : "   MISSED");
}

// Ask two peers and wait for both.
void uncontended(int rounds) {
  Group group{"ricart-agrawala"};
  hapax::Mutex mutex{group[0], "one"};
  Echo a;
  Echo b;
  std::vector<double> ours;
  std::vector<double> raw;
  for (int r = 0; r < rounds; ++r) {
    raw.push_back(microseconds_each(2'000, [&] {
      Message message{};
      write_all(a.fd(), message);
      write_all(b.fd(), message);
      read_all(a.fd(), message);
      read_all(b.fd(), message);
    }));
    ours.push_back(microseconds_each(2'000, [&] {
      mutex.lock();
      mutex.unlock();
    }));
  }
  report("ricart-agrawala, nobody else: lock+unlock", ours, raw, "us", 1.25);
}

// What a holder does, or one who is about to write. The other waits for it meanwhile, and is asleep
// by the end: a member stays awake for 50 us.
enum class Holder { computes, sleeps };
void stay_inside(Holder holder) {
  constexpr std::chrono::microseconds kTime{200};
  // Yielding would lose to other programs.
  if (holder == Holder::sleeps) return std::this_thread::sleep_for(kTime);
  for (const auto end = Clock::now() + kTime; Clock::now() < end;) {
  }
}

// One thread waits in a read, another writes after what a holder does: from the beginning of the
// write to the end of the read, in microseconds.
double raw_hop(Holder holder) {
  constexpr int kHops = 1'000;
  const auto [here, there] = tcp_pair();
  Clock::duration under_way{};
  std::atomic<int> arrived{0};
  std::array<Clock::time_point, kHops> leaving;
  std::thread reader{[&, fd = there] {
    for (int i = 0; i < kHops; ++i) {
      Message message{};
      HAPAX_CHECK(read_all(fd, message));
      under_way += Clock::now() - leaving[static_cast<std::size_t>(i)];
      arrived = i + 1;
    }
  }};
  for (int i = 0; i < kHops; ++i) {
    do {
      stay_inside(holder);
    } while (arrived < i);
    leaving[static_cast<std::size_t>(i)] = Clock::now();
    write_all(here, Message{});
  }
  reader.join();
  for (const int fd : {here, there}) close(fd);
  return std::chrono::duration<double, std::micro>(under_way).count() / kHops;
}

// Two members pass a lock to and fro: time from the beginning of one's unlock() to the end of the
// lock() in which the other has been waiting, in microseconds.
double hand_off(Group& group, Holder holder) {
  constexpr int kHandOffs = 1'000;
  std::array<std::atomic<bool>, 2> waits{};
  std::atomic<int> left{kHandOffs};
  // Guarded by the lock.
  Clock::time_point leaving;
  Clock::duration under_way{};
  std::size_t last = 2;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      hapax::Mutex mutex{group[i], "one"};
      while (left > 0) {
        waits[i] = true;
        mutex.lock();
        waits[i] = false;
        // Nothing says that the other is next: it may have lost the race.
        if (last == 1 - i) {
          under_way += Clock::now() - leaving;
          --left;
        }
        last = i;
        do {
          stay_inside(holder);
        } while (!waits[1 - i] && left > 0);
        leaving = Clock::now();
        mutex.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::chrono::duration<double, std::micro>(under_way).count() / kHandOffs;
}

// Each holder beside a raw hop from one that does the same; and the first also beside a hop between
// two that do nothing else, and never sleep for long.
void hand_offs(int rounds) {
  Group group{"naimi-trehel"};
  Echo peer;
  std::array<std::vector<double>, 2> ours;
  std::array<std::vector<double>, 2> raw;
  std::vector<double> hot;
  for (int r = 0; r < rounds; ++r) {
    for (const Holder holder : {Holder::computes, Holder::sleeps}) {
      const auto at = static_cast<std::size_t>(holder);
      raw[at].push_back(raw_hop(holder));
      ours[at].push_back(hand_off(group, holder));
    }
    hot.push_back(microseconds_each(2'000,
                                    [&] {
                                      Message message{};
                                      write_all(peer.fd(), message);
                                      read_all(peer.fd(), message);
                                    }) /
                  2);
  }
  report("naimi-trehel: hand-off, the holder computes", ours[0], raw[0], "us", 2);
  report("naimi-trehel: hand-off, the holder sleeps", ours[1], raw[1], "us", 2);
  report("  the first beside a hop to and fro at once", ours[0], hot, "us", 2);
}

void report_rate(const std::string& what, const std::vector<double>& rates, double goal = 1e6) {
  fmt::print("{:<46} {:>10.0f} pairs/s           goal {:.0f}{}\n", what, median(rates), goal,
             median(rates) >= goal ? "" : "   MISSED");
}

constexpr std::size_t kClients = 64;

// 64 threads, spread over the members, each with a lock of its own.
void many_threads(const std::string& algorithm, int rounds) {
  Group group{algorithm};
  std::vector<double> rates;
  for (int r = 0; r < rounds; ++r) {
    constexpr int kEach = 300;
    const auto begin = Clock::now();
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kClients; ++t) {
      threads.emplace_back([&, t] {
        hapax::Mutex mutex{group[t % 3], fmt::format("lock-{}", t)};
        for (int k = 0; k < kEach; ++k) {
          mutex.lock();
          mutex.unlock();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    rates.push_back(kClients * kEach / seconds);
  }
  report_rate(fmt::format("{}, 64 threads, each its lock", algorithm), rates);
}

// 64 clients without a thread each: they unlock and ask again as soon as they are granted.
class AsyncClient {
 public:
  template <class Way>
  AsyncClient(Way& way, const std::string& name, int times, std::latch& over)
      : mutex_(way, name), left_(times), over_(over) {}
  void ask() {
    mutex_.async_acquire([this](std::error_code error) {
      HAPAX_CHECK(!error);
      mutex_.unlock();
      if (--left_ > 0) return ask();
      over_.count_down();
    });
  }

 private:
  hapax::Mutex mutex_;
  int left_;
  std::latch& over_;
};

// `way(i)` is the i-th client's node or daemon.
template <class Way>
void many_async(const std::string& what, int rounds, int each, Way way) {
  std::vector<double> rates;
  for (int r = 0; r < rounds; ++r) {
    std::latch over{kClients};
    std::vector<std::unique_ptr<AsyncClient>> clients;
    for (std::size_t i = 0; i < kClients; ++i) {
      clients.push_back(
          std::make_unique<AsyncClient>(way(i), fmt::format("lock-{}", i), each, over));
    }
    const auto begin = Clock::now();
    for (const auto& client : clients) client->ask();
    over.wait();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    rates.push_back(static_cast<double>(kClients) * each / seconds);
  }
  report_rate(what, rates);
}

void many_async_members(const std::string& algorithm, int rounds) {
  Group group{algorithm};
  many_async(fmt::format("{}, 64 async, each its lock", algorithm), rounds, 5'000,
             [&](std::size_t i) -> hapax::Node& { return group[i % 3]; });
}

// Three daemons, each with a thread of its own, that clients reach by Unix sockets.
class Daemons {
 public:
  explicit Daemons(const std::string& algorithm) {
    hapax::NodeConfig config;
    config.policy = hapax::Policy::parse(algorithm, {}).value();
    for (std::uint32_t i = 0; i < 3; ++i) config.members.push_back(at("member", i));
    for (std::uint32_t i = 0; i < 3; ++i) {
      config.self = hapax::Seat{i};
      config.clients = {at("clients", i)};
      config.state.path = at("state", i).path;
      config.state.is_new_group = true;
      daemons_.push_back(hapax::DaemonThread::start(config, {}).value());
    }
  }
  std::string address(std::size_t i) const {
    return at("clients", static_cast<std::uint32_t>(i % 3)).text();
  }

 private:
  hapax::net::Address at(const std::string& name, std::uint32_t i) const {
    return {.host = "", .port = 0, .path = (folder_ / fmt::format("{}-{}", name, i)).string()};
  }

  const hapax::testing::Folder folder_;
  std::vector<std::unique_ptr<hapax::DaemonThread>> daemons_;
};

// 64 connections, each with a lock of its own and a thread that asks again as soon as it reads that
// it was granted.
void many_through_daemons(const std::string& algorithm, int rounds) {
  const Daemons daemons{algorithm};
  std::vector<std::unique_ptr<hapax::Client>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<hapax::Client>(daemons.address(i)));
  }
  many_async(fmt::format("{}, 64 through daemons", algorithm), rounds, 500,
             [&](std::size_t i) -> hapax::Client& { return *clients[i]; });
}

// A client's lock that stays with it. Beside it, the least that it can do: a mutex of this process,
// and a look at the clock of leases.
void kept_by_clients(int rounds) {
  const Daemons daemons{"carvalho-roucairol"};
  hapax::Client client{daemons.address(0)};
  hapax::Mutex mutex{client, "one"};
  std::mutex plain;
  std::vector<double> ours;
  std::vector<double> raw;
  std::int64_t seen = 0;
  for (int r = 0; r < rounds; ++r) {
    raw.push_back(1000 * microseconds_each(1'000'000, [&] {
                    plain.lock();
                    seen += hapax::boot_clock_now().count();
                    plain.unlock();
                  }));
    ours.push_back(1000 * microseconds_each(1'000'000, [&] {
                     mutex.lock();
                     mutex.unlock();
                   }));
  }
  HAPAX_CHECK(seen != 0);
  report("a client of a daemon, again: lock+unlock", ours, raw, "ns", 3);
}

// 64 clients, each with a connection and a thread of its own, and a lock that stays with it.
void many_kept_by_clients(int rounds) {
  const Daemons daemons{"carvalho-roucairol"};
  std::vector<double> rates;
  for (int r = 0; r < rounds; ++r) {
    constexpr int kEach = 100'000;
    std::atomic<std::size_t> ready{0};
    std::latch go{1};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kClients; ++t) {
      threads.emplace_back([&, t] {
        hapax::Client client{daemons.address(t)};
        hapax::Mutex mutex{client, fmt::format("lock-{}", t)};
        ++ready;
        go.wait();
        for (int k = 0; k < kEach; ++k) {
          mutex.lock();
          mutex.unlock();
        }
      });
    }
    while (ready < kClients) std::this_thread::yield();
    const auto begin = Clock::now();
    go.count_down();
    for (std::thread& thread : threads) thread.join();
    rates.push_back(kClients * kEach / std::chrono::duration<double>(Clock::now() - begin).count());
  }
  report_rate("64 clients of daemons, kept", rates, 5e6);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  if (rounds < 5 || rounds > 1000) {
    std::fputs("locks_bench: ROUNDS must be 5 … 1000\n", stderr);
    return 2;
  }
  const std::string only = argc > 2 ? argv[2] : "";
  const auto wants = [&](const char* what) { return only.empty() || only == what; };
  fmt::print("{:<46} {:>10} {:>10}\n", "medians", "hapax", "bare limit");
  if (wants("uncontended")) uncontended(rounds);
  if (wants("hand-off")) hand_offs(rounds);
  if (wants("threads")) many_threads("ricart-agrawala", rounds);
  if (wants("threads")) many_threads("carvalho-roucairol", rounds);
  if (wants("async")) many_async_members("ricart-agrawala", rounds);
  if (wants("async")) many_async_members("carvalho-roucairol", rounds);
  if (wants("daemons")) many_through_daemons("ricart-agrawala", rounds);
  if (wants("daemons")) many_through_daemons("carvalho-roucairol", rounds);
  if (wants("kept")) kept_by_clients(rounds);
  if (wants("kept")) many_kept_by_clients(rounds);
}
