// The program is called back on threads of the library, and may drop its last handle there. What is
// destroyed then waits for such threads to end, perhaps for this very one: it must do so elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace hapax::client {

// As long as it lives, this thread works for the library, and may be calling the program.
class LibraryThread {
 public:
  LibraryThread() { ++depth_; }
  ~LibraryThread() { --depth_; }
  LibraryThread(const LibraryThread&) = delete;
  LibraryThread& operator=(const LibraryThread&) = delete;

  static bool is_this() { return depth_ > 0; }

 private:
  inline static thread_local int depth_ = 0;
};

// On a thread of its own. The end of the program waits for it, but not for long.
void do_elsewhere(std::function<void()> work);

// Destroys it: here, or elsewhere if this is a thread of the library.
template <class T>
void destroy(std::unique_ptr<T> gone) {
  if (!LibraryThread::is_this()) return;
  do_elsewhere([shared = std::shared_ptr<T>{std::move(gone)}]() mutable { shared.reset(); });
}

}  // namespace hapax::client
