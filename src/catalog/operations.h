// The operations of an algorithm: what an Instance of it does. Compiled for all algorithms in
// catalog.cc, and in tests for those of their own; nobody else includes this.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "core/clocks.h"
#include "core/id_bounds.h"
#include "core/instance.h"
#include "core/make.h"
#include "wire/codec.h"

namespace hapax {

// What a step writes to, and the way from there to the driver; for messages of one kind, whoever
// sends them.
template <class Message>
struct StepBuffer : InstanceEffects::Scratch {
  Effects<Message> fx;

  void hand_over(InstanceEffects& driver) {
    driver.take(fx, [&](const Message& message) {
      const std::size_t first = driver.arena().size();
      encode_to(driver.arena(), message);
      return EncodedMessage{static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(driver.arena().size() - first)};
    });
  }
};

template <MutexAlgorithm A>
class OperationsOf {
 public:
  static const Operations kTable;

 private:
  using Message = typename A::Message;
  using Encoded = std::span<const std::uint8_t>;

  // Only what tests make up is too large for its place, and lies on the heap.
  static constexpr bool kInPlace = sizeof(A) <= Instance::kPlace && alignof(A) <= 8;

  static A& in(void* at) {
    if constexpr (kInPlace) {
      return *std::launder(static_cast<A*>(at));
    } else {
      return **std::launder(static_cast<A**>(at));
    }
  }
  // Whether a state that was decoded breaks nothing that its algorithm relies on without a look.
  static bool can_be_relied_on(const A& state) {
    if constexpr (requires { state.is_sound(); }) {
      return state.is_sound();
    } else {
      return true;
    }
  }
  static const A& in(const void* at) {
    if constexpr (kInPlace) {
      return *std::launder(static_cast<const A*>(at));
    } else {
      return **std::launder(static_cast<A* const*>(at));
    }
  }
  static void put(void* at, A&& a) {
    if constexpr (kInPlace) {
      new (at) A(std::move(a));
    } else {
      new (at) A*(new A(std::move(a)));
    }
  }
  static void relocate(void* at, void* from) noexcept {
    if constexpr (kInPlace) {
      new (at) A(std::move(in(from)));
      std::destroy_at(&in(from));
    } else {
      new (at) A*(*static_cast<A**>(from));
    }
  }
  static void destroy(void* at) noexcept {
    if constexpr (kInPlace) {
      std::destroy_at(&in(at));
    } else {
      delete &in(at);
    }
  }

  static A made(const View& view, const MutexChoices& choices) {
    return hapax::make<A>(view, options_from<A>(choices));
  }
  static void make(void* at, const View& view, const MutexChoices& choices, const Holding* own) {
    if constexpr (SharedAlgorithm<A>) {
      if (own != nullptr) return put(at, A{view, options_from<A>(choices), *own});
    }
    HAPAX_CHECK(own == nullptr);
    put(at, made(view, choices));
  }

  // Takes a step into the buffer, and hands on what it did.
  template <class F>
  static void step(InstanceEffects& fx, F&& f) {
    auto& buffer = fx.scratch_of<StepBuffer<Message>>(&kTable);
    buffer.fx.explain(fx.explains());
    f(buffer.fx);
    buffer.hand_over(fx);
  }
  static void start(void* at, InstanceEffects& fx) {
    step(fx, [&](Effects<Message>& typed) { hapax::start(in(at), typed); });
  }
  static void request(void* at, Mode mode, InstanceEffects& fx) {
    step(fx, [&](Effects<Message>& typed) {
      if constexpr (SharedAlgorithm<A>) {
        in(at).request(mode, typed);
      } else {
        HAPAX_CHECK(mode == Mode::exclusive);
        in(at).request(typed);
      }
    });
  }
  static void release(void* at, InstanceEffects& fx) {
    step(fx, [&](Effects<Message>& typed) { in(at).release(typed); });
  }
  static bool receive(void* at, NodeId from, Encoded bytes, InstanceEffects& fx) {
    const auto message = decode<Message>(bytes);
    if (!message) return false;
    step(fx, [&](Effects<Message>& typed) { in(at).receive(from, *message, typed); });
    return true;
  }
  static void regenerate(void* at, InstanceEffects& fx) {
    step(fx, [&](Effects<Message>& typed) {
      if constexpr (kRegenerates) in(at).regenerate(typed);
    });
  }
  static constexpr bool kRegenerates = requires(A a, Effects<Message>& fx) { a.regenerate(fx); };
  static bool take_back(void* at, Encoded bytes) {
    if constexpr (A::kInfo.token_rests) return in(at).take_back(read(bytes));
    return false;
  }

