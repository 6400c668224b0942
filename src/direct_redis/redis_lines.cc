#include "direct_redis/redis_lines.h"

#include <fmt/format.h>
#include <random>
#include <utility>

#include "base/boot_clock.h"
#include "core/lock_name.h"
#include "direct/introduction.h"
#include "hapax/error.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::direct {
namespace {

using Ownership = RedlockClient::Ownership;
using std::chrono::milliseconds;

constexpr milliseconds kObserveEvery{500};

// Several that try in step would split the servers among them time and again.
constexpr std::int64_t kShortestPause = 2, kLongestPause = 20;

// Of this contender, and of no other at any time: sessions are drawn at random.
std::string token_of(std::uint64_t session, const Contender& contender) {
  return fmt::format("{:016x}-{:x} {}", session, contender.number, contender.value);
}

// What a token says of its owner. Another program's has no words of ours.
std::string words_of(const std::string& token) {
  const bool is_ours = token.size() > 17 && token[16] == '-';
  const std::size_t space = is_ours ? token.find(' ') : std::string::npos;
  return space == std::string::npos ? token : token.substr(space + 1);
}

std::uint64_t random_number() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) | 1;  // Not 0, which is no session.
}

// Waiting does not mend it.
bool is_about_rights(const std::string& why) {
  for (const char* word : {"NOAUTH", "WRONGPASS", "NOPERM", "ERR AUTH"}) {
    if (why.find(word) != std::string::npos) return true;
  }
  return false;
}

Trouble refusal(const std::string& why) { return {Trouble::Kind::refused, why}; }

}  // namespace

// Once, or again and again; not after it is gone.
class RedisLines::Timer final : public Watch {
 public:
  Timer(Loop& io, milliseconds pause, std::function<void()> then) : timer_(io, pause) {
    timer_.async_wait([then = std::move(then)](boost::system::error_code no) {
      if (!no) then();
    });
  }

 private:
  hapax::Timer timer_;
};

// Asks every now and then: Redis tells nobody of keys that expire.
class RedisLines::Observation final : public Watch {
 public:
  using Tell = std::function<void(std::optional<Leader>)>;

  Observation(RedisLines& lines, std::string name, Tell tell)
      : lines_(lines), name_(std::move(name)), tell_(std::move(tell)) {
    ask();
  }

 private:
  void ask() {
    lines_.work<std::string>(
        [&lines = lines_, name = name_]() -> Outcome<std::string> {
          auto token = lines.redlock_.read(name);
          if (!token) return lines.no_answer();
          return *token;
        },
        [this, alive = std::weak_ptr<int>{alive_}](const Outcome<std::string>& token) {
          if (!alive.expired()) hear(token);
        });
  }
  void hear(const Outcome<std::string>& token) {
    if (token && (is_first_ || *token != last_)) {
      is_first_ = false;
      last_ = *token;
      std::optional<Leader> leader;
      if (!last_.empty()) leader = Leader{words_of(last_), {}, {}};
      tell_(leader);
    }
    again_ = std::make_unique<Timer>(lines_.io_, kObserveEvery, [this] { ask(); });
  }

