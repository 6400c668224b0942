#include "client/connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unistd.h>
#include <utility>

#include "base/boot_clock.h"
#include "base/no_signals.h"
#include "client/answers.h"
#include "client/pending.h"
#include "handles/library_thread.h"
#include "handles/self.h"
#include "hapax/error.h"
#include "session/frames.h"

namespace hapax::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The clock of leases, which keeps running while the machine sleeps.
milliseconds boot_time() { return std::chrono::duration_cast<milliseconds>(boot_clock_now()); }

bool is_forbidden(const session::Refused& refused) {
  return refused.kind == session::Refused::Kind::forbidden;
}

// What an answer to Acquire means to a caller that gives up only when cancelled.
std::error_code error_of(const std::optional<session::Answer>& answer) {
  if (!answer) return Errc::lost;
  if (std::holds_alternative<session::Granted>(*answer)) return {};
  if (std::holds_alternative<session::Ended>(*answer)) return Errc::cancelled;
  const auto* refused = std::get_if<session::Refused>(&*answer);
  if (refused == nullptr) return Errc::protocol;
  return is_forbidden(*refused) ? Errc::forbidden : Errc::refused;
}

}  // namespace

// A request that nobody waits for, until it is answered.
struct Connection::Later {
  struct Canceller {
    Connection& connection;
    std::uint64_t request;
    void operator()() const { connection.say(session::Cancel{request}); }
  };
  Pending pending;
  detail::Completion& completion;
  const std::stop_token wanted{};  // Until it stops.
  std::optional<std::stop_callback<Canceller>> cancel{};
};

static_assert(Client::kSilence == session::kSilence);

Connection::Connection(const net::Address& address, const Trust& trust, std::uint64_t generation)
    : version_(trust.version),
      words_(address.is_unix() && trust.version >= session::Share::kSince,
             [this] { say(session::Share{}); }),
      socket_(address, trust, session::kSilence),
      heartbeat_(boot_time()),
      next_request_((generation << 40) + 1) {
  if (!socket_.has_tls()) turns_.emplace(socket_.descriptor());
  Pending pending;
  pending_[0] = &pending;  // The welcome answers no request.
  {
    const NoSignals none;
    resident_ = std::jthread{[this] { read_on(); }};
  }
  const session::Hello hello{version_, static_cast<std::uint32_t>(getpid()), own_host(),
                             own_command(), trust.asks_only};
  const auto answer = say_and_wait(hello, pending, steady_clock::now() + session::kSilence, {});
  if (const auto* welcome = answer ? std::get_if<session::Welcome>(&*answer) : nullptr) {
    release_ = welcome->release;
    return;
  }
  socket_.shut_down();
  resident_.join();
  if (const auto* refused = answer ? std::get_if<session::Refused>(&*answer) : nullptr) {
    throw std::system_error{
        make_error_code(is_forbidden(*refused) ? Errc::forbidden : Errc::refused), refused->why};
  }
  if (const auto trouble = socket_.trouble()) fail_for(address, *trouble);
  const bool may_want_tls = !address.is_unix() && !trust.tls;
  throw std::system_error{make_error_code(Errc::unreachable),
                          "nobody answers as a daemon does at " + address.text() +
                              (may_want_tls ? "; it may want TLS: --ca, --cert and --key" : "")};
}

Connection::~Connection() {
  say(session::Goodbye{});  // What we hold is free at once.
  socket_.shut_down();
  if (resident_.joinable()) resident_.join();
}

// --- asking ---

std::uint64_t Connection::add(Pending& pending) {
  const std::lock_guard lock{mutex_};
  if (gone_) return 0;
  pending.request = next_request_++;
  pending_[pending.request] = &pending;
  return pending.request;
}

Connection::MaybeAnswer Connection::say_and_wait(const session::Ask& ask, Pending& pending,
                                                 detail::Deadline deadline,
                                                 const std::stop_token& cancel) {
  // Before anybody can answer, which would wake the resident.
  const bool reads = turns_ && !cancel.stop_possible() && turns_->take();
  say(ask);
  if (reads) read_for(pending, deadline);
  std::unique_lock lock{mutex_};
  pending.answered.wait_until(lock, cancel, deadline,
                              [&] { return gone_ || pending.answer.has_value(); });
  if (pending.answer || gone_) pending_.erase(pending.request);
  return std::exchange(pending.answer, std::nullopt);
}

