#include "member/member.h"

#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "base/check.h"
#include "member/member_spot.h"
#include "hapax/error.h"

namespace hapax::client {
namespace {

namespace asio = boost::asio;

}  // namespace

// A thread waits.
class Member::Awaited final : public Waiting {
 public:
  explicit Awaited(SharedLoop& loop) : loop_(loop) {}
  void answer(std::error_code e, const detail::Holding& h) override {
    error = e;
    holding = h;
    loop_.wake(thread);
  }

  SharedLoop::Waiter thread;
  std::error_code error;
  detail::Holding holding;

 private:
  SharedLoop& loop_;
};

// Gives up a request if it is still open, a moment later: whoever asks for that may hold locks.
struct Member::Canceller {
  std::shared_ptr<Kept> kept;
  WaiterId waiter;
  void operator()() const;
};

// Nobody waits.
class Member::Later final : public Waiting {
 public:
  Later(std::shared_ptr<Kept> kept, std::stop_token token, detail::Completion& completion)
      : kept_(std::move(kept)), token_(std::move(token)), completion_(completion) {}
  // It is its own from here on, until it is answered.
  static void ask(std::unique_ptr<Later> later);
  void answer(std::error_code error, const detail::Holding& holding) override;

 private:
  const std::shared_ptr<Kept> kept_;
  const std::stop_token token_;
  detail::Completion& completion_;
  std::optional<std::stop_callback<Canceller>> cancel_;
};

void Member::Canceller::operator()() const {
  kept->member().loop_.post([k = kept, w = waiter] { k->give_up(w, Errc::cancelled); });
}

void Member::Later::ask(std::unique_ptr<Later> later) {
  Later& self = *later.release();
  self.known_as = self.kept_->member().daemon_->next_waiter();
  if (self.token_.stop_possible()) {
    self.cancel_.emplace(self.token_, Canceller{self.kept_, self.known_as});
  }
  self.kept_->ask(self);
}

void Member::Later::answer(std::error_code error, const detail::Holding& holding) {
  std::unique_ptr<Later> self{this};
  if (!error && !kept_->member().lease_.covers(holding.term)) {
    // The lease was over before it could be told.
    kept_->leave(holding.request);
    return ask(std::move(self));
  }
  cancel_.reset();
  completion_.on_answer(error, holding);
}

Member::Member(NodeConfig config)
    : can_lose_(config.engine.has_value()),
      ttl_(config.times.ttl),
      lease_(config.engine.has_value()) {
  const bool has_engine = config.engine.has_value();
  auto daemon = Daemon::create(loop_.io(), std::move(config), {});
  if (!daemon) throw std::system_error{make_error_code(Errc::refused), daemon.error().message};
  daemon_ = std::move(*daemon);
  daemon_->on_leased([this](Instant until) { lease_.renew(until); });
  daemon_->on_left([this] { on_left(); });
  if (const auto started = daemon_->start(); !started) {
    throw std::system_error{make_error_code(has_engine ? Errc::unreachable : Errc::refused),
                            started.error().message};
  }
  loop_.start();
}

// Every Mutex and the like keeps its member alive, so nobody waits here any more; but what they
// gave back last may still be on its way here.
Member::~Member() {
  loop_.visit([this] {
    for (const auto& [name, spot] : spots_) spot->close();
    while (!campaigns_.empty()) end_campaign(campaigns_.begin()->first);
    while (!grants_.empty()) drop(grants_.begin()->first);
  });
  // So that the others need not wait for our lease to be over. They wait no longer than that if we
  // cannot.
  std::string ignored;
  if (lease_.runs_out()) (void)leave_until(std::chrono::steady_clock::now() + ttl_, {}, ignored);
  loop_.visit([this] { daemon_->stop(); });
  loop_.finish();
}

std::shared_ptr<detail::Spot> Member::spot(const std::string& name) {
  const std::lock_guard lock{mutex_};
  std::shared_ptr<Kept>& spot = spots_[name];
  if (!spot) spot = std::make_shared<Kept>(*this, name);
  return spot;
}

bool Member::enter_again(detail::Spot* spot, detail::Holding& holding) noexcept {
  return static_cast<Kept&>(*spot).enter_again(holding);
}

std::error_code Member::acquire(const std::string&, detail::Spot* spot, detail::Deadline deadline,
                                const std::stop_token& cancel, detail::Holding& holding) {
  // Who is on the loop would wait for itself.
  if (SharedLoop::is_on_any()) {
    return std::make_error_code(std::errc::resource_deadlock_would_occur);
  }
  auto& kept = static_cast<Kept&>(*spot);
  for (;;) {
    Awaited waiting{loop_};
    std::optional<std::stop_callback<Canceller>> canceller;
    loop_.await(
        waiting.thread, deadline,
        [&] {
          waiting.known_as = daemon_->next_waiter();
          if (cancel.stop_possible()) {
            canceller.emplace(cancel, Canceller{kept.shared_from_this(), waiting.known_as});
          }
          kept.ask(waiting);
        },
        [&] { kept.give_up(waiting.known_as, Errc::timed_out); });
    if (waiting.error) return waiting.error;
    if (lease_.covers(waiting.holding.term)) {
      holding = waiting.holding;
      return {};
    }
    kept.leave(waiting.holding.request);  // The lease was over before we heard of it: once more.
  }
}

void Member::acquire_later(const std::string&, detail::Spot* spot, const std::stop_token& cancel,
                           detail::Completion& completion) {
  auto& kept = static_cast<Kept&>(*spot);
  loop_.visit([this, &kept, &completion, cancel] {
    detail::Holding holding;
    if (kept.enter_again(holding)) {
      // Not from here: whoever asks again as soon as it is answered would never come to an end.
      return asio::post(loop_.io(), [&completion, holding] { completion.on_answer({}, holding); });
    }
    Later::ask(std::make_unique<Later>(kept.shared_from_this(), cancel, completion));
  });
}

void Member::release(detail::Spot* spot, const detail::Holding& holding) noexcept {
  static_cast<Kept&>(*spot).leave(holding.request);
}

std::chrono::milliseconds Member::valid_for() const {
  using std::chrono::milliseconds;
  if (!lease_.runs_out()) return milliseconds::max();
  return std::chrono::duration_cast<milliseconds>(lease_.left());
}

bool Member::is_complete() {
  HAPAX_CHECK(!SharedLoop::is_on_any());
  bool all = false;
  loop_.visit([&] { all = daemon_->is_complete(); });
  return all;
}

// --- leaving ---

std::error_code Member::leave(std::chrono::milliseconds patience, std::string& why) {
  constexpr std::chrono::seconds kForTheView{60};  // To be agreed on, after the draining.
  return leave_until(std::chrono::steady_clock::now() + patience + kForTheView, patience, why);
}

std::error_code Member::leave_until(detail::Deadline deadline, std::chrono::milliseconds patience,
                                    std::string& why) {
  if (SharedLoop::is_on_any()) {
    return std::make_error_code(std::errc::resource_deadlock_would_occur);
  }
  SharedLoop::Waiter waiter;
  std::error_code error;
  loop_.await(
      waiter, deadline,
      [&] {
        if (has_left_) return loop_.wake(waiter);
        leavers_.push_back(&waiter);
        if (std::exchange(is_leaving_, true)) return;
        for (const auto& spot : all_spots()) spot->stop_keeping();
        if (const auto going = daemon_->leave(patience); !going) {
          is_leaving_ = false;
          why = going.error().message;
          error = Errc::refused;
          leavers_.pop_back();
          loop_.wake(waiter);
        }
      },
      [&] {
        error = Errc::timed_out;
        std::erase(leavers_, &waiter);
        loop_.wake(waiter);
      });
  return error;
}

void Member::on_left() {
  has_left_ = true;
  for (const auto& spot : all_spots()) spot->give_all_up();
  give_up_all();
  for (SharedLoop::Waiter* waiter : std::exchange(leavers_, {})) loop_.wake(*waiter);
  asio::post(loop_.io(), [this] { daemon_->stop(); });  // Not from within what has called us.
}

std::vector<std::shared_ptr<Member::Kept>> Member::all_spots() {
  const std::lock_guard lock{mutex_};
  std::vector<std::shared_ptr<Kept>> spots;
  for (const auto& [name, spot] : spots_) spots.push_back(spot);
  return spots;
}

}  // namespace hapax::client
