// The small steps that a lock is made of: a word that stays, a frame, an entry through lock tables.
#include <array>
#include <memory>
#include <mutex>

#include "base/boot_clock.h"
#include "base/check.h"
#include "base/testing/folder.h"
#include "hapax/hapax.h"
#include "kept/word.h"
#include "locks/lock_table.h"
#include "net/frame.h"
#include "rows.h"

namespace hapax::bench {
namespace {

void repeat(benchmark::State& state, const auto& step) {
  for (auto _ : state) step();
  state.SetItemsProcessed(state.iterations());
}

// A member alone, of a fixed list, so that an entry has no lease to look at. Its threads are there
// while std::mutex is measured, too: in a process of one thread that would not need to be atomic.
Node& member() {
  static const testing::Folder folder;
  static Node node{{.members = {"unix:" + (folder / "member").string()},
                    .state = (folder / "state").string(),
                    .new_group = true}};
  return node;
}

// The same with an engine, and so with a lease.
Node& member_with_lease() {
  static const testing::Folder folder;
  static Node node{{.state = (folder / "state").string(),
                    .new_group = true,
                    .engine = "embedded:" + (folder / "group.db").string()}};
  return node;
}

void plain_mutex(benchmark::State& state) {
  member();
  std::mutex mutex;
  repeat(state, [&] {
    mutex.lock();
    mutex.unlock();
  });
}

void kept_word(benchmark::State& state) {
  kept::Word word{kept::word_of(kept::State::kept, 0)};
  repeat(state, [&] {
    std::uint64_t seen = word.load(std::memory_order_relaxed);
    HAPAX_CHECK(kept::enter(word, seen));
    HAPAX_CHECK(kept::leave(word, kept::number_of(seen) + 1) == kept::Left::kept);
  });
}

void kept_mutex(benchmark::State& state, Node& node) {
  Mutex mutex{node, "again"};
  { const std::lock_guard first{mutex}; }  // It is asked for; from then on it is kept.
  repeat(state, [&] {
    mutex.lock();
    mutex.unlock();
  });
}

// A request in a Data, as members send it, and read again by its receiver.
void frame(benchmark::State& state) {
  Bytes messages;
  net::write_message(messages, std::array<std::uint8_t, 20>{});
  Bytes bytes;
  std::uint64_t number = 0;
  repeat(state, [&] {
    bytes.clear();
    ++number;
    net::write_frame(bytes, net::Data{number, number}, messages);
    const auto read = net::decode_frame(std::span{bytes}.subspan(net::kLengthBytes));
    HAPAX_CHECK(read.value().count == 1);
  });
}

// Three tables: one asks, the others reply, it is granted and releases. Payloads go as they are.
class Tables {
 public:
  explicit Tables(const char* algorithm) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      const Membership membership{Epoch{1}, 3, NodeId{i}};
      tables_[i] = std::make_unique<LockTable>(membership, Policy::parse(algorithm, {}).value());
    }
  }

  void enter_and_leave() {
    HAPAX_CHECK(tables_[0]->acquire("orders/17", WaiterId{1}, outs_[0]).has_value());
    HAPAX_CHECK(carry());
    HAPAX_CHECK(tables_[0]->release("orders/17", WaiterId{1}, outs_[0]).has_value());
    carry();
  }

 private:
  // All to their receivers, and what these answer; whether somebody was granted the lock.
  bool carry() {
    bool granted = false;
    for (bool any = true; any;) {
      any = false;
      for (std::uint32_t from = 0; from < 3; ++from) {
        std::swap(moving_, outs_[from]);
        any = any || !moving_.empty();
        granted = granted || !moving_.grants().empty();
        for (const Outbox::Send& send : moving_.sends()) {
          const std::uint32_t to = number(send.to);
          tables_[to]->receive(NodeId{from}, moving_.bytes(send), outs_[to]);
        }
        moving_.clear();
      }
    }
    return granted;
  }

  std::array<std::unique_ptr<LockTable>, 3> tables_;
  std::array<Outbox, 3> outs_;
  Outbox moving_;
};

void through_tables(benchmark::State& state, const char* algorithm) {
  Tables tables{algorithm};
  repeat(state, [&] { tables.enter_and_leave(); });
}

}  // namespace

void add_step_rows() {
  add_row("std::mutex: lock and unlock", plain_mutex);
  add_row("a kept lock's word alone: enter and leave", kept_word);
  add_row("a look at the clock of leases", [](benchmark::State& state) {
    repeat(state, [] { benchmark::DoNotOptimize(boot_clock_now()); });
  });
  add_row("hapax::Mutex, kept: lock and unlock", {1.0 / 2, "std::mutex: lock and unlock"},
          [](benchmark::State& state) { kept_mutex(state, member()); });
  add_row("the same under a lease", {1.0 / 3, "std::mutex: lock and unlock"},
          [](benchmark::State& state) { kept_mutex(state, member_with_lease()); });
  add_row("a frame with a message: written and read", frame);
  for (const char* algorithm : {"ricart-agrawala", "naimi-trehel"}) {
    add_row(fmt::format("lock tables of 3, {}: an entry", algorithm),
            [=](benchmark::State& state) { through_tables(state, algorithm); });
  }
}

}  // namespace hapax::bench
