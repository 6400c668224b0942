#include "direct/direct_gateway.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include "base/no_signals.h"
#include "direct/introduction.h"
#include "handles/changes.h"
#include "handles/library_thread.h"
#include "loop/loop.h"

namespace hapax::direct {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kToConnect{5'000};
constexpr milliseconds kToAnswer{5'000};
constexpr milliseconds kToClose{1'000};
constexpr milliseconds kToAnswerAboutFiles{16'000};  // More than the engine takes.

// Somebody who waits for a grant.
struct Waiting {
  std::mutex mutex;
  std::condition_variable_any answered;
  bool is_answered = false;
  std::error_code error{};
  std::string why{};
  detail::Holding holding{};
};

}  // namespace

DirectGateway::DirectGateway(std::string address, milliseconds ttl, bool asks_only,
                             const MakeServer& make, EngineFiles::OpenEngine open_files)
    : address_(std::move(address)),
      open_files_(std::move(open_files)),
      server_(make(io_)),
      line_(std::make_unique<Line>(io_, *server_, ttl)) {
  {
    const NoSignals none;
    thread_ = std::jthread{[this] {
      const client::LibraryThread here;
      io_.run();
    }};
  }
  try {
    start(asks_only);
    farewell_.emplace([this] { give_all_back(); });
  } catch (...) {
    finish();
    throw;
  }
}

DirectGateway::~DirectGateway() { finish(); }

void DirectGateway::post(std::function<void()> work) { io_.post(std::move(work)); }

void DirectGateway::start(bool asks_only) {
  std::promise<std::string> told;
  std::future<std::string> refusal = told.get_future();
  if (asks_only) {
    // Reading shows whether anybody answers; there is no lock of that name.
    post([this, &told] {
      server_->list("hapax", [&told](const Outcome<std::vector<LockInfo>>& outcome) {
        // One that refuses has answered: we may be allowed to look elsewhere.
        const bool answers = outcome || outcome.error().kind == Trouble::Kind::refused;
        told.set_value(answers ? "" : outcome.error().why);
      });
    });
    refusal.wait();  // The server answers in bounded time.
  } else {
    auto shared = std::make_shared<std::promise<std::string>>(std::move(told));
    post([this, shared] {
      line_->start([shared](const std::string& why) { shared->set_value(why); });
    });
    if (refusal.wait_for(kToConnect) != std::future_status::ready) {
      const auto trouble = wait_for<std::string>(
          [this](const Then<std::string>& then) { then(server_->trouble()); });
      throw std::system_error{make_error_code(Errc::unreachable),
                              fmt::format("{} does not answer: {}", address_,
                                          trouble ? *trouble : trouble.error().why)};
    }
  }
  if (const std::string why = refusal.get(); !why.empty()) {
    throw std::system_error{make_error_code(Errc::unreachable),
                            fmt::format("{}: {}", address_, why)};
  }
}

void DirectGateway::give_all_back() {
  auto closed = std::make_shared<std::promise<void>>();
  post([this, closed] { line_->close([closed] { closed->set_value(); }); });
  closed->get_future().wait_for(kToClose);
}

void DirectGateway::finish() {
  farewell_.reset();
  give_all_back();
  post([this] {
    observations_.clear();
    files_.reset();
    line_.reset();
    server_.reset();
    io_.stop();
  });
  if (thread_.joinable()) thread_.join();
}

template <class T>
Outcome<T> DirectGateway::wait_for(std::function<void(Then<T>)> ask) {
  auto told = std::make_shared<std::promise<Outcome<T>>>();
  auto future = told->get_future();
  post([ask = std::move(ask), told] {
    ask([told](Outcome<T> outcome) { told->set_value(std::move(outcome)); });
  });
  if (future.wait_for(kToAnswer) != std::future_status::ready) {
    return Trouble{Trouble::Kind::unknown, "no answer in time"};
  }
  return future.get();
}

// --- locks ---

std::error_code DirectGateway::take(Contender contender, detail::Deadline deadline,
                                    const std::stop_token& cancel, detail::Holding& holding,
                                    std::string& why) {
  if (is_on_loop()) return std::make_error_code(std::errc::resource_deadlock_would_occur);
  const std::uint64_t request = next_request_++;
  auto waiting = std::make_shared<Waiting>();
  post([this, request, contender = std::move(contender), waiting]() mutable {
    line_->ask(
        request, std::move(contender),
        [waiting](std::error_code error, const std::string& said, const detail::Holding& granted) {
          const std::lock_guard lock{waiting->mutex};
          waiting->is_answered = true;
          waiting->error = error;
          waiting->why = said;
          waiting->holding = granted;
          waiting->answered.notify_all();
        });
  });
  std::unique_lock lock{waiting->mutex};
  const auto is_answered = [&] { return waiting->is_answered; };
  if (!waiting->answered.wait_until(lock, cancel, deadline, is_answered)) {
    const bool is_cancelled = cancel.stop_requested();
    post([this, request, is_cancelled] {
      is_cancelled ? line_->cancel(request) : line_->time_is_over(request);
    });
    // An answer may be due: whether somebody else has it.
    if (!waiting->answered.wait(lock, cancel, is_answered)) {
      post([this, request] { line_->cancel(request); });
      waiting->answered.wait(lock, is_answered);
    }
  }
  why = std::move(waiting->why);
  holding = std::move(waiting->holding);
  if (!waiting->error && cancel.stop_requested()) {
    give_back(holding);
    return Errc::cancelled;
  }
  return waiting->error;
}

std::error_code DirectGateway::acquire_as(const std::string& name, Want want,
                                          detail::Deadline deadline, const std::stop_token& cancel,
                                          detail::Holding& holding, std::string& why) {
  return take({name, want, introduction(), false}, deadline, cancel, holding, why);
}

std::error_code DirectGateway::campaign(const std::string& name, const std::string& value,
                                        detail::Deadline deadline, const std::stop_token& cancel,
                                        const std::shared_ptr<detail::Candidate>&,
                                        detail::Holding& holding) {
  std::string why;
  return take({name, Want::exclusive, value, true}, deadline, cancel, holding, why);
}

// A request that nobody waits for, until it is answered.
struct DirectGateway::Later {
  struct Canceller {
    DirectGateway& gateway;
    std::uint64_t request;
    void operator()() const {
      gateway.post([&g = gateway, r = request] { g.line_->cancel(r); });
    }
  };
  std::optional<std::stop_callback<Canceller>> cancel;
};

void DirectGateway::acquire_later(const std::string& name, detail::LockHandle*,
                                  const std::stop_token& cancel, detail::Completion& completion) {
  const std::uint64_t request = next_request_++;
  post([this, request, name, cancel, &completion] {
    auto later = std::make_shared<Later>();
    line_->ask(request, {name, Want::exclusive, introduction(), false},
               [later, &completion](std::error_code error, const std::string&,
                                    const detail::Holding& granted) {
                 later->cancel.reset();
                 completion.on_answer(error, granted);
               });
    if (cancel.stop_possible()) later->cancel.emplace(cancel, Later::Canceller{*this, request});
  });
}

void DirectGateway::give_back(const detail::Holding& holding) noexcept {
  post([this, request = holding.request] { line_->give_back(request); });
}

// --- questions ---

std::uint64_t DirectGateway::observe(const std::string& name,
                                     const std::shared_ptr<detail::Changes>& changes) {
  const std::uint64_t observation = next_request_++;
  post([this, observation, name, changes] {
    observations_[observation] = server_->observe(
        name, [changes](std::optional<Leader> leader) { changes->push({std::move(leader)}); });
  });
  return observation;
}

void DirectGateway::unobserve(std::uint64_t observation) noexcept {
  post([this, observation] { observations_.erase(observation); });
}

std::error_code DirectGateway::who(std::string_view name, std::vector<LockInfo>& locks,
                                   detail::LeftOut&) {
  if (is_on_loop()) return std::make_error_code(std::errc::resource_deadlock_would_occur);
  if (name.empty()) {
    refuse("an engine knows no locks, only names: say which, or a pattern as 'orders/*'");
  }
  auto listed = wait_for<std::vector<LockInfo>>(
      [this, pattern = std::string{name}](Then<std::vector<LockInfo>> then) {
        server_->list(pattern, std::move(then));
      });
  if (!listed) {
    const bool is_refused = listed.error().kind == Trouble::Kind::refused;
    throw std::system_error{make_error_code(is_refused ? Errc::refused : Errc::unreachable),
                            listed.error().why};
  }
  locks = std::move(*listed);
  return {};
}

std::error_code DirectGateway::status(bool, GroupStatus& status) {
  if (is_on_loop()) return std::make_error_code(std::errc::resource_deadlock_would_occur);
  const auto told =
      wait_for<std::string>([this](const Then<std::string>& then) { then(server_->trouble()); });
  const std::string trouble = told ? *told : told.error().why;
  status.group = address_;
  if (!trouble.empty()) status.obstacle = fmt::format("{} does not answer: {}", address_, trouble);
  ViewStatus& view = status.view.emplace();
  view.engine = address_;
  view.engine_reachable = trouble.empty();
  view.engine_trouble = status.obstacle;
  view.ttl = ttl();
  view.lease = valid_for();
  return {};
}

std::error_code DirectGateway::ask_about_files(session::Ask asked, session::Answer& told) {
  if (!open_files_) return Gateway::ask_about_files(std::move(asked), told);
  if (is_on_loop()) return std::make_error_code(std::errc::resource_deadlock_would_occur);
  const bool is_write = detail::is_write(asked);
  auto answered = std::make_shared<std::promise<session::Answer>>();
  auto answer = answered->get_future();
  post([this, asked = std::move(asked), answered]() mutable {
    if (!files_) files_ = std::make_unique<EngineFiles>(io_, *server_, open_files_);
    files_->ask(std::move(asked),
                [answered](const session::Answer& one) { answered->set_value(one); });
  });
  if (answer.wait_for(kToAnswerAboutFiles) != std::future_status::ready) {
    return is_write ? Errc::unknown_outcome : Errc::timed_out;
  }
  told = answer.get();
  return {};
}

std::string DirectGateway::why_lost() const {
  // A session is renewed several times before that.
  if (valid_for() < ttl() / 2)
    return fmt::format("{} has not renewed the session in time", address_);
  return "somebody has deleted what showed that it is held, or ended the session";
}

}  // namespace hapax::direct
