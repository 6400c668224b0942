// A value on the heap that behaves like a value: copies deep, compares by content. An empty box
// stands for "nothing going on", so that the rarely used part of a state costs one word while idle.
#pragma once

#include <memory>
#include <utility>

namespace hapax {

template <class T>
class Box {
 public:
  Box() = default;
  explicit Box(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    held_.swap(other.held_);
    return *this;
  }
  ~Box() = default;

  explicit operator bool() const { return held_ != nullptr; }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }

  void fill(T value) { held_ = std::make_unique<T>(std::move(value)); }
  void reset() { held_.reset(); }

  friend bool operator==(const Box& a, const Box& b) {
    return a.held_ && b.held_ ? *a.held_ == *b.held_ : !a.held_ && !b.held_;
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace hapax