  RedisLines& lines_;
  const std::string name_;
  const Tell tell_;
  bool is_first_ = true;
  std::string last_;
  std::unique_ptr<Timer> again_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

RedisLines::RedisLines(Loop& io, RedlockClient redlock)
    : io_(io),
      random_(random_number()),
      redlock_(std::move(redlock)),
      worker_(milliseconds{1'000}, [] { return false; }) {}

RedisLines::~RedisLines() = default;

std::string RedisLines::trouble() const {
  const std::lock_guard lock{mutex_};
  return trouble_;
}

Trouble RedisLines::no_answer() {
  std::string why = redlock_.trouble();
  if (why.empty()) why = "too few servers answer";
  return {Trouble::Kind::unknown, std::move(why)};
}

template <class T>
void RedisLines::work(std::function<Outcome<T>()> job, Then<T> then) {
  worker_.add([this, job = std::move(job), then = std::move(then)]() mutable {
    Outcome<T> outcome = job();
    {
      const std::lock_guard lock{mutex_};
      trouble_ = outcome ? "" : outcome.error().why;
    }
    io_.post([then = std::move(then), outcome = std::move(outcome)]() mutable {
      then(std::move(outcome));
    });
  });
}

// --- sessions ---

void RedisLines::open_session(milliseconds, Then<Session> then) {
  work<Session>(
      [this]() -> Outcome<Session> {
        if (!redlock_.is_there()) {
          const Trouble trouble = no_answer();
          return is_about_rights(trouble.why) ? refusal(trouble.why) : trouble;
        }
        const Session session{random_number(), redlock_.good_for()};
        good_until_ = boot_clock_now() + session.ttl;
        return session;
      },
      std::move(then));
}

void RedisLines::renew(const Session& session, Then<Session> then) {
  work<Session>(
      [this, session]() -> Outcome<Session> {
        const auto asked = boot_clock_now();
        const Ownership all = renew_all();
        if (all == Ownership::ours) {
          good_until_ = asked + redlock_.good_for();
          return Session{session.id, redlock_.good_for()};
        }
        // Nobody relies on it any more: what a minority still has must not go on for ever.
        if (all == Ownership::unknown && asked < good_until_) return no_answer();
        give_all_back();
        return Trouble{Trouble::Kind::over, "what was held has expired, or was deleted"};
      },
      std::move(then));
}

Ownership RedisLines::renew_all() {
  if (taken_.empty()) return redlock_.is_there() ? Ownership::ours : Ownership::unknown;
  for (const auto& [token, key] : taken_) {
    const Ownership one = redlock_.renew(key, token);
    if (one != Ownership::ours) return one;
  }
  return Ownership::ours;
}

void RedisLines::give_all_back() {
  for (const auto& [token, key] : taken_) redlock_.give_back(key, token);
  taken_.clear();
}

void RedisLines::close_session(const Session&, std::function<void()> then) {
  work<bool>(
      [this]() -> Outcome<bool> {
        give_all_back();
        return true;
      },
      [then = std::move(then)](const Outcome<bool>&) { then(); });
}

// --- locks ---

Outcome<Standing> RedisLines::try_to_take(const std::string& name, const std::string& token) {
  Standing standing;
  standing.place = token;
  const auto fence = redlock_.take(name, token);
  if (fence) {
    taken_[token] = name;
    standing.fence = {Epoch{1}, Turn{*fence}};
    return standing;
  }
  const auto other = redlock_.read(name);
  if (!other) return no_answer();
  standing.before = "somebody";  // Or those who tried at the same time.
  return standing;
}

void RedisLines::join(const Session& session, const Contender& contender, Then<Standing> then) {
  work<Standing>(
      [this, contender, token = token_of(session.id, contender)]() -> Outcome<Standing> {
        if (contender.want == Want::shared || contender.want == Want::unit) {
          return refusal("Redis has no locks that several hold; ask a daemon");
        }
        if (contender.name.ends_with(RedlockClient::count_of(""))) {
          return refusal("names that end with :fence are taken by the counts of others");
        }
        return try_to_take(contender.name, token);
      },
      std::move(then));
}

void RedisLines::look(const Contender& contender, const Standing& standing, bool,
                      Then<Standing> then) {
  work<Standing>(
      [this, name = contender.name, standing]() -> Outcome<Standing> {
        if (standing.fence == Fence{}) return try_to_take(name, standing.place);
        Standing now = standing;
        switch (redlock_.look(name, standing.place)) {
          case Ownership::ours:
            return now;
          case Ownership::unknown:
            return no_answer();
          case Ownership::not_ours:
            taken_.erase(standing.place);
            now.is_gone = true;
            return now;
        }
        return now;
      },
      std::move(then));
}

std::unique_ptr<Watch> RedisLines::await_change(const Contender&, const Standing&,
                                                std::function<void(std::uint64_t)> then) {
  const auto range = static_cast<std::uint64_t>(kLongestPause - kShortestPause);
  const milliseconds pause{kShortestPause + static_cast<std::int64_t>(random_.below(range))};
  return std::make_unique<Timer>(io_, pause, [then = std::move(then)] { then(0); });
}

void RedisLines::leave(const Session& session, const Contender& contender, const Standing&, bool,
                       Then<bool> then) {
  work<bool>(
      [this, name = contender.name, token = token_of(session.id, contender)]() -> Outcome<bool> {
        taken_.erase(token);
        // What a server does not hear of expires by itself.
        redlock_.give_back(name, token);
        return true;
      },
      std::move(then));
}

// --- for people ---

void RedisLines::list(const std::string& pattern, Then<std::vector<LockInfo>> then) {
  using Locks = std::vector<LockInfo>;
  work<Locks>(
      [this, pattern]() -> Outcome<Locks> {
        if (!check_lock_name(pattern) || pattern.find_first_of("*?[") != std::string::npos) {
          return refusal("a lock at Redis is a key like any other: say which");
        }
        const auto token = redlock_.read(pattern);
        if (!token) return no_answer();
        if (token->empty()) return Locks{};
        LockInfo lock;
        lock.name = pattern;
        lock.algorithm = "redlock";
        lock.holder = person_of(words_of(*token));
        // Most servers have its key, and count for nobody else meanwhile.
        const auto count = redlock_.read(RedlockClient::count_of(pattern));
        if (count && !count->empty()) {
          lock.holder->fence = Fence{Epoch{1}, Turn{std::strtoull(count->c_str(), nullptr, 10)}};
        }
        return Locks{lock};
      },
      std::move(then));
}

std::unique_ptr<Watch> RedisLines::observe(const std::string& name,
                                           std::function<void(std::optional<Leader>)> then) {
  return std::make_unique<Observation>(*this, name, std::move(then));
}

}  // namespace hapax::direct
