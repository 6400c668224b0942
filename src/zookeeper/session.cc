#include "zookeeper/session.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/ranges.h>
#include <mutex>
#include <random>
#include <utility>
#include <zookeeper/zookeeper.h>

namespace hapax::engine::zookeeper {
namespace {

// How long a server may be silent is part of it. It has nothing to do with the lease of a lock.
constexpr int kSessionMs = 6'000;
// There may be no handle because a name cannot be looked up; that is not tried all the time.
constexpr std::chrono::milliseconds kReopen{100};

// How long a connection to the next server may take before we move on; twice as long each time, so
// that servers that are slow rather than silent are reached in the end.
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::milliseconds kLongestPatience{4'000};
// A server from which nothing has come for this long, with an answer overdue, is silent.
constexpr std::chrono::milliseconds kSilence{100};

void say_nothing(const char*) {}  // health() says what there is to say.

}  // namespace

struct Session::Mail {
  std::mutex mutex;
  std::condition_variable arrived;
  bool interrupted = false;
  std::uint64_t answers = 0;  // Of whatever kind.
};

// An answer to come. ZooKeeper's thread and ours both hold it: we may have stopped waiting.
struct Session::Slot {
  std::shared_ptr<Mail> mail;
  bool done = false;
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
  std::uint64_t answers_before = 0;
  Code code = ZOPERATIONTIMEOUT;  // What it is until it is done.
  std::string data;
  std::int32_t version = 0;
  std::vector<std::string> names;
  std::vector<zoo_op_result_t> results;
  std::vector<Stat> stats;

  Code result() const {
    const std::lock_guard lock{mail->mutex};
    return code;
  }
  Node node() const {
    const std::lock_guard lock{mail->mutex};
    return {code, data, version};
  }

