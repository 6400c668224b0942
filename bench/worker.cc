// One client of `hapax bench`: a process with a connection of its own, which takes a lock and gives
// it back, again and again.
//
//   bench_worker KIND ADDRESS NAME SECONDS [SHARED]
//   bench_worker KIND ADDRESS NAME hold          enters once, says when, and stays inside
//   bench_worker KIND ADDRESS NAME hold COUNT    NAME-0 … of hapax or Redis, all at once
//   bench_worker bare-server PATH                what the kind `bare` is a client of
//
// Says `ready` when it is connected, begins when a line comes in, and prints what it measured as a
// line of JSON. SHARED is a file that all who contend for one lock have in common: the release of
// one to the entry of the next is measured over it.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <hiredis/hiredis.h>
#include <iostream>
#include <libpq-fe.h>
#include <map>
#include <memory>
#include <mutex>
#include <poll.h>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "bare_server.h"
#include "hapax/hapax.h"

namespace {

using Clock = std::chrono::steady_clock;

void require(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error{what};
}

class Lock {
 public:
  virtual ~Lock() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

// --- hapax, and whatever else a hapax::Client reaches ---

class Hapax final : public Lock {
 public:
  Hapax(const std::string& address, const std::string& name)
      : client_(address), mutex_(client_, name) {}
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }

 private:
  hapax::Client client_;
  hapax::Mutex mutex_;
};

// With a handle for each entry nothing stays: every lock is asked for.
class HapaxAnew final : public Lock {
 public:
  HapaxAnew(const std::string& address, std::string name)
      : client_(address), name_(std::move(name)) {}
  void lock() override { mutex_ = std::make_unique<hapax::Mutex>(client_, name_), mutex_->lock(); }
  void unlock() override { mutex_->unlock(), mutex_.reset(); }

 private:
  hapax::Client client_;
  std::string name_;
  std::unique_ptr<hapax::Mutex> mutex_;
};

// --- peers ---

// SET NX PX, and a script that deletes only what is its own; as its documentation has it.
class Redis final : public Lock {
 public:
  Redis(const std::string& address, std::string name, bool spins)
      : name_(std::move(name)),
        token_(fmt::format("{}-{}", getpid(), Clock::now().time_since_epoch().count())),
        spins_(spins) {
    const auto colon = address.rfind(':');
    redis_.reset(
        redisConnect(address.substr(0, colon).c_str(), std::atoi(address.c_str() + colon + 1)));
    require(redis_ && redis_->err == 0, "no Redis at " + address);
  }
  void take(const std::string& name) {
    require(ask("SET %s %s NX PX 300000", name.c_str(), token_.c_str()), "Redis: it is taken");
  }
  void lock() override {
    while (!ask("SET %s %s NX PX 30000", name_.c_str(), token_.c_str())) {
      // Redis tells nobody that a lock is free: one asks again.
      if (!spins_) std::this_thread::sleep_for(std::chrono::microseconds{prng_() % 1000});
    }
  }
  void unlock() override {
    require(ask("EVAL %s 1 %s %s",
                "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) "
                "else return 0 end",
                name_.c_str(), token_.c_str()),
            "Redis: the lock was gone");
  }

 private:
  template <class... Words>
  bool ask(const char* format, Words... words) {
    const std::unique_ptr<redisReply, void (*)(void*)> reply{
        static_cast<redisReply*>(redisCommand(redis_.get(), format, words...)), freeReplyObject};
    require(reply != nullptr && reply->type != REDIS_REPLY_ERROR, "Redis does not answer");
    return reply->type == REDIS_REPLY_STATUS || reply->integer == 1;
  }

  std::string name_, token_;
  bool spins_;
  std::minstd_rand prng_{static_cast<unsigned>(getpid())};
  std::unique_ptr<redisContext, decltype(&redisFree)> redis_{nullptr, redisFree};
};

class Postgres final : public Lock {
 public:
  Postgres(const std::string& address, const std::string& name)
      : key_(std::to_string(static_cast<std::int64_t>(std::hash<std::string>{}(name)))),
        connection_(PQconnectdb(address.c_str()), PQfinish) {
    require(PQstatus(connection_.get()) == CONNECTION_OK, PQerrorMessage(connection_.get()));
    for (const char* const what : {"lock", "unlock"}) {
      const std::string query = fmt::format("SELECT pg_advisory_{}($1::bigint)", what);
      done(PQprepare(connection_.get(), what, query.c_str(), 1, nullptr), PGRES_COMMAND_OK);
    }
  }
  void lock() override { ask("lock"); }
  void unlock() override { ask("unlock"); }

 private:
  void ask(const char* what) {
    const char* const values[] = {key_.c_str()};
    done(PQexecPrepared(connection_.get(), what, 1, values, nullptr, nullptr, 0), PGRES_TUPLES_OK);
  }
  void done(PGresult* result, ExecStatusType wanted) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> owned{result, PQclear};
    require(PQresultStatus(result) == wanted, PQerrorMessage(connection_.get()));
  }

