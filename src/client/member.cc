#include "client/member.h"

#include <boost/asio/post.hpp>
#include <set>
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

// One lock of this process. What follows the word belongs to the member's thread, or is guarded.
class Member::Kept final : public detail::Spot, public std::enable_shared_from_this<Kept> {
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
    asio::post(member_.io_,
               [self = shared_from_this(), turn = turn_of(word)] { self->give_back(Turn{turn}); });
  }

  // A request of one thread of this process.
  struct Waiting final : LocalAsker, std::enable_shared_from_this<Waiting> {
    explicit Waiting(std::shared_ptr<Kept> k) : kept(std::move(k)) {}

    // On the member's thread.
    void on_granted(WaiterId waiter, Fence fence, bool may_keep) override {
      kept->holder_ = waiter;
      kept->granted_ = shared_from_this();
      kept->open_.erase(kept->granted_);
      // What cannot be kept is released by the first unlock.
      kept->word_.store(word_of(may_keep ? Keeping::used : Keeping::wanted, number(fence.turn)),
                        std::memory_order_release);
      const std::lock_guard lock{mutex};
      result = fence;
      done = true;
      answered.notify_all();
    }
    void on_wanted(WaiterId) override { kept->on_wanted(); }
    void fail(std::error_code e) {
      const std::lock_guard lock{mutex};
      error = e;
      done = true;
      answered.notify_all();
    }

    std::shared_ptr<Kept> kept;
    std::optional<WaiterId> known_as;  // The member's thread's.
    std::mutex mutex;                  // Guards what follows.
    std::condition_variable_any answered;
    bool done = false;
    std::error_code error;
    Fence result;
  };

  // --- the member's thread ---

  void ask(const std::shared_ptr<Waiting>& waiting) {
    open_.insert(waiting);
    // May be granted before it returns.
    const auto waiter = member_.daemon_->acquire(name_, *waiting);
    if (!waiter) {
      open_.erase(waiting);
      return waiting->fail(Errc::refused);
    }
    waiting->known_as = *waiter;
  }
  void give_up(const std::shared_ptr<Waiting>& waiting, std::error_code why) {
    if (!open_.contains(waiting)) return;  // Granted meanwhile, or refused.
    if (!member_.daemon_->abandon(name_, *waiting->known_as)) return;
    open_.erase(waiting);
    waiting->fail(why);
  }
  void on_wanted() {
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
    const WaiterId waiter = *std::exchange(holder_, std::nullopt);
    // It lives until the daemon has let go of it.
    const std::shared_ptr<Waiting> granted = std::exchange(granted_, nullptr);
    member_.daemon_->release(name_, waiter, last);
  }
  // The member leaves: what is waited for is given up, and what is held or kept is released, since
  // others wait for it.
  void close() {
    for (const auto& waiting : std::exchange(open_, {})) {
      member_.daemon_->abandon(name_, *waiting->known_as);
      waiting->fail(Errc::lost);
    }
    const std::uint64_t word = word_.exchange(word_of(Keeping::away, 0));
    give_back(Turn{turn_of(word)});
  }

 private:
  Member& member_;
  const std::string name_;
  std::atomic<std::uint64_t> word_{word_of(Keeping::away, 0)};
  std::optional<WaiterId> holder_;           // As the table knows it.
  std::set<std::shared_ptr<Waiting>> open_;  // Requests that the daemon knows of …
  std::shared_ptr<Waiting> granted_;         // … and the one that it granted.
};

Member::Member(NodeConfig config)
    : size_(static_cast<std::uint32_t>(config.members.size())), epoch_(config.epoch) {
  auto daemon = Daemon::create(io_, std::move(config), {});
  if (!daemon) throw std::system_error{make_error_code(Errc::refused), daemon.error().message};
  daemon_ = std::move(*daemon);
  if (const auto started = daemon_->start(); !started) {
    throw std::system_error{make_error_code(Errc::refused), started.error().message};
  }
  thread_ = std::thread{[this] { io_.run(); }};
}

Member::~Member() {
  asio::post(io_, [this] {
    const std::lock_guard lock{mutex_};
    for (const auto& [name, spot] : spots_) spot->close();
    drop_all();
    daemon_->stop();
  });
  thread_.join();
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
  auto& kept = static_cast<Kept&>(*spot);
  const auto waiting = std::make_shared<Kept::Waiting>(kept.shared_from_this());
  asio::post(io_, [waiting] { waiting->kept->ask(waiting); });
  std::unique_lock lock{waiting->mutex};
  const auto is_done = [&] { return waiting->done; };
  if (!waiting->answered.wait_until(lock, cancel, deadline, is_done)) {
    const std::error_code why = cancel.stop_requested() ? Errc::cancelled : Errc::timed_out;
    lock.unlock();
    asio::post(io_, [waiting, why] { waiting->kept->give_up(waiting, why); });
    lock.lock();
    // The member's thread has the last word: granted meanwhile, or given up.
    waiting->answered.wait(lock, is_done);
  }
  if (waiting->error) return waiting->error;
  holding = {0, waiting->result};
  return {};
}

void Member::release(detail::Spot* spot, const detail::Holding&) noexcept {
  static_cast<Kept&>(*spot).leave();
}

std::chrono::milliseconds Member::valid_for() const {
  // Within a view nothing runs out; leases come with the views.
  return lost_.stop_requested() ? std::chrono::milliseconds{0} : std::chrono::milliseconds::max();
}

bool Member::is_complete() {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<bool> complete;
  asio::post(io_, [&] {
    bool all = true;
    for (std::uint32_t i = 0; i < size_; ++i) all = all && daemon_->is_up(NodeId{i});
    const std::lock_guard lock{mutex};
    complete = all;
    answered.notify_one();
  });
  std::unique_lock lock{mutex};
  answered.wait(lock, [&] { return complete.has_value(); });
  return *complete;
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
std::vector<LockInfo> Node::who(std::string_view name, std::vector<std::uint32_t>* silent) {
  return client::who(*gateway_, name, silent);
}
GroupStatus Node::status() { return client::status(*gateway_); }
MemberStats Node::stats() { return client::stats(*gateway_); }

}  // namespace hapax
