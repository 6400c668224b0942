#include "client/member.h"

#include <boost/asio/post.hpp>
#include <boost/intrusive/list.hpp>
#include <utility>
#include <vector>

#include "base/check.h"
#include "hapax/error.h"
#include "node/boot_clock.h"

namespace hapax::client {
namespace {

namespace asio = boost::asio;

// The word of a spot: two bits of state, and above them the number of the last entry. No two
// entries by one spot have the same number, so that what was lost cannot be taken for what is held
// now.
enum class Keeping : std::uint64_t {
  away = 0,    // Not ours to enter without asking.
  kept = 1,    // Nobody is inside, and the table believes that we are.
  used = 2,    // Somebody is inside.
  wanted = 3,  // Somebody is inside, and the unlock gives back.
};
constexpr std::uint64_t kNumberShift = 2;

constexpr std::uint64_t word_of(Keeping keeping, std::uint64_t number) {
  return number << kNumberShift | static_cast<std::uint64_t>(keeping);
}
constexpr Keeping keeping_of(std::uint64_t word) { return static_cast<Keeping>(word & 3); }
constexpr std::uint64_t number_of(std::uint64_t word) { return word >> kNumberShift; }

}  // namespace

// A request of this process that the daemon knows of. All of it belongs to the loop.
class Member::Waiting : public boost::intrusive::list_base_hook<> {
 public:
  // May be gone when it returns.
  virtual void answer(std::error_code error, const detail::Holding& holding) = 0;

  WaiterId known_as{};

 protected:
  ~Waiting() = default;
};

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

// One lock of this process. Everything but the word, and what goes with it, belongs to the loop.
class Member::Kept final : public detail::Spot,
                           public LocalAsker,
                           public std::enable_shared_from_this<Kept> {
 public:
  Kept(Member& member, std::string name) : member_(member), name_(std::move(name)) {}

  // --- any thread ---

  bool enter_again(detail::Holding& holding) noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while (keeping_of(word) == Keeping::kept) {
      // If the loop changes any of this meanwhile, it has changed the word before.
      const detail::Holding next = holding_for(number_of(word) + 1);
      const Instant until = member_.lease_.until();
      if (next.term != member_.lease_.term()) return false;
      if (!word_.compare_exchange_weak(word, word_of(Keeping::used, next.request),
                                       std::memory_order_acq_rel, std::memory_order_acquire)) {
        continue;
      }
      // Looked at last: what is in time now was in time when the word was taken.
      if (until != Lease::kForever && boot_clock_now() >= until) {
        leave(next);
        return false;
      }
      holding = next;
      return true;
    }
    return false;
  }

