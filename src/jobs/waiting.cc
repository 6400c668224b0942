#include "jobs/waiting.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <future>
#include <mutex>
#include <thread>

#include "base/printable.h"
#include "console/exit_status.h"
#include "console/number.h"
#include "handles/farewell.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

constexpr std::chrono::hours kForever{24 * 365 * 10};
constexpr double kLongestWait_s = 1e8;  // Three years.

// Says once why nobody is granted the lock, if that takes long and no holder is to blame for it.
class Notice {
 public:
  Notice(Client& client, const std::string& name)
      : thread_([&client, name](const std::stop_token& over) { say(client, name, over); }) {}

 private:
  static void say(Client& client, const std::string& name, const std::stop_token& over) {
    constexpr std::chrono::seconds kEvery{2};
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock{mutex};
    for (std::string text; text.empty();) {
      if (ended.wait_for(lock, over, kEvery, [&] { return over.stop_requested(); })) return;
      text = what_is_in_the_way(client, name);
      if (text.empty() || over.stop_requested()) continue;
      fmt::print(stderr, "hapax: waits for {}: {}\n", printable(name), printable(text));
    }
  }

  std::jthread thread_;
};

}  // namespace

std::string what_is_in_the_way(Client& client, const std::string& name) try {
  const GroupStatus status = client.status();
  if (!status.obstacle.empty() || status.absence.empty()) return status.obstacle;
  for (const LockInfo& lock : client.who(name)) {
    if (lock.holder || !lock.sharers.empty()) return "";
  }
  return status.absence;
} catch (const std::system_error&) {
  return "";  // Whoever waits will hear of it.
}

void add_mode(Command& command, Wanted& wanted) {
  command.add("-s,--shared", &wanted.shared,
              "Together with others that ask so; the lock's --algorithm must be readers-writers");
  command.add("-x,-e,--exclusive", &wanted.exclusive,
              "Alone, the default; of a semaphore the default is one unit",
              {.excludes = {"--shared"}});
}

void add_wanted(Command& command, Wanted& wanted) {
  command.add("NAME", &wanted.name, "Any name, e.g. orders/42", {.required = true});
  add_address(command, &wanted.address, Purpose::takes_locks);
  add_mode(command, wanted);
  command.add("-n,--nb,--nonblock", &wanted.nonblock,
              "Do not wait; asking everybody takes up to a quarter of a second");
  command.add("-w,--wait,--timeout", &wanted.wait_s, "Wait so many seconds at most, e.g. 0.5",
              {.check = seconds(0, kLongestWait_s), .excludes = {"--nonblock"}});
}

void check(const Wanted& wanted) { require_lock_name(wanted.name); }

void fail_as_unavailable(Client& client, const std::string& name, std::string why) {
  if (why.empty()) why = what_is_in_the_way(client, name);
  if (why.empty()) why = "it was granted, but the lease was about to end";
  throw Failure{kNoLease, fmt::format("{}: {}", name, why)};
}

void listen_while(Signals& signals, const std::function<void()>& wait) {
  Bell bell;
  std::atomic<bool> done{false};
  auto taken = std::async(std::launch::async, [&] {
    struct Ring {
      std::atomic<bool>& done;
      Bell& bell;
      ~Ring() {
        done = true;
        bell.ring();
      }
    } ring{done, bell};
    wait();
  });
  while (!done) {
    wait_for(signals, &bell, -1);
    bell.hush();
    const auto signal = signals.take();
    if (!signal || *signal == SIGCHLD) continue;
    if (*signal == SIGTSTP) {
      stop_like_others();
      continue;
    }
    // At once: a daemon that hangs must not keep us, and one that does not sees the socket close.
    std::fflush(nullptr);
    detail::Farewell::say_all();
    std::_Exit(kBySignal + *signal);
  }
  taken.get();
}

Hold::Hold(const Wanted& wanted, Signals& signals, const Least& least)
    : want_(wanted.shared      ? Want::shared
            : wanted.exclusive ? Want::exclusive
                               : Want::any) {
  listen_while(signals, [&] { take(wanted, least); });
}

void Hold::connect(const std::string& address, const std::string& name) {
  grants_.reset();
  client_.reset(
      new Client{reach(address, Purpose::takes_locks)});  // Made in place: it cannot be moved.
  grants_.emplace(*client_, name);
}

bool Hold::connect_elsewhere(const Wanted& wanted) {
  if (addresses_.size() < 2) return false;
  addresses_.erase(addresses_.begin());
  connect(fmt::format("{}", fmt::join(addresses_, ",")), wanted.name);
  return true;
}

void Hold::take(const Wanted& asked, const Least& least) {
  Wanted wanted = asked;
  find_cell(wanted.address, wanted.name);
  connect(wanted.address, wanted.name);  // As it was given, for an error to say where.
  addresses_ =
      Client::options_for(wanted.address.empty() ? Client::default_address() : wanted.address)
          .addresses;
  auto patience = std::chrono::duration_cast<std::chrono::nanoseconds>(kForever);
  const bool at_once = wanted.nonblock || (wanted.wait_s && *wanted.wait_s == 0);
  if (at_once) {
    patience = detail::Grants::kPatience;
  } else if (wanted.wait_s) {
    patience = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>{*wanted.wait_s});
  }
  const auto deadline = detail::Grants::Clock::now() + patience;
  std::optional<Notice> notice;
  if (!at_once) notice.emplace(*client_, wanted.name);
  while (!held_) {
    const auto error = grants_->acquire(want_, deadline, {});
    if (error == Errc::refused && !grants_->refusal().empty()) {
      throw Failure{kBadUsage, grants_->refusal()};
    }
    if (error == Errc::forbidden) throw Failure{kForbidden, grants_->refusal()};
    if (error == Errc::timed_out) return;
    if (error == Errc::unavailable) {
      const std::string why = grants_->refusal();
      notice.reset();
      // Before the time is over only one that leaves turns us away.
      const bool is_over = detail::Grants::Clock::now() >= deadline;
      if (is_over || !connect_elsewhere(wanted)) fail_as_unavailable(*client_, wanted.name, why);
      if (!at_once) notice.emplace(*client_, wanted.name);
      continue;
    }
    if (error) fail(error, wanted.name);
    const auto enough = least ? least(*client_) : std::chrono::milliseconds{0};
    while (grants_->valid_for() <= enough && !grants_->lost().stop_requested()) {
      if (detail::Grants::Clock::now() >= deadline) {
        grants_->release(want_, "take");
        fail_as_unavailable(*client_, wanted.name, "");
      }
      constexpr std::chrono::milliseconds kAgain{10};
      std::this_thread::sleep_for(kAgain);
    }
    held_ = !grants_->lost().stop_requested();
    if (!held_) grants_->release(want_, "take");
  }
}

std::string text_of(const Fence& fence) { return to_string(fence); }

}  // namespace hapax::cli
