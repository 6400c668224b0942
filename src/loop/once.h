// A function that is called once: what a loop is given to do later. It may be moved, not copied,
// and what is small enough stays inside, so that reading and writing allocate nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace hapax {

template <class... Args>
class Once {
 public:
  Once() = default;
  template <class F>
  requires(!std::is_same_v<std::decay_t<F>, Once> && std::is_invocable_v<std::decay_t<F>&, Args...>)
      Once(F&& f) {  // NOLINT(google-explicit-constructor)
    using Function = std::decay_t<F>;
    if constexpr (kFits<Function>) {
      ::new (static_cast<void*>(room_)) Function(std::forward<F>(f));
      operations_ = &kInside<Function>;
    } else {
      using Owner = std::unique_ptr<Function>;
      ::new (static_cast<void*>(room_)) Owner(std::make_unique<Function>(std::forward<F>(f)));
      operations_ = &kOutside<Function>;
    }
  }
  Once(Once&& other) noexcept { take(other); }
  Once& operator=(Once&& other) noexcept {
    if (this == &other) return *this;
    reset();
    take(other);
    return *this;
  }
  ~Once() { reset(); }

  explicit operator bool() const { return operations_ != nullptr; }
  // REQUIRES: it is there. It is gone before it is called, so that whoever has it may be given the
  // next one, or end, meanwhile.
  void operator()(Args... args) {
    Once self{std::move(*this)};
    self.operations_->call(self.room_, std::forward<Args>(args)...);
  }

 private:
  static constexpr std::size_t kRoom = 48;
  template <class F>
  static constexpr bool kFits =
      sizeof(F) <= kRoom &&
      alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;

  struct Operations {
    void (*call)(void* room, Args... args);
    void (*move)(void* from, void* to);
    void (*destroy)(void* room);
  };
  template <class T>
  static constexpr auto kMove = [](void* from, void* to) {
    ::new (to) T(std::move(*static_cast<T*>(from)));
    static_cast<T*>(from)->~T();
  };
  template <class T>
  static constexpr auto kDestroy = [](void* room) { static_cast<T*>(room)->~T(); };
  template <class F>
  static constexpr Operations kInside{
      [](void* room, Args... args) { (*static_cast<F*>(room))(std::forward<Args>(args)...); },
      kMove<F>, kDestroy<F>};
  template <class F>
  static constexpr Operations kOutside{
      [](void* room, Args... args) {
        (**static_cast<std::unique_ptr<F>*>(room))(std::forward<Args>(args)...);
      },
      kMove<std::unique_ptr<F>>, kDestroy<std::unique_ptr<F>>};

  void take(Once& other) {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.room_, room_);
  }
  void reset() {
    if (const Operations* had = std::exchange(operations_, nullptr)) had->destroy(room_);
  }

  const Operations* operations_ = nullptr;
  alignas(std::max_align_t) std::byte room_[kRoom];
};

using Task = Once<>;

}  // namespace hapax