  std::string key_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

// --- limits ---

class Flock final : public Lock {
 public:
  Flock(const std::string& folder, const std::string& name)
      : fd_(open((folder + "/" + name).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    require(fd_ >= 0, "cannot open a file in " + folder);
  }
  ~Flock() override { close(fd_); }
  void lock() override { require(flock(fd_, LOCK_EX) == 0, "flock"); }
  void unlock() override { require(flock(fd_, LOCK_UN) == 0, "flock"); }

 private:
  int fd_;
};

class StdMutex final : public Lock {
 public:
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// As many bytes as a request has, to so many processes at once and back, over Unix sockets.
class RoundTrip final : public Lock {
 public:
  explicit RoundTrip(int peers) {
    for (int i = 0; i < peers; ++i) {
      int ends[2];
      require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
      if (fork() == 0) {
        close(ends[0]);
        char bytes[kBytes];
        ssize_t count;
        while ((count = read(ends[1], bytes, sizeof bytes)) > 0) {
          if (write(ends[1], bytes, static_cast<std::size_t>(count)) != count) break;
        }
        _exit(0);
      }
      close(ends[1]);
      ends_.push_back(ends[0]);
    }
  }
  ~RoundTrip() override {
    for (const int end : ends_) close(end);
    while (wait(nullptr) > 0) {
    }
  }
  void lock() override {
    char bytes[kBytes] = {};
    for (const int end : ends_) require(write(end, bytes, kBytes) == kBytes, "write");
    for (const int end : ends_) {
      for (ssize_t left = kBytes; left > 0;) {
        const ssize_t count = read(end, bytes, static_cast<std::size_t>(left));
        require(count > 0, "read");
        left -= count;
      }
    }
  }
  void unlock() override {}

 private:
  static constexpr ssize_t kBytes = 24;
  std::vector<int> ends_;
};

// A client of bare_server.h.
class Bare final : public Lock {
 public:
  Bare(const std::string& path, const std::string& name)
      : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), lock_(std::hash<std::string>{}(name)) {
    const sockaddr_un address = hapax::bench::address_of(path);
    require(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
            "no server at " + path);
  }
  ~Bare() override { close(fd_); }
  void lock() override {
    say({0, lock_});
    // Not by a read that blocks: that one is also woken when the server reads.
    pollfd answer{fd_, POLLIN, 0};
    char yes;
    require(poll(&answer, 1, -1) == 1 && read(fd_, &yes, 1) == 1, "the server is gone");
  }
  void unlock() override { say({1, lock_}); }

 private:
  void say(const hapax::bench::BareMessage& message) {
    require(write(fd_, &message, sizeof message) == sizeof message, "the server is gone");
  }