std::error_code Connection::acquire(const std::string& name, Want want, detail::Deadline deadline,
                                    const std::stop_token& cancel, detail::Holding& holding,
                                    std::string& why, std::uint32_t word) {
  if (is_resident()) return std::make_error_code(std::errc::resource_deadlock_would_occur);
  Pending pending;
  const std::uint64_t request = add(pending);
  return ask_for_grant(session::Acquire{request, name, want, word}, pending, deadline, cancel,
                       holding, why);
}

std::error_code Connection::ask_for_grant(const session::Ask& ask, Pending& pending,
                                          detail::Deadline deadline, const std::stop_token& cancel,
                                          detail::Holding& holding, std::string& why) {
  std::optional<session::Answer> answer = say_and_wait(ask, pending, deadline, cancel);
  if (!answer && !is_gone()) {
    // The daemon has the last word: it may have granted meanwhile.
    answer = say_and_wait(session::Cancel{pending.request}, pending,
                          steady_clock::now() + session::kSilence, {});
    if (!answer) give_up();
  }
  if (!answer) return Errc::lost;
  if (const auto* granted = std::get_if<session::Granted>(&*answer)) {
    holding = {pending.request, granted->fence, pending.lost, 0, granted->entry};
    if (!cancel.stop_requested()) return {};
    release(holding);
    return Errc::cancelled;
  }
  if (auto* refused = std::get_if<session::Refused>(&*answer)) why = std::move(refused->why);
  auto* ended = std::get_if<session::Ended>(&*answer);
  if (ended == nullptr || cancel.stop_requested()) return error_of(answer);
  if (ended->obstacle.empty()) return Errc::timed_out;
  why = std::move(ended->obstacle);
  return Errc::unavailable;
}

void Connection::acquire_later(const std::string& name, std::stop_token cancel,
                               detail::Completion& completion) {
  std::unique_ptr<Later> later{new Later{{}, completion, cancel}};
  later->pending.later = later.get();
  const std::uint64_t request = add(later->pending);
  if (request == 0) return tell(std::move(later), std::nullopt);
  later.release();                       // The reader's.
  say(session::Acquire{request, name});  // The answer may end whoever `cancel` was copied from.
  if (!cancel.stop_possible()) return;
  // Only now: a Cancel must not overtake what it cancels.
  const std::lock_guard lock{mutex_};
  const auto at = pending_.find(request);
  if (at != pending_.end())
    at->second->later->cancel.emplace(cancel, Later::Canceller{*this, request});
}

void Connection::release(const detail::Holding& holding) noexcept {
  held_.forget(holding.request);
  say(session::Release{holding.request});
}

std::error_code Connection::ask(session::Ask question, milliseconds patience,
                                session::Answer& answer) {
  if (is_resident()) return std::make_error_code(std::errc::resource_deadlock_would_occur);
  if (first_version_of(question) > version_) {
    answer = session::Refused{0, "this daemon runs an older release, which cannot do that"};
    return {};
  }
  Pending pending;
  const std::uint64_t request = add(pending);
  std::visit(
      [&](auto& q) {
        if constexpr (requires { q.request; }) q.request = request;
      },
      question);
  auto answered = say_and_wait(question, pending, steady_clock::now() + patience, {});
  if (!answered) {
    const std::lock_guard lock{mutex_};
    pending_.erase(request);
    return gone_ ? Errc::lost : Errc::timed_out;
  }
  answer = std::move(*answered);
  const auto* refused = std::get_if<session::Refused>(&answer);
  if (refused != nullptr && is_forbidden(*refused)) {
    throw std::system_error{make_error_code(Errc::forbidden), refused->why};
  }
  return {};
}

template <class Told>
std::error_code Connection::ask_for(session::Ask question, Told& told) {
  session::Answer answer;
  if (const auto error = ask(std::move(question), 2 * session::kSilence, answer)) return error;
  auto* wanted = std::get_if<Told>(&answer);
  if (wanted == nullptr) return Errc::refused;
  told = std::move(*wanted);
  return {};
}

std::error_code Connection::ask_for_an_end(session::Ask question, milliseconds patience,
                                           std::string& why) {
  session::Answer answer;
  if (const auto error = ask(std::move(question), patience, answer)) return error;
  if (std::holds_alternative<session::Ended>(answer)) return {};
  if (auto* told = std::get_if<session::Told>(&answer)) {
    why = std::move(told->text);
    return {};
  }
  auto* refused = std::get_if<session::Refused>(&answer);
  if (refused == nullptr) return Errc::protocol;
  why = std::move(refused->why);
  const bool is_for_nobody = refused->kind == session::Refused::Kind::no_candidate;
  return is_for_nobody ? Errc::no_candidate : Errc::refused;
}