  template <class F>
  static void fill(const void* held, Code code, F&& more) {
    const auto* pointer = static_cast<const std::shared_ptr<Slot>*>(held);
    const std::shared_ptr<Slot> slot = *pointer;
    delete pointer;
    const std::lock_guard lock{slot->mail->mutex};
    slot->code = code;
    if (code == ZOK) more(*slot);
    slot->done = true;
    if (code != ZCLOSING) ++slot->mail->answers;  // That one is ours.
    slot->mail->arrived.notify_all();
  }
  static void got_node(int code, const char* data, int size, const Stat* stat, const void* held) {
    fill(held, code, [&](Slot& slot) {
      if (size > 0) slot.data.assign(data, static_cast<std::size_t>(size));
      slot.version = stat->version;
    });
  }
  static void got_names(int code, const String_vector* names, const void* held) {
    fill(held, code,
         [&](Slot& slot) { slot.names.assign(names->data, names->data + names->count); });
  }
  static void got_text(int code, const char*, const void* held) {
    fill(held, code, [](Slot&) {});
  }
  static void got_nothing(int code, const void* held) {
    fill(held, code, [](Slot&) {});
  }
};

Session::Session(std::vector<std::string> servers, std::string login)
    : servers_(std::move(servers)),
      login_(std::move(login)),
      mail_(std::make_shared<Mail>()),
      patience_(kPatience) {
  // Not all clients to the same server. From then on the order is ours: see move_on().
  zoo_deterministic_conn_order(1);
  std::shuffle(servers_.begin(), servers_.end(), std::random_device{});
  reopen();
}

Session::~Session() {
  // Everything under way is answered with ZCLOSING, which releases the slots.
  if (handle_ != nullptr) zookeeper_close(handle_);
}

void Session::reopen() {
  opened_ = std::chrono::steady_clock::now();
  // Closing takes a second or two if the server is silent. Each close waits for the one before.
  if (handle_ != nullptr) {
    closer_ =
        std::jthread{[handle = handle_, before = std::move(closer_)] { zookeeper_close(handle); }};
  }
  const auto changed = [](zhandle_t*, int, int, const char*, void* self) {
    ++static_cast<Session*>(self)->changes_;
  };
  const std::string servers = fmt::format("{}", fmt::join(servers_, ","));
  handle_ = zookeeper_init2(servers.c_str(), changed, kSessionMs, nullptr, this, 0, say_nothing);
  if (handle_ == nullptr || login_.empty()) return;
  zoo_add_auth(handle_, "digest", login_.data(), static_cast<int>(login_.size()), nullptr, nullptr);
}

// A new session, with the next server first.
void Session::move_on() {
  if (servers_.size() == 1) return;
  std::rotate(servers_.begin(), servers_.begin() + 1, servers_.end());
  reopen();
}

bool Session::connected() const {
  return handle_ != nullptr && zoo_state(handle_) == ZOO_CONNECTED_STATE;
}

bool Session::connect(Deadline deadline) {
  if (std::exchange(is_silent_, false)) move_on();
  while (!connected()) {
    const auto now = std::chrono::steady_clock::now();
    const bool over = handle_ == nullptr || is_unrecoverable(handle_) == ZINVALIDSTATE;
    if (!away_since_) away_since_ = now;
    if (now - *away_since_ > patience_) {
      away_since_ = now;
      patience_ = std::min(2 * patience_, kLongestPatience);
      move_on();
    } else if (over && now - opened_ > kReopen) {
      reopen();
    }
    std::unique_lock lock{mail_->mutex};
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds{5};
    mail_->arrived.wait_until(lock, std::min(soon, deadline),
                              [this] { return mail_->interrupted; });
    if (mail_->interrupted || std::chrono::steady_clock::now() >= deadline) return false;
  }
  away_since_.reset();
  patience_ = kPatience;
  return true;
}

void Session::interrupt() {
  const std::lock_guard lock{mail_->mutex};
  mail_->interrupted = true;
  mail_->arrived.notify_all();
}

// Hands a slot to `submit` to give to ZooKeeper. What ZooKeeper does not accept it does not answer.
template <class F>
std::shared_ptr<Session::Slot> Session::ask(F&& submit) {
  auto slot = std::make_shared<Slot>();
  slot->mail = mail_;
  {
    const std::lock_guard lock{mail_->mutex};
    slot->answers_before = mail_->answers;
  }
  auto held = std::make_unique<std::shared_ptr<Slot>>(slot);
  const Code code = submit(*slot, held.get());
  if (code == ZOK) {
    (void)held.release();  // Slot::fill deletes it.
  } else {
    slot->code = code;
    slot->done = true;
  }
  return slot;
}

Session::Slot& Session::wait(Slot& slot, Deadline deadline) {
  std::unique_lock lock{mail_->mutex};
  mail_->arrived.wait_until(lock, deadline, [&] { return slot.done || mail_->interrupted; });
  if (!slot.done && mail_->answers == slot.answers_before &&
      std::chrono::steady_clock::now() - slot.asked >= kSilence) {
    is_silent_ = true;
  }
  return slot;
}

Deadline Session::share_of(Deadline deadline) const {
  if (servers_.size() == 1) return deadline;
  const auto now = std::chrono::steady_clock::now();
  return now + (deadline - now) / (servers_.size() + 1);
}

std::vector<Node> Session::get(const std::vector<std::string>& paths, Deadline deadline) {
  std::vector<std::shared_ptr<Slot>> slots;
  for (const std::string& path : paths) {
    slots.push_back(ask([&](Slot&, void* held) {
      return zoo_aget(handle_, path.c_str(), 0, Slot::got_node, held);
    }));
  }
  std::vector<Node> nodes;
  const Deadline share = share_of(deadline);
  for (const auto& slot : slots) nodes.push_back(wait(*slot, share).node());
  return nodes;
}

Node Session::get_and_watch(const std::string& path, Deadline deadline) {
  const auto slot = ask([&](Slot&, void* held) {
    return zoo_aget(handle_, path.c_str(), 1, Slot::got_node, held);  // 1: tell `changed`.
  });
  return wait(*slot, share_of(deadline)).node();
}

Children Session::children(const std::string& path, Deadline deadline) {
  const auto slot = ask([&](Slot&, void* held) {
    return zoo_aget_children(handle_, path.c_str(), 0, Slot::got_names, held);
  });
  wait(*slot, share_of(deadline));
  const std::lock_guard lock{mail_->mutex};
  return {slot->code, slot->names};
}

// ZooKeeper's client (3.8) frees what it never had if the session is over when a multi is asked
// for. From a connection to that it takes a while, so one that is connected now will do.
Code Session::multi(const std::vector<Step>& steps, Deadline deadline) {
  if (!connected()) return ZCONNECTIONLOSS;
  const auto slot = ask([&](Slot& mine, void* held) {
    std::vector<zoo_op_t> ops(steps.size());
    mine.results.resize(steps.size());
    mine.stats.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const char* path = step.path.c_str();
      const int size = static_cast<int>(step.data.size());
      switch (step.kind) {
        case Step::Kind::create:
          zoo_create_op_init(&ops[i], path, step.data.data(), size, acl(false), 0, nullptr, 0);
          break;
        case Step::Kind::set:
          zoo_set_op_init(&ops[i], path, step.data.data(), size, step.version, &mine.stats[i]);
          break;
        case Step::Kind::remove:
          zoo_delete_op_init(&ops[i], path, -1);
          break;
        case Step::Kind::check:
          zoo_check_op_init(&ops[i], path, step.version);
          break;
      }
    }
    return zoo_amulti(handle_, static_cast<int>(ops.size()), ops.data(), mine.results.data(),
                      Slot::got_nothing, held);
  });
  return wait(*slot, deadline).result();
}

Code Session::create(const std::string& path, const std::string& data, bool open,
                     Deadline deadline) {
  const auto slot = ask([&](Slot&, void* held) {
    return zoo_acreate(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), acl(open),
                       0, Slot::got_text, held);
  });
  return wait(*slot, deadline).result();
}

Code Session::sync(const std::string& path, Deadline deadline) {
  const auto slot = ask(
      [&](Slot&, void* held) { return zoo_async(handle_, path.c_str(), Slot::got_text, held); });
  return wait(*slot, share_of(deadline)).result();
}

const ACL_vector* Session::acl(bool open) const {
  return open || login_.empty() ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL;
}

}  // namespace hapax::engine::zookeeper
