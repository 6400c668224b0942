// For a process that ends at once, without destroying anything: a daemon sees its socket close, but
// an engine has to be told, or what we hold there, and where we wait, outlives us by a session.
#pragma once

#include <functional>

namespace hapax::detail {

// As long as it lives, say_all() calls it; not after its destructor has begun. Any thread.
class Farewell {
 public:
  explicit Farewell(std::function<void()> say);
  ~Farewell();
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

  // Only before _Exit(): nothing can be asked for afterwards.
  static void say_all();

 private:
  const std::function<void()> say_;
};

}  // namespace hapax::detail
