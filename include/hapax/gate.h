// A gate on a file: remembers the highest fence it has let pass, across processes and power cuts.
//
//   hapax::FileGate gate{"orders.gate"};
//   gate.admit(orders.fence(), [&] { rewrite("orders.json"); });
//
// Several processes of one machine may use one file; it is locked (an open file description lock)
// while a fence is looked at and while the access runs. docs/fences.md says what that gives you.
#pragma once

#include <filesystem>
#include <utility>

#include "hapax/error.h"
#include "hapax/fence.h"

namespace hapax {

// A gate that remembers in a file.
class FileGate {
 public:
  // Makes the file if there is none. All functions throw std::system_error if the file cannot be
  // used; one that no gate has written, or that was only half written, is Errc::bad_gate and lets
  // nobody pass. Deleting the file forgets the mark: do so only when no late holder is left.
  explicit FileGate(std::filesystem::path file);

  // Whether an access with this fence, be it a read or a write, may go ahead. If so, all earlier
  // fences are refused from now on, and that is on disk. Between the answer and your access a later
  // holder may come and go: if the storage has no order of its own, use the other admit().
  bool admit(Fence fence) {
    return admit(fence, [] {});
  }
  // The same with the access inside: nobody else passes the gate until it has returned, so checking
  // and accessing are one step. Keep it short; a process that hangs in there stops the others.
  // REQUIRES: the access does not use a gate on the same file.
  template <class Access>
  bool admit(Fence fence, Access&& access) {
    return pass(fence, false, std::forward<Access>(access));
  }
  // The same for a read by one that shares the lock (SharedMutex::lock_shared): refused only after
  // a later writer, whatever fences other readers have.
  bool admit_shared(Fence fence) {
    return admit_shared(fence, [] {});
  }
  // … with the read inside.
  template <class Access>
  bool admit_shared(Fence fence, Access&& access) {
    return pass(fence, true, std::forward<Access>(access));
  }

  // That it has let pass.
  Fence highest() const;
  // As it was named.
  const std::filesystem::path& file() const { return file_; }

 private:
  // The way through, while it lasts: holds the lock on the file.
  class Passage {
   public:
    Passage(const std::filesystem::path& file, Fence fence, bool shared);
    ~Passage();
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;
    bool is_open() const { return open_; }

   private:
    int old_ = -1;  // The file as it was found.
    int new_ = -1;  // The file that has taken its place; -1 if the mark did not move.
    bool open_ = false;
  };

  template <class Access>
  bool pass(Fence fence, bool shared, Access&& access) {
    const Passage passage{file_, fence, shared};
    if (!passage.is_open()) return false;
    std::forward<Access>(access)();
    return true;
  }

  std::filesystem::path file_;
};

}  // namespace hapax
