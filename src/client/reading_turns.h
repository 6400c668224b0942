// Whose turn it is to read a socket: that of the thread that resides there, or of a caller that
// waits for an answer. A caller that reads gets its answer from the kernel, and need not be woken
// by another thread; while no caller reads, the resident does.
#pragma once

#include <chrono>
#include <mutex>

namespace hapax::client {

class ReadingTurns {
 public:
  // The socket outlives it. Throws std::system_error.
  explicit ReadingTurns(int socket);
  ~ReadingTurns();
  ReadingTurns(const ReadingTurns&) = delete;
  ReadingTurns& operator=(const ReadingTurns&) = delete;

  // For a caller: false if somebody reads already. Until give_back() nobody else does.
  bool take();
  // `has_more`: something was read that is the resident's to deal with, before anybody reads on.
  void give_back(bool has_more);

  // For the resident: waits until there is something for it to deal with. False: not in time, or a
  // caller was faster. Until done() nobody else reads.
  bool await(std::chrono::milliseconds patience);
  void done();

 private:
  void watch_socket(int operation, bool on) const;

  const int socket_;
  int events_ = -1;  // What the resident waits for: its bell, and the socket unless a caller reads.
  int bell_ = -1;
  std::mutex mutex_;       // Guards what follows.
  bool is_taken_ = false;  // By a caller, or by the resident.
  bool has_more_ = false;  // Invariant: false while a caller reads.
};

}  // namespace hapax::client
