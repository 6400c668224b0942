// One member of any election algorithm, as a value: what core/instance.h is for mutual exclusion,
// for drivers that need not be fast. Messages are bytes here, as wire/codec.h writes them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/text.h"
#include "core/election_algorithm.h"
#include "core/instance.h"
#include "wire/codec.h"

namespace hapax {

class AnyElection;
// Not AnyElection itself: whether it can be copied must not depend on this.
template <class A>
concept Holdable = !std::same_as<A, AnyElection> && ElectionAlgorithm<A>;

class AnyElection {
 public:
  class Member {
   public:
    Member() = default;
    virtual ~Member() = default;
    virtual std::unique_ptr<Member> copy() const = 0;
    virtual void campaign(InstanceEffects& fx) = 0;
    // REQUIRES: the bytes are a message of this algorithm.
    virtual void receive(NodeId from, std::span<const std::uint8_t> bytes, InstanceEffects& fx) = 0;
    // Told of a fall, it campaigns if it knows no leader then, as the contract asks of a driver.
    virtual void suspect(NodeId peer, InstanceEffects& fx) = 0;
    virtual void restore(NodeId peer, InstanceEffects& fx) = 0;
    virtual std::optional<NodeId> leader() const = 0;
    virtual Term term() const = 0;
    virtual bool is_open() const = 0;
    virtual void encode_to(std::vector<std::uint8_t>& bytes) const = 0;
    virtual const ElectionInfo& info() const = 0;
    virtual std::string describe_message(std::span<const std::uint8_t> bytes) const = 0;

   protected:
    Member(const Member&) = default;
    Member& operator=(const Member&) = default;
  };

  template <Holdable A>
  explicit AnyElection(A algorithm);
  AnyElection(const AnyElection& other) : member_(other.member_->copy()) {}
  AnyElection(AnyElection&&) noexcept = default;
  AnyElection& operator=(AnyElection other) noexcept {
    member_.swap(other.member_);
    return *this;
  }
  ~AnyElection() = default;

  Member* operator->() { return member_.get(); }
  const Member* operator->() const { return member_.get(); }

 private:
  template <ElectionAlgorithm A>
  class Of;

  std::unique_ptr<Member> member_;
};

template <ElectionAlgorithm A>
class AnyElection::Of final : public Member {
 public:
  explicit Of(A algorithm) : algorithm_(std::move(algorithm)) {}

  std::unique_ptr<Member> copy() const override { return std::make_unique<Of>(*this); }
  void campaign(InstanceEffects& fx) override {
    step(fx, [&](Fx& typed) { algorithm_.campaign(typed); });
  }
  void receive(NodeId from, std::span<const std::uint8_t> bytes, InstanceEffects& fx) override {
    step(fx, [&](Fx& typed) { algorithm_.receive(from, read(bytes), typed); });
  }
  void suspect(NodeId peer, InstanceEffects& fx) override {
    step(fx, [&](Fx& typed) {
      algorithm_.suspect(peer, typed);
      if (!algorithm_.leader()) algorithm_.campaign(typed);
    });
  }
  void restore(NodeId peer, InstanceEffects& fx) override {
    step(fx, [&](Fx& typed) { algorithm_.restore(peer, typed); });
  }
  std::optional<NodeId> leader() const override { return algorithm_.leader(); }
  Term term() const override { return algorithm_.term(); }
  bool is_open() const override { return algorithm_.is_open(); }
  void encode_to(std::vector<std::uint8_t>& bytes) const override {
    hapax::encode_to(bytes, algorithm_);
  }
  const ElectionInfo& info() const override { return A::kInfo; }
  std::string describe_message(std::span<const std::uint8_t> bytes) const override {
    return to_text(read(bytes));
  }

 private:
  using Message = typename A::Message;
  using Fx = Effects<Message>;

  // Takes a step, and hands on what it did.
  template <class F>
  static void step(InstanceEffects& fx, F&& f) {
    Fx typed;
    typed.explain(fx.explains());
    f(typed);
    fx.take(typed, [&](const Message& message) {
      const std::size_t first = fx.arena().size();
      hapax::encode_to(fx.arena(), message);
      return EncodedMessage{static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(fx.arena().size() - first)};
    });
  }
  static Message read(std::span<const std::uint8_t> bytes) {
    auto message = decode<Message>(bytes);
    HAPAX_CHECK(message.has_value());
    return std::move(*message);
  }

  A algorithm_;
};

template <Holdable A>
AnyElection::AnyElection(A algorithm) : member_(std::make_unique<Of<A>>(std::move(algorithm))) {}

// A member for each place of a view of `size`.
template <ElectionAlgorithm A>
std::vector<AnyElection> elect_among(std::uint32_t size,
                                     const typename OptionsOf<A>::Type& options = {}) {
  std::vector<AnyElection> members;
  for (std::uint32_t i = 0; i < size; ++i) {
    const View view{.epoch = Epoch{1}, .size = size, .self = NodeId{i}};
    members.emplace_back(make<A>(view, options));
  }
  return members;
}

}  // namespace hapax
