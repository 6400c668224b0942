#include "client/member.h"

#include <boost/asio/post.hpp>
#include <boost/intrusive/list.hpp>
#include <utility>

#include "base/check.h"
#include "client/questions.h"
#include "hapax/error.h"
#include "hapax/node.h"

namespace hapax::client {
namespace {

namespace asio = boost::asio;

// The word of a spot: two bits of state, the turn above them.
enum class Keeping : std::uint64_t {
  away = 0,    // Not ours to enter without asking.
  kept = 1,    // Nobody is inside, and the table believes that we are.
  used = 2,    // Somebody is inside.
  wanted = 3,  // Somebody is inside, and others wait for the unlock.
};
constexpr std::uint64_t kTurnShift = 2;

constexpr std::uint64_t word_of(Keeping keeping, std::uint64_t turn) {
  return turn << kTurnShift | static_cast<std::uint64_t>(keeping);
}
constexpr Keeping keeping_of(std::uint64_t word) { return static_cast<Keeping>(word & 3); }
constexpr std::uint64_t turn_of(std::uint64_t word) { return word >> kTurnShift; }

}  // namespace

// A request of this process that the daemon knows of. All of it belongs to the loop.
class Member::Waiting : public boost::intrusive::list_base_hook<> {
 public:
  // May be gone when it returns.
  virtual void answer(std::error_code error, Fence fence) = 0;

  WaiterId known_as{};

 protected:
  ~Waiting() = default;
};

// A thread waits.
class Member::Awaited final : public Waiting {
 public:
  explicit Awaited(SharedLoop& loop) : loop_(loop) {}
  void answer(std::error_code e, Fence f) override {
    error = e;
    fence = f;
    loop_.wake(thread);
  }

  SharedLoop::Waiter thread;
  std::error_code error;
  Fence fence;

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
  explicit Later(detail::Completion& completion) : completion_(completion) {}
  void answer(std::error_code error, Fence fence) override {
    const std::unique_ptr<Later> self{this};
    completion_.on_answer(error, {0, fence});
  }

  std::optional<std::stop_callback<Canceller>> cancel;

 private:
  detail::Completion& completion_;
};

// One lock of this process. Everything but the word belongs to the loop.
class Member::Kept final : public detail::Spot,
                           public LocalAsker,
                           public std::enable_shared_from_this<Kept> {
 public:
  Kept(Member& member, std::string name) : member_(member), name_(std::move(name)) {}

  // --- any thread ---

  bool enter_again(Epoch epoch, detail::Holding& holding) {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (keeping_of(word) == Keeping::kept) {
      const std::uint64_t next = word_of(Keeping::used, turn_of(word) + 1);
      if (word_.compare_exchange_weak(word, next, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        holding = {0, {epoch, Turn{turn_of(word) + 1}}};
        return true;
      }
    }
    return false;
  }

  void leave() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const bool keep = keeping_of(word) == Keeping::used;
      const std::uint64_t next = word_of(keep ? Keeping::kept : Keeping::away, turn_of(word));
      if (!word_.compare_exchange_weak(word, next, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        continue;
      }
      if (keep) return;
      break;
    }
    member_.loop_.visit(
        [self = shared_from_this(), turn = turn_of(word)] { self->give_back(Turn{turn}); });
  }

  Member& member() { return member_; }

  // --- the loop ---

  // `waiting` may be answered, and gone, before this returns.
  void ask(Waiting& waiting) {
    open_.push_back(waiting);
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
    holder_ = waiter;
    // What cannot be kept is released by the first unlock.
    word_.store(word_of(may_keep ? Keeping::used : Keeping::wanted, number(fence.turn)),
                std::memory_order_release);
    // First come, first served: as a rule it is the first.
    auto at = open_.begin();
    while (at->known_as != waiter) ++at;
    end(*at, {}, fence);
  }
  void on_wanted(WaiterId) override {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const Keeping keeping = keeping_of(word);
      if (keeping != Keeping::kept && keeping != Keeping::used) return;
      const Keeping next = keeping == Keeping::kept ? Keeping::away : Keeping::wanted;
      if (word_.compare_exchange_weak(word, word_of(next, turn_of(word)), std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        if (keeping == Keeping::kept) give_back(Turn{turn_of(word)});
        return;
      }
    }
  }
  void give_back(Turn last) {
    if (!holder_) return;  // Nothing is held, or the member has left.
    member_.daemon_->release(name_, *std::exchange(holder_, std::nullopt), last);
  }
  // The member leaves. Nobody waits any more; what is held or kept is released, since others may
  // wait for it.
  void close() {
    HAPAX_CHECK(open_.empty());
    const std::uint64_t word = word_.exchange(word_of(Keeping::away, 0));
    give_back(Turn{turn_of(word)});
  }

 private:
  void end(Waiting& waiting, std::error_code error, Fence fence) {
    open_.erase(open_.iterator_to(waiting));
    waiting.answer(error, fence);
  }

  Member& member_;
  const std::string name_;
  std::atomic<std::uint64_t> word_{word_of(Keeping::away, 0)};
  std::optional<WaiterId> holder_;        // As the table knows it.
  boost::intrusive::list<Waiting> open_;  // In the order of their asking.
};

void Member::Canceller::operator()() const {
  kept->member().loop_.post([k = kept, w = waiter] { k->give_up(w, Errc::cancelled); });
}

Member::Member(NodeConfig config)
    : size_(static_cast<std::uint32_t>(config.members.size())), epoch_(config.epoch) {
  auto daemon = Daemon::create(loop_.io(), std::move(config), {});
  if (!daemon) throw std::system_error{make_error_code(Errc::refused), daemon.error().message};
  daemon_ = std::move(*daemon);
  if (const auto started = daemon_->start(); !started) {
    throw std::system_error{make_error_code(Errc::refused), started.error().message};
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
    daemon_->stop();
  });
  loop_.finish();
}