std::error_code Connection::who(std::string_view name, std::vector<LockInfo>& locks,
                                detail::LeftOut& more) {
  session::Locks told;
  if (const auto error = ask_for(session::Who{0, std::string{name}}, told)) return error;
  locks = locks_of(std::move(told.locks));
  more = {counted_from_one(std::move(told.silent)), told.more_locks};
  return {};
}

std::error_code Connection::status(bool all, GroupStatus& status) {
  session::State told;
  if (const auto error = ask_for(session::AskState{0, all}, told)) return error;
  status = status_of(std::move(told));
  status.release = release_;
  return {};
}

std::error_code Connection::stats(MemberStats& stats) {
  session::Stats told;
  if (const auto error = ask_for(session::AskStats{}, told)) return error;
  stats = stats_of(std::move(told));
  return {};
}

std::string Connection::why_lost() const {
  const std::lock_guard lock{mutex_};
  return gone_ ? "its daemon is gone or silent" : why_lost_;
}

std::chrono::milliseconds Connection::valid_for() const {
  if (is_gone()) return {};
  // The current millisecond may be almost over: adding this to a finer clock must not go beyond the
  // end.
  return std::max(milliseconds{0}, heartbeat_.valid_until() - boot_time() - milliseconds{1});
}

bool Connection::say(const session::Ask& ask) noexcept {
  try {
    thread_local Bytes bytes;
    bytes.clear();
    const bool fits = session::write_frame(bytes, ask, version_);
    const std::lock_guard lock{writing_};
    if (fits && socket_.write(bytes)) return true;
  } catch (...) {  // Out of memory: as good as gone.
  }
  give_up();
  return false;
}

// As soon as the socket ends the daemon gives what we hold to others: so first nothing is good any
// more, and only then it ends.
void Connection::give_up() noexcept {
  gone_ = true;
  socket_.shut_down();
}

// --- one who waits reads ---

void Connection::read_for(Pending& pending, detail::Deadline deadline) noexcept {
  pending.is_reading = true;
  bool has_more = false;
  try {
    std::array<std::uint8_t, 4096> room;
    while (!pending.answer && !has_more) {
      const std::ptrdiff_t count = socket_.read_until(room, deadline);
      if (count == 0 && steady_clock::now() >= deadline) break;
      if (count > 0) incoming_.insert(incoming_.end(), room.begin(), room.begin() + count);
      has_more = count < 0 || !take_frames(false);
    }
  } catch (...) {  // Out of memory: as good as gone.
    give_up();
    has_more = true;
  }
  pending.is_reading = false;
  turns_->give_back(has_more);
}

// Nothing that is told unasked, which may call the program; and no grant before it is known how
// long it is good.
bool Connection::is_for_one_who_waits(const session::Answer& answer) const {
  if (std::holds_alternative<session::Lost>(answer) ||
      std::holds_alternative<session::StepDown>(answer) ||
      std::holds_alternative<session::Pong>(answer)) {
    return false;
  }
  if (std::holds_alternative<session::Granted>(answer) && !heartbeat_.is_good(boot_time())) {
    return false;
  }
  const std::uint64_t request = request_of(answer);
  const std::lock_guard lock{mutex_};
  const auto at = pending_.find(request);
  return request != 0 && at != pending_.end() && at->second->later == nullptr;
}

