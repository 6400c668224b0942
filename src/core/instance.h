// One member of any mutual-exclusion algorithm, as a value: a table of operations, and the state in
// place. A driver that uses it is compiled once, not once for each algorithm. Messages are bytes
// here, as wire/codec.h writes them, at both ends.
//
//   const Operations* lamport = find_algorithm("lamport");  // catalog/catalog.h
//   Instance member{*lamport, view};
//   member.request(fx);
//   for (const auto& send : fx.sends()) … fx.bytes(send) …
//
// Tables are filled in by catalog/operations.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/mutex_choices.h"
#include "core/mutex_info.h"
#include "core/shared_algorithm.h"
#include "core/view.h"

namespace hapax {

struct Operations;

// Where a message lies among the bytes of an InstanceEffects.
struct EncodedMessage {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// What a step of an Instance asks its driver to do. A multicast is encoded once. Not copyable: it
// keeps a buffer for each algorithm that wrote to it, so that the steady state allocates nothing.
class InstanceEffects : public Effects<EncodedMessage> {
 public:
  std::span<const std::uint8_t> bytes(const Send& send) const {
    return std::span{bytes_}.subspan(send.message.first, send.message.count);
  }
  void clear() {
    Effects::clear();
    bytes_.clear();
  }

  // --- for the operations of an algorithm ---

  struct Scratch {
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    virtual ~Scratch() = default;
  };
  // Its own buffer. REQUIRES: always the same T for that owner.
  template <class T>
  T& scratch_of(const void* owner) {
    if (owner != last_owner_ && !select(owner)) {
      scratch_.emplace_back(owner, std::make_unique<T>());
      last_ = scratch_.back().second.get();
    }
    return static_cast<T&>(*last_);
  }
  std::vector<std::uint8_t>& arena() { return bytes_; }

 private:
  // False if that owner has no buffer yet.
  bool select(const void* owner) {
    last_owner_ = owner;
    for (const auto& [whose, scratch] : scratch_) {
      last_ = scratch.get();
      if (whose == owner) return true;
    }
    return false;
  }

  std::vector<std::uint8_t> bytes_;
  std::vector<std::pair<const void*, std::unique_ptr<Scratch>>> scratch_;
  const void* last_owner_ = nullptr;  // Of last_, the buffer that was written to last.
  Scratch* last_ = nullptr;
};

// What an Instance can do, for one algorithm. `at` is where its state lies.
struct Operations {
  const MutexInfo& info;
  std::span<const Mode> modes;  // What one may ask for; the first is the plain request's.
  bool shared;                  // Whether it is a SharedAlgorithm.

  void (*make)(void* at, const View&, const MutexChoices&, const Holding* own);
  void (*copy)(void* at, const void* from);
  void (*relocate)(void* at, void* from) noexcept;  // Ends what lay at `from`.
  void (*destroy)(void* at) noexcept;
  bool (*equal)(const void* at, const void* other);

  void (*start)(void* at, InstanceEffects&);
  void (*request)(void* at, Mode, InstanceEffects&);
  void (*release)(void* at, InstanceEffects&);
  bool (*receive)(void* at, NodeId from, std::span<const std::uint8_t>, InstanceEffects&);
  void (*regenerate)(void* at, InstanceEffects&);  // Null: its token is never made anew.
  bool (*take_back)(void* at, std::span<const std::uint8_t>);  // Null unless info.token_rests.

  Phase (*phase)(const void* at);
  bool (*may_request)(const void* at);
  bool (*is_wanted)(const void* at);
  Holding (*holding)(const void* at);
  std::uint32_t (*capacity)(const void* at);
  bool (*is_like_new)(const void* at, const View&, const MutexChoices&);
  std::optional<Clock> (*clock)(const void* at);
  std::uint64_t (*counter)(const void* at);
  void (*raise_counter)(void* at, std::uint64_t floor);

  void (*encode)(const void* at, std::vector<std::uint8_t>&);
  // The other way round; false if they are no state of one of so many, or one that would be used
  // where it has nothing (is_sound()). What else holds of a state that was reached is not looked
  // at: a HAPAX_CHECK may break later (base/doubt.h).
  bool (*decode)(void* at, std::span<const std::uint8_t>, std::uint32_t size);
  std::string (*describe)(const void* at);

  // Of messages.
  bool (*is_message)(std::span<const std::uint8_t>);
  std::string (*describe_message)(std::span<const std::uint8_t>);