  void leave(const detail::Holding& holding) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const Keeping keeping = keeping_of(word);
      // It was lost, and somebody else may be inside by now.
      if (number_of(word) != holding.request) return;
      if (keeping != Keeping::used && keeping != Keeping::wanted) return;
      const bool keep = keeping == Keeping::used;
      const std::uint64_t next = word_of(keep ? Keeping::kept : Keeping::away, holding.request);
      if (!word_.compare_exchange_weak(word, next, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        continue;
      }
      if (keep) return;
      break;
    }
    member_.loop_.visit(
        [self = shared_from_this(), number = holding.request] { self->give_back(number); });
  }

  Member& member() { return member_; }

  // --- the loop ---

  // `waiting` may be answered, and gone, before this returns.
  void ask(Waiting& waiting) {
    open_.push_back(waiting);
    if (member_.has_left_) return end(waiting, Errc::lost, {});
    const auto asked = member_.daemon_->acquire(name_, waiting.known_as, *this);
    if (!asked) end(waiting, Errc::refused, {});
  }
  void give_up(WaiterId waiter, std::error_code why) {
    for (Waiting& waiting : open_) {
      if (waiting.known_as != waiter) continue;
      HAPAX_CHECK(member_.daemon_->abandon(name_, waiter));
      return end(waiting, why, {});
    }
  }
  void on_granted(WaiterId waiter, Fence fence, bool may_keep) override {
    const std::uint64_t before = word_.load(std::memory_order_relaxed);
    HAPAX_CHECK(keeping_of(before) == Keeping::away);
    const std::uint64_t number = number_of(before) + 1;
    holder_ = waiter;
    first_.store(number, std::memory_order_release);
    epoch_.store(hapax::number(fence.epoch), std::memory_order_release);
    turn_.store(hapax::number(fence.turn), std::memory_order_release);
    term_.store(member_.lease_.grant(), std::memory_order_release);
    // What cannot be kept is released by the first unlock; nor is what a view granted that has
    // stopped meanwhile.
    const bool keep = may_keep && fence.epoch == member_.daemon_->epoch() && !member_.is_leaving_;
    word_.store(word_of(keep ? Keeping::used : Keeping::wanted, number), std::memory_order_release);
    // First come, first served: as a rule it is the first.
    auto at = open_.begin();
    while (at->known_as != waiter) ++at;
    end(*at, {}, holding_for(number));
  }
  void on_wanted(WaiterId) override { stop_keeping(); }
  // The next unlock gives back; at once, if nobody is inside.
  void stop_keeping() {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const Keeping keeping = keeping_of(word);
      if (keeping != Keeping::kept && keeping != Keeping::used) return;
      const Keeping next = keeping == Keeping::kept ? Keeping::away : Keeping::wanted;
      if (word_.compare_exchange_weak(word, word_of(next, number_of(word)),
                                      std::memory_order_acquire, std::memory_order_relaxed)) {
        if (keeping == Keeping::kept) give_back(number_of(word));
        return;
      }
    }
  }
  // Before the report: what is only kept is not entered any more, and what is in use is given back
  // by its unlock, however the view goes on.
  bool is_inside(WaiterId waiter) override {
    if (holder_ != waiter) return true;  // It has not been told yet.
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const Keeping keeping = keeping_of(word);
      if (keeping != Keeping::kept && keeping != Keeping::used) return true;
      const Keeping next = keeping == Keeping::kept ? Keeping::away : Keeping::wanted;
      if (word_.compare_exchange_weak(word, word_of(next, number_of(word)),
                                      std::memory_order_acquire, std::memory_order_relaxed)) {
        if (keeping == Keeping::used) return true;
        holder_.reset();
        return false;
      }
    }
  }
  std::optional<Turn> take_back(WaiterId waiter) override {
    if (holder_ != waiter) return std::nullopt;
    holder_.reset();
    // Away, whatever it was; the number stays.
    const std::uint64_t word =
        word_.fetch_and(~word_of(Keeping::wanted, 0), std::memory_order_acq_rel);
    return holding_for(number_of(word)).fence.turn;
  }
  void on_lost(WaiterId waiter) override {
    (void)take_back(waiter);  // It was told of its grant after that had been lost.
    member_.lease_.end();
  }
  void give_back(std::uint64_t number) {
    // It was lost, or the member has left.
    if (!holder_ || number_of(word_.load(std::memory_order_relaxed)) != number) return;
    const WaiterId holder = *std::exchange(holder_, std::nullopt);
    member_.daemon_->release(name_, holder, holding_for(number).fence.turn);
  }
  // The member has left its group: nobody waits any longer.
  void give_all_up() {
    while (!open_.empty()) end(open_.front(), Errc::lost, {});
  }
  // The member is about to be gone. Nobody waits any more; what is held or kept is released, since
  // others may wait for it.
  void close() {
    HAPAX_CHECK(open_.empty());
    const std::uint64_t word =
        word_.fetch_and(~word_of(Keeping::wanted, 0), std::memory_order_acq_rel);
    give_back(number_of(word));
  }

 private:
  void end(Waiting& waiting, std::error_code error, const detail::Holding& holding) {
    open_.erase(open_.iterator_to(waiting));
    waiting.answer(error, holding);
  }
  // The entry of that number, by the last grant.
  detail::Holding holding_for(std::uint64_t number) const noexcept {
    const std::uint64_t again = number - first_.load(std::memory_order_acquire);
    return {number,
            {Epoch{epoch_.load(std::memory_order_acquire)},
             Turn{turn_.load(std::memory_order_acquire) + again}},
            {},
            term_.load(std::memory_order_acquire)};
  }

  Member& member_;
  const std::string name_;
  std::atomic<std::uint64_t> word_{word_of(Keeping::away, 0)};
  // Of the last grant, written while the word is away: its number, its fence, its term.
  std::atomic<std::uint64_t> first_{0}, epoch_{0}, turn_{0};
  std::atomic<Lease::Term> term_{0};
  std::optional<WaiterId> holder_;        // As the table knows it.
  boost::intrusive::list<Waiting> open_;  // In the order of their asking.
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
    kept_->leave(holding);
    return ask(std::move(self));
  }
  cancel_.reset();
  completion_.on_answer(error, holding);
}

Member::Member(NodeConfig config) : ttl_(config.times.ttl), lease_(config.engine.has_value()) {
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
    kept.leave(waiting.holding);  // The lease was over before we heard of it: once more.
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
  static_cast<Kept&>(*spot).leave(holding);
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