  static bool may_request(const void* at) {
    if constexpr (SharedAlgorithm<A>) return in(at).may_request();
    return in(at).phase() == Phase::idle;
  }
  static bool is_wanted(const void* at) {
    if constexpr (requires(const A a) { a.is_wanted(); }) return in(at).is_wanted();
    return false;
  }
  static Holding holding(const void* at) {
    if constexpr (SharedAlgorithm<A>) return in(at).holding();
    return {Mode::exclusive, in(at).phase() == Phase::inside ? 1u : 0u};
  }
  static std::uint32_t capacity(const void* at) {
    if constexpr (SharedAlgorithm<A>) return in(at).capacity();
    return 1;
  }
  static bool is_like_new(const void* at, const View& view, const MutexChoices& choices) {
    const A& a = in(at);
    if (a.phase() != Phase::idle) return false;
    A fresh = made(view, choices);
    hapax::raise_counter(fresh, counter_of(a));
    return fresh == a;
  }
  static std::optional<Clock> clock(const void* at) {
    if constexpr (CountsByClock<A>) return in(at).clock();
    return std::nullopt;
  }

  // REQUIRES: they are a message's.
  static Message read(Encoded bytes) {
    auto message = decode<Message>(bytes);
    HAPAX_CHECK(message.has_value());
    return std::move(*message);
  }

  static constexpr auto kModes = [] {
    if constexpr (SharedAlgorithm<A>) {
      return A::kModes;
    } else {
      return std::array{Mode::exclusive};
    }
  }();
};

template <MutexAlgorithm A>
const Operations OperationsOf<A>::kTable{
    .info = A::kInfo,
    .modes = kModes,
    .shared = SharedAlgorithm<A>,
    .make = &make,
    .copy = [](void* at, const void* from) { put(at, A(in(from))); },
    .relocate = &relocate,
    .destroy = &destroy,
    .equal = [](const void* at, const void* other) { return in(at) == in(other); },
    .start = &start,
    .request = &request,
    .release = &release,
    .receive = &receive,
    .regenerate = kRegenerates ? &regenerate : nullptr,
    .take_back = A::kInfo.token_rests ? &take_back : nullptr,
    .phase = [](const void* at) { return in(at).phase(); },
    .may_request = &may_request,
    .is_wanted = &is_wanted,
    .holding = &holding,
    .capacity = &capacity,
    .is_like_new = &is_like_new,
    .clock = &clock,
    .counter = [](const void* at) { return counter_of(in(at)); },
    .raise_counter = [](void* at, std::uint64_t floor) { hapax::raise_counter(in(at), floor); },
    .encode = [](const void* at, Bytes& bytes) { encode_to(bytes, in(at)); },
    .decode =
        [](void* at, Encoded bytes, std::uint32_t size) {
          Decoder decoder{bytes};
          return decoder.read(in(at)) && decoder.at_end() && has_ids_below(in(at), size) &&
                 can_be_relied_on(in(at));
        },
    .describe =
        [](const void* at) {
          if constexpr (requires { in(at).standing(); }) {
            return in(at).standing();
          } else {
            return fields_text(in(at));
          }
        },
    .is_message = [](Encoded bytes) { return decode<Message>(bytes).has_value(); },
    .describe_message = [](Encoded bytes) { return to_text(read(bytes)); },
    .lowest_clock = [](const void* at) { return hapax::lowest_clock(in(at)); },
    .lower_clocks = [](void* at, std::uint64_t by) { in(at) = with_clocks_lowered(in(at), by); },
    .lowest_clock_of_message = [](Encoded bytes) { return hapax::lowest_clock(read(bytes)); },
    .lower_clocks_of_message =
        [](Bytes& bytes, std::uint64_t by) {
          const Message message = with_clocks_lowered(read(bytes), by);
          bytes.clear();
          encode_to(bytes, message);
        },
};

}  // namespace hapax
