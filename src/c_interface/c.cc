#include "hapax/c.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

#include "base/forks.h"
#include "c_interface/event.h"
#include "c_interface/request.h"
#include "hapax/client.h"
#include "hapax/error.h"
#include "hapax/fence.h"
#include "hapax/mutex.h"

struct hapax_session {
  hapax::Client client;
  const std::uint32_t forks = hapax::forks();
};

struct hapax_lock {
  hapax_lock(hapax::Client& client, const char* name) : mutex(client, name) {}
  ~hapax_lock() { request.end(); }

  // It has been granted.
  void keep() {
    watch.emplace(mutex.lost(), Raise{lost});
    is_held.store(true);
  }
  // False if it is not held.
  bool give_back() {
    if (!is_held.exchange(false)) return false;
    watch.reset();
    lost.lower();
    mutex.unlock();
    return true;
  }

  struct Raise {
    const hapax::c_interface::Event& event;
    void operator()() const { event.raise(); }
  };

  const std::uint32_t forks = hapax::forks();
  const hapax::c_interface::Event lost;
  hapax::Mutex mutex;
  hapax::c_interface::Request request;
  std::atomic<bool> is_held{false};
  // Invariant: touched only by the thread that has set or reset is_held.
  std::optional<std::stop_callback<Raise>> watch;
};

namespace {

using hapax::Errc;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

#define HAPAX_SAME(c, errc) static_assert((c) == static_cast<int>(Errc::errc))
HAPAX_SAME(HAPAX_UNREACHABLE, unreachable);
HAPAX_SAME(HAPAX_LOST, lost);
HAPAX_SAME(HAPAX_TIMED_OUT, timed_out);
HAPAX_SAME(HAPAX_CANCELLED, cancelled);
HAPAX_SAME(HAPAX_BAD_NAME, bad_name);
HAPAX_SAME(HAPAX_BAD_ADDRESS, bad_address);
HAPAX_SAME(HAPAX_REFUSED, refused);
HAPAX_SAME(HAPAX_NOT_HELD, not_held);
HAPAX_SAME(HAPAX_PROTOCOL, protocol);
HAPAX_SAME(HAPAX_UNTRUSTED, untrusted);
HAPAX_SAME(HAPAX_FORBIDDEN, forbidden);
HAPAX_SAME(HAPAX_FORKED, forked);
HAPAX_SAME(HAPAX_UNAVAILABLE, unavailable);
#undef HAPAX_SAME

thread_local std::string last_error;

int number_of(const std::error_code& error) {
  if (!error) return HAPAX_OK;
  if (error.category() == hapax::error_category()) return error.value();
  if (error == std::errc::not_enough_memory) return HAPAX_NO_MEMORY;
  if (error == std::errc::operation_in_progress) return HAPAX_IN_PROGRESS;
  if (error == std::errc::invalid_argument) return HAPAX_BAD_ARGUMENT;
  return HAPAX_SYSTEM;
}

int noted(const std::error_code& error, const std::string& text) {
  if (error) last_error = text;
  return number_of(error);
}

// What `call` returns, an error code, or the code of what it throws: nothing is thrown at C.
template <class Call>
int answer_of(Call&& call) noexcept {
  try {
    try {
      const std::error_code error = call();
      return noted(error, error.message());
    } catch (const std::system_error& e) {
      return noted(e.code(), e.what());
    } catch (const std::bad_alloc&) {
      return noted(std::make_error_code(std::errc::not_enough_memory), "out of memory");
    }
  } catch (...) {
    return HAPAX_NO_MEMORY;  // Not even for the text.
  }
}

// Whether `handle`, a session or a lock, may be used.
template <class Handle>
std::error_code check(const Handle* handle) {
  if (handle == nullptr) return std::make_error_code(std::errc::invalid_argument);
  return handle->forks == hapax::forks() ? std::error_code{} : Errc::forked;
}

template <class Call>
int with_lock(hapax_lock* lock, Call&& call) noexcept {
  return answer_of([&]() -> std::error_code {
    if (const auto error = check(lock)) return error;
    return call(*lock);
  });
}

std::error_code acquire_until(hapax_lock& lock, Clock::time_point deadline) {
  if (const auto error = lock.mutex.acquire_until(deadline, {})) return error;
  lock.keep();
  return {};
}

// Far enough away for anybody, near enough for every clock to reach.
Clock::time_point in(std::int64_t ms) {
  constexpr std::int64_t kTenYears = 10LL * 365 * 24 * 3'600 * 1'000;
  return Clock::now() + milliseconds{std::clamp(ms, std::int64_t{0}, kTenYears)};
}

hapax::Fence fence_of(hapax_fence fence) {
  return {hapax::Epoch{fence.epoch}, hapax::Turn{fence.turn}};
}
hapax_fence fence_of(hapax::Fence fence) { return {number(fence.epoch), number(fence.turn)}; }

}  // namespace