  int fd_;
  std::uint64_t lock_;
};

std::unique_ptr<Lock> make(const std::string& kind, const std::string& at,
                           const std::string& name) {
  if (kind == "hapax") return std::make_unique<Hapax>(at, name);
  if (kind == "hapax-anew") return std::make_unique<HapaxAnew>(at, name);
  if (kind == "redis") return std::make_unique<Redis>(at, name, false);
  if (kind == "redis-spinning") return std::make_unique<Redis>(at, name, true);
  if (kind == "postgres") return std::make_unique<Postgres>(at, name);
  if (kind == "flock") return std::make_unique<Flock>(at, name);
  if (kind == "mutex") return std::make_unique<StdMutex>();
  if (kind == "bare") return std::make_unique<Bare>(at, name);
  if (kind == "round-trip") return std::make_unique<RoundTrip>(1);
  if (kind == "fan-out") return std::make_unique<RoundTrip>(2);
  throw std::runtime_error{"no kind " + kind};
}

// --- what is measured ---

std::int64_t now_ns() { return Clock::now().time_since_epoch().count(); }

// Written by whoever is inside, and so by one at a time.
struct LastRelease {
  std::int64_t at = 0;
  std::int64_t by = 0;
};

LastRelease* map_shared(const char* file) {
  const int fd = open(file, O_RDWR | O_CLOEXEC);
  require(fd >= 0, std::string{"cannot open "} + file);
  void* const at = mmap(nullptr, sizeof(LastRelease), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  require(at != MAP_FAILED, "mmap");
  return static_cast<LastRelease*>(at);
}

// Each of them, as long as there are not too many; then every second of them, every fourth, …
class Sample {
 public:
  void note(std::int64_t value) {
    if (count_++ % every_ != 0) return;
    values_.push_back(value);
    if (values_.size() < kMost) return;
    for (std::size_t i = 0; i < kMost / 2; ++i) values_[i] = values_[2 * i];
    values_.resize(kMost / 2);
    every_ *= 2;
  }
  // In microseconds; 0 of none.
  double at(double share) {
    if (values_.empty()) return 0;
    const auto nth = values_.begin() +
                     static_cast<std::ptrdiff_t>(share * static_cast<double>(values_.size() - 1));
    std::nth_element(values_.begin(), nth, values_.end());
    return static_cast<double>(*nth) / 1e3;
  }

 private:
  static constexpr std::size_t kMost = 1 << 16;
  std::vector<std::int64_t> values_;
  std::uint64_t count_ = 0, every_ = 1;
};

void say_ready() {
  std::puts("ready");
  std::fflush(stdout);
}
// Until a line comes in, or nobody is there any more.
bool is_told_to_go_on() {
  std::string line;
  return static_cast<bool>(std::getline(std::cin, line));
}

void hold(Lock& lock) {
  say_ready();
  require(is_told_to_go_on(), "not told to begin");
  lock.lock();
  fmt::print("{{\"entered_ns\": {}}}\n", now_ns());
  std::fflush(stdout);
  (void)is_told_to_go_on();
}

void hold_many(const std::string& kind, const std::string& at, const std::string& name, int count) {
  std::unique_ptr<hapax::Client> client;
  std::vector<std::unique_ptr<hapax::Mutex>> mutexes;
  std::unique_ptr<Redis> redis;
  if (kind == "hapax") {
    client = std::make_unique<hapax::Client>(at);
    for (int i = 0; i < count; ++i) {
      mutexes.push_back(std::make_unique<hapax::Mutex>(*client, fmt::format("{}-{}", name, i)));
      mutexes.back()->lock();
    }
  } else if (kind == "redis") {
    redis = std::make_unique<Redis>(at, name, false);
    for (int i = 0; i < count; ++i) redis->take(fmt::format("{}-{}", name, i));
  } else {
    throw std::runtime_error{"many locks are held by hapax and redis only"};
  }
  say_ready();
  (void)is_told_to_go_on();
}

// A look at the clock costs as much as a lock that stays: one for each thousand of those.
bool is_faster_than_a_clock(Lock& lock) {
  constexpr std::int64_t kFast = 2'000;
  lock.lock(), lock.unlock();
  for (int i = 0; i < 20; ++i) {
    const std::int64_t before = now_ns();
    lock.lock(), lock.unlock();
    if (now_ns() - before < kFast) return true;
  }
  return false;
}

void measure(Lock& lock, double seconds, LastRelease* shared) {
  const bool is_fast = is_faster_than_a_clock(lock) && shared == nullptr;
  say_ready();
  require(is_told_to_go_on(), "not told to begin");
  const std::int64_t begun = now_ns();
  const auto end = begun + static_cast<std::int64_t>(seconds * 1e9);
  Sample waits, hand_offs;
  std::uint64_t entries = 0;
  for (std::int64_t now = now_ns(); now < end;) {
    if (is_fast) {
      for (int i = 0; i < 1000; ++i) lock.lock(), lock.unlock();
      entries += 1000;
      const std::int64_t then = std::exchange(now, now_ns());
      waits.note((now - then) / 1000);
      continue;
    }
    lock.lock();
    const std::int64_t inside = now_ns();
    waits.note(inside - now);
    ++entries;
    if (shared != nullptr) {
      if (shared->by != 0 && shared->by != getpid()) hand_offs.note(inside - shared->at);
      shared->by = getpid();
      shared->at = now_ns();
    }
    lock.unlock();
    now = now_ns();
  }
  const double took = static_cast<double>(now_ns() - begun) / 1e9;
  fmt::print(
      R"({{"entries": {}, "seconds": {:.4f}, "p50_us": {:.4f}, "p99_us": {:.4f}, "hand_off_p50_us": {:.2f}, "hand_off_p99_us": {:.2f}}})"
      "\n",
      entries, took, waits.at(0.5), waits.at(0.99), hand_offs.at(0.5), hand_offs.at(0.99));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::string_view{argv[1]} == "bare-server")
    hapax::bench::BareServer{argv[2]}.run();
  if (argc != 5 && argc != 6) {
    throw std::runtime_error{"usage: bench_worker KIND ADDRESS NAME SECONDS [SHARED]"};
  }
  const bool holds = std::string_view{argv[4]} == "hold";
  if (holds && argc == 6) {
    hold_many(argv[1], argv[2], argv[3], std::atoi(argv[5]));
    return 0;
  }
  const auto lock = make(argv[1], argv[2], argv[3]);
  if (holds) {
    hold(*lock);
    return 0;
  }
  measure(*lock, std::atof(argv[4]), argc == 6 ? map_shared(argv[5]) : nullptr);
} catch (const std::exception& e) {
  fmt::print(stderr, "bench_worker: {}\n", e.what());
  return 1;
}