bool Connection::take_frames(bool as_resident) {
  std::span<const std::uint8_t> rest{incoming_};
  auto taken = session::Taken::more;
  for (;;) {
    session::Answer answer;
    std::span<const std::uint8_t> after = rest;
    taken = session::take_frame(after, session::kLargestAnswer, answer, version_);
    if (taken != session::Taken::record) break;
    if (as_resident) {
      take(std::move(answer));
    } else if (is_for_one_who_waits(answer)) {
      pass_on(std::move(answer));
    } else {
      break;
    }
    rest = after;
  }
  incoming_.erase(incoming_.begin(), incoming_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  return taken == session::Taken::more;
}

// --- the thread that resides here ---

// Ends when the socket does; then nobody waits any longer.
void Connection::read_on() {
  const LibraryThread here;
  while (read_once(heartbeat_.until_next_look(boot_time()))) {
    const milliseconds now = boot_time();
    if (heartbeat_.is_silent(now)) break;
    if (heartbeat_.expires(now)) held_.lose_all(false);
    if (const auto ping = heartbeat_.ping(now); ping && !say(*ping)) break;
  }
  give_up();
  end_all();
}

// False: it is over.
bool Connection::read_once(milliseconds patience) {
  if (turns_ && !turns_->await(patience)) return true;
  std::array<std::uint8_t, 16384> room;
  const std::ptrdiff_t count = turns_ ? socket_.read_now(room) : socket_.read(room, patience);
  if (count > 0) incoming_.insert(incoming_.end(), room.begin(), room.begin() + count);
  const bool goes_on = take_frames(true) && count >= 0;
  if (turns_) turns_->done();
  return goes_on;
}

void Connection::end_all() {
  std::vector<std::unique_ptr<Later>> laters;
  {
    const std::lock_guard lock{mutex_};
    gone_ = true;
    for (const auto& [request, pending] : pending_) {
      if (pending->later != nullptr) laters.emplace_back(pending->later);
      pending->answered.notify_all();
    }
    std::erase_if(pending_, [](const auto& entry) { return entry.second->later != nullptr; });
  }
  elections_.close();
  held_.lose_all(true);
  for (auto& later : laters) tell(std::move(later), std::nullopt);
}

void Connection::take(session::Answer answer) {
  if (const auto* pong = std::get_if<session::Pong>(&answer)) return take_pong(*pong);
  if (auto* lost = std::get_if<session::Lost>(&answer)) return lose(*lost);
  if (const auto* terms = std::get_if<session::Terms>(&answer)) return heartbeat_.on_terms(*terms);
  if (std::holds_alternative<session::Shared>(answer)) {
    return words_.receive(socket_.take_descriptor());
  }
  if (const auto* welcome = std::get_if<session::Welcome>(&answer)) {
    heartbeat_.on_welcome(*welcome);
    if (heartbeat_.has_leases()) {
      welcome_ = std::move(answer);
      return;
    }
  }
  // How long it is good for is not known before the daemon has said so, and its holder must be able
  // to rely on that.
  if (std::holds_alternative<session::Granted>(answer) && !heartbeat_.is_good(boot_time())) {
    unpromised_.push_back(std::move(answer));
    return heartbeat_.ping_soon();
  }
  pass_on(std::move(answer));
}

void Connection::take_pong(const session::Pong& pong) {
  if (!heartbeat_.on_pong(pong)) return;
  if (auto welcome = std::exchange(welcome_, std::nullopt)) pass_on(std::move(*welcome));
  if (!heartbeat_.is_good(boot_time())) return;
  for (session::Answer& grant : std::exchange(unpromised_, {})) pass_on(std::move(grant));
}

void Connection::pass_on(session::Answer answer) {
  if (elections_.tell(answer)) return;
  const std::uint64_t request = session::request_of(answer);
  std::unique_lock lock{mutex_};
  const auto at = pending_.find(request);
  if (at == pending_.end()) return;
  if (std::holds_alternative<session::Granted>(answer)) {
    at->second->lost = held_.add(request);
    // It may have taken us long to get here, and the resident may have lost all there was
    // meanwhile.
    if (gone_ || !heartbeat_.is_good(boot_time())) held_.lose(request);
  }
  if (std::unique_ptr<Later> later{at->second->later}) {
    pending_.erase(at);
    lock.unlock();
    return tell(std::move(later), std::move(answer));
  }
  at->second->answer = std::move(answer);
  if (!at->second->is_reading) at->second->answered.notify_all();
}

void Connection::tell(std::unique_ptr<Later> later, const std::optional<session::Answer>& answer) {
  later->cancel.reset();
  detail::Holding holding{later->pending.request, {}, later->pending.lost};
  if (const auto* granted = answer ? std::get_if<session::Granted>(&*answer) : nullptr) {
    holding.fence = granted->fence;
  }
  const std::error_code error = error_of(answer);
  const bool is_turned_away = error == Errc::cancelled && !later->wanted.stop_requested();
  later->completion.on_answer(is_turned_away ? Errc::unavailable : error, holding);
}

void Connection::lose(session::Lost& lost) {
  const std::uint64_t request = lost.request;
  {
    const std::lock_guard lock{mutex_};
    why_lost_ = std::move(lost.why);
  }
  // It may still be waiting for its promise: who asked finds it lost, and asks again.
  const auto is_it = [&](const session::Answer& grant) {
    return std::get<session::Granted>(grant).request == request;
  };
  const auto waiting = std::find_if(unpromised_.begin(), unpromised_.end(), is_it);
  if (waiting != unpromised_.end()) {
    session::Answer grant = std::move(*waiting);
    unpromised_.erase(waiting);
    pass_on(std::move(grant));
  }
  held_.lose(request);
}

}  // namespace hapax::client