std::shared_ptr<detail::Spot> Member::spot(const std::string& name) {
  const std::lock_guard lock{mutex_};
  std::shared_ptr<Kept>& spot = spots_[name];
  if (!spot) spot = std::make_shared<Kept>(*this, name);
  return spot;
}

bool Member::enter_again(detail::Spot* spot, detail::Holding& holding) noexcept {
  return static_cast<Kept&>(*spot).enter_again(epoch_, holding);
}

std::error_code Member::acquire(const std::string&, detail::Spot* spot, detail::Deadline deadline,
                                const std::stop_token& cancel, detail::Holding& holding) {
  // Who is on the loop would wait for itself.
  if (SharedLoop::is_on_any()) {
    return std::make_error_code(std::errc::resource_deadlock_would_occur);
  }
  auto& kept = static_cast<Kept&>(*spot);
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
  holding = {0, waiting.fence};
  return {};
}

void Member::acquire_later(const std::string&, detail::Spot* spot, const std::stop_token& cancel,
                           detail::Completion& completion) {
  auto& kept = static_cast<Kept&>(*spot);
  loop_.visit([this, &kept, &completion, cancel] {
    detail::Holding holding;
    if (kept.enter_again(epoch_, holding)) {
      // Not from here: whoever asks again as soon as it is answered would never come to an end.
      return asio::post(loop_.io(), [&completion, holding] { completion.on_answer({}, holding); });
    }
    auto later = std::make_unique<Later>(completion);
    later->known_as = daemon_->next_waiter();
    if (cancel.stop_possible()) {
      later->cancel.emplace(cancel, Canceller{kept.shared_from_this(), later->known_as});
    }
    kept.ask(*later.release());
  });
}

void Member::release(detail::Spot* spot, const detail::Holding&) noexcept {
  static_cast<Kept&>(*spot).leave();
}

std::chrono::milliseconds Member::valid_for() const {
  // Within a view nothing runs out; leases come with the views.
  return lost_.stop_requested() ? std::chrono::milliseconds{0} : std::chrono::milliseconds::max();
}

bool Member::is_complete() {
  HAPAX_CHECK(!SharedLoop::is_on_any());
  bool all = true;
  loop_.visit([&] {
    for (std::uint32_t i = 0; i < size_; ++i) all = all && daemon_->is_up(NodeId{i});
  });
  return all;
}

}  // namespace hapax::client

namespace hapax {
namespace {

NodeConfig config_of(const NodeOptions& options) {
  const auto or_throw = [](auto&& result, Errc errc) {
    if (!result) throw std::system_error{make_error_code(errc), result.error().message};
    return std::move(*result);
  };
  NodeConfig config;
  config.self = NodeId{options.self};
  config.group = options.group;
  for (const std::string& text : options.members) {
    config.members.push_back(or_throw(net::parse_address(text), Errc::bad_address));
  }
  for (const std::string& text : options.clients) {
    config.clients.push_back(or_throw(net::parse_address(text), Errc::bad_address));
  }
  config.policy =
      or_throw(Policy::parse(options.default_algorithm, options.algorithms), Errc::refused);
  const auto election = election_named(options.election);
  if (!election) {
    throw std::system_error{make_error_code(Errc::refused),
                            "there is no election \"" + options.election + '"'};
  }
  config.election = *election;
  if (!options.authority.empty() || !options.certificate.empty() || !options.key.empty()) {
    config.tls = net::TlsFiles{options.authority, options.certificate, options.key};
  }
  return config;
}

}  // namespace

Node::Node(const NodeOptions& options)
    : gateway_(std::make_shared<client::Member>(config_of(options))) {}
Node::~Node() = default;
bool Node::is_complete() const { return static_cast<client::Member&>(*gateway_).is_complete(); }
std::vector<LockInfo> Node::who(std::string_view name, std::vector<std::uint32_t>* silent,
                                std::uint64_t* more_locks) {
  return client::who(*gateway_, name, silent, more_locks);
}
GroupStatus Node::status() { return client::status(*gateway_); }
MemberStats Node::stats() { return client::stats(*gateway_); }

}  // namespace hapax