extern "C" {

const char* hapax_error_text(int error) {
  switch (error) {
    case HAPAX_OK:
      return "all is well";
    case HAPAX_SYSTEM:
      return "the operating system refuses";
    case HAPAX_NO_MEMORY:
      return "out of memory";
    case HAPAX_BAD_ARGUMENT:
      return "a pointer is null that must not be, or a text makes no sense";
    case HAPAX_IN_PROGRESS:
      return "the lock is asked for, and not answered yet";
    default:
      break;
  }
  // One text each, for as long as the program runs.
  constexpr int kMost = 100;
  static const auto texts = [] {
    std::array<std::string, kMost> all;
    for (int i = 0; i < kMost; ++i)
      all.at(static_cast<std::size_t>(i)) = hapax::error_category().message(i);
    return all;
  }();
  return error > 0 && error < kMost ? texts.at(static_cast<std::size_t>(error)).c_str()
                                    : "unknown error";
}

const char* hapax_last_error(void) { return last_error.c_str(); }

int hapax_fence_compare(hapax_fence left, hapax_fence right) {
  const auto order = fence_of(left) <=> fence_of(right);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

void hapax_fence_text(hapax_fence fence, char* text, size_t size) {
  if (text == nullptr || size == 0) return;
  const std::string all = to_string(fence_of(fence));  // Too short to be allocated, or to fail.
  const std::size_t count = std::min(size - 1, all.size());
  std::memcpy(text, all.data(), count);
  text[count] = '\0';
}

int hapax_fence_parse(const char* text, hapax_fence* fence) {
  return answer_of([&]() -> std::error_code {
    const auto parsed =
        text == nullptr || fence == nullptr ? std::nullopt : hapax::parse_fence(text);
    if (!parsed) return std::make_error_code(std::errc::invalid_argument);
    *fence = fence_of(*parsed);
    return {};
  });
}

int hapax_open(const char* addresses, hapax_session** session) {
  return answer_of([&]() -> std::error_code {
    if (session == nullptr) return std::make_error_code(std::errc::invalid_argument);
    *session = nullptr;
    const std::string where = addresses == nullptr ? hapax::Client::default_address() : addresses;
    *session = new hapax_session{hapax::Client{where}};
    return {};
  });
}

// What the parent of this process made is left as it is: its threads are not here.
void hapax_close(hapax_session* session) {
  if (!check(session)) delete session;
}

int hapax_lock_open(hapax_session* session, const char* name, hapax_lock** lock) {
  return answer_of([&]() -> std::error_code {
    if (lock == nullptr || name == nullptr)
      return std::make_error_code(std::errc::invalid_argument);
    *lock = nullptr;
    if (const auto error = check(session)) return error;
    *lock = new hapax_lock{session->client, name};
    return {};
  });
}

void hapax_lock_close(hapax_lock* lock) {
  if (!check(lock)) delete lock;
}

int hapax_lock_acquire(hapax_lock* lock) { return hapax_lock_acquire_for(lock, INT64_MAX); }

int hapax_lock_try(hapax_lock* lock) {
  return with_lock(lock, [](hapax_lock& own) {
    return acquire_until(own, Clock::now() + own.mutex.patience());
  });
}

int hapax_lock_acquire_for(hapax_lock* lock, int64_t milliseconds) {
  return with_lock(lock, [&](hapax_lock& own) { return acquire_until(own, in(milliseconds)); });
}

int hapax_lock_ask(hapax_lock* lock, int* descriptor) {
  return with_lock(lock, [&](hapax_lock& own) -> std::error_code {
    if (descriptor == nullptr) return std::make_error_code(std::errc::invalid_argument);
    *descriptor = own.request.descriptor();
    if (own.request.ask(own.mutex)) return {};
    return std::make_error_code(std::errc::operation_in_progress);
  });
}

int hapax_lock_answer(hapax_lock* lock) {
  return with_lock(lock, [](hapax_lock& own) -> std::error_code {
    if (const auto error = own.request.take_answer()) return error;
    own.keep();
    return {};
  });
}

int hapax_lock_withdraw(hapax_lock* lock) {
  return with_lock(lock, [](hapax_lock& own) -> std::error_code {
    return own.request.withdraw() ? std::error_code{} : Errc::not_held;
  });
}

int hapax_lock_release(hapax_lock* lock) {
  return with_lock(lock, [](hapax_lock& own) -> std::error_code {
    return own.give_back() ? std::error_code{} : Errc::not_held;
  });
}

int hapax_lock_fence(hapax_lock* lock, hapax_fence* fence) {
  return with_lock(lock, [&](hapax_lock& own) -> std::error_code {
    if (fence == nullptr) return std::make_error_code(std::errc::invalid_argument);
    *fence = fence_of(own.mutex.fence());
    return {};
  });
}

int hapax_lock_lost_descriptor(hapax_lock* lock) {
  return check(lock) ? -1 : lock->lost.descriptor();
}

int64_t hapax_lock_valid_for(hapax_lock* lock) {
  return check(lock) || !lock->is_held.load() ? 0 : lock->mutex.valid_for().count();
}

}  // extern "C"