  // Of clocks and turns, in a state or a message: core/clocks.h.
  std::uint64_t (*lowest_clock)(const void* at);
  void (*lower_clocks)(void* at, std::uint64_t by);
  std::uint64_t (*lowest_clock_of_message)(std::span<const std::uint8_t>);
  void (*lower_clocks_of_message)(std::vector<std::uint8_t>&, std::uint64_t by);
};

class Instance {
 public:
  static constexpr std::size_t kPlace = 64;

  Instance() = default;  // Empty: nothing but assignment and destruction.
  explicit Instance(const Operations& operations, const View& view,
                    const MutexChoices& choices = {})
      : operations_(&operations) {
    operations.make(place_, view, choices, nullptr);
  }
  // A member that holds so much as the view starts. REQUIRES: operations.shared.
  Instance(const Operations& operations, const View& view, const MutexChoices& choices,
           const Holding& own)
      : operations_(&operations) {
    operations.make(place_, view, choices, &own);
  }
  Instance(const Instance& other) : operations_(other.operations_) {
    if (operations_ != nullptr) operations_->copy(place_, other.place_);
  }
  Instance(Instance&& other) noexcept { take(other); }
  Instance& operator=(const Instance& other) { return *this = Instance{other}; }
  Instance& operator=(Instance&& other) noexcept {
    if (this == &other) return *this;
    end();
    take(other);
    return *this;
  }
  ~Instance() { end(); }

  bool empty() const { return operations_ == nullptr; }
  const Operations& operations() const { return *operations_; }
  const MutexInfo& info() const { return operations_->info; }

  // --- steps; `fx` was cleared since the last one ---

  void start(InstanceEffects& fx) { operations_->start(place_, fx); }
  void request(InstanceEffects& fx) { request(operations_->modes.front(), fx); }
  // REQUIRES: may_request(), and mode is one of operations().modes.
  void request(Mode mode, InstanceEffects& fx) { operations_->request(place_, mode, fx); }
  void release(InstanceEffects& fx) { operations_->release(place_, fx); }
  // False, and nothing has happened, if the bytes are no message of this algorithm.
  [[nodiscard]] bool receive(NodeId from, std::span<const std::uint8_t> message,
                             InstanceEffects& fx) {
    return operations_->receive(place_, from, message, fx);
  }
  // REQUIRES: operations().regenerate != nullptr.
  void regenerate(InstanceEffects& fx) { operations_->regenerate(place_, fx); }
  // The token that this message was to carry away stays here, as it was before start(). False if
  // that cannot be. REQUIRES: info().token_rests; the message is of the last step, and not sent.
  bool take_back(std::span<const std::uint8_t> message) {
    return operations_->take_back(place_, message);
  }

  // --- what it is like ---

  Phase phase() const { return operations_->phase(place_); }
  bool may_request() const { return operations_->may_request(place_); }
  // Whether it knows of somebody who waits for it to leave. Not every algorithm does.
  bool is_wanted() const { return operations_->is_wanted(place_); }
  Holding holding() const { return operations_->holding(place_); }
  std::uint32_t capacity() const { return operations_->capacity(place_); }
  // Whether it is as it would be made of these, but for its counter.
  bool is_like_new(const View& view, const MutexChoices& choices = {}) const {
    return operations_->is_like_new(place_, view, choices);
  }
  // If it has one.
  std::optional<Clock> clock() const { return operations_->clock(place_); }
  std::uint64_t counter() const { return operations_->counter(place_); }
  // REQUIRES: phase() == idle.
  void raise_counter(std::uint64_t floor) { operations_->raise_counter(place_, floor); }
  std::uint64_t lowest_clock() const { return operations_->lowest_clock(place_); }
  void lower_clocks(std::uint64_t by) { operations_->lower_clocks(place_, by); }

  // All that can change, in its only encoding.
  void encode_to(std::vector<std::uint8_t>& bytes) const { operations_->encode(place_, bytes); }
  // It goes on from that state. False, and it is not to be used any more, if it is none.
  [[nodiscard]] bool decode_from(std::span<const std::uint8_t> bytes, std::uint32_t size) {
    return operations_->decode(place_, bytes, size);
  }
  std::string describe() const { return operations_->describe(place_); }  // clock=5 deferred={#1}

  friend bool operator==(const Instance& a, const Instance& b) {
    if (a.operations_ != b.operations_) return false;
    return a.operations_ == nullptr || a.operations_->equal(a.place_, b.place_);
  }

 private:
  void take(Instance& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->relocate(place_, other.place_);
  }
  void end() noexcept {
    if (operations_ != nullptr) operations_->destroy(place_);
    operations_ = nullptr;
  }

  const Operations* operations_ = nullptr;
  alignas(8) std::byte place_[kPlace];
};

static_assert(sizeof(Instance) == 72);

}  // namespace hapax
