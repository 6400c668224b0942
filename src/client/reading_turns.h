// Whose turn it is to read a socket: that of the thread that resides there, or of a caller that
// waits for an answer. A caller that reads gets its answer from the kernel, and need not be woken
// by another thread; while no caller reads, the resident does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
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
  void watch(std::uint32_t events) const;

  const int socket_;
  const int events_;       // The socket's, as far as the resident waits for them.
  std::mutex mutex_;       // Guards what follows.
  bool is_taken_ = false;  // By a caller, or by the resident.
  bool has_more_ = false;  // Invariant: false while a caller reads.
  std::condition_variable given_back_;
};

}  // namespace hapax::client
