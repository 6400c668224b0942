// A lock of this process, as its daemon grants it: from the second time on it may stay here when it
// is released, and is then entered again by its word (kept/word.h), without a message, as long as
// nobody else wants it and the daemon's promise is good. All handles of one name share it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/forks.h"
#include "client/connection.h"
#include "handles/gateway.h"
#include "kept/word.h"

namespace hapax::client {

class KeptLock final : public detail::LockHandle {
 public:
  ~KeptLock() override;

  // By the word, if the lock stays here and what the daemon granted is good.
  bool enter_again(detail::Holding& holding) noexcept;
  // The word to ask by at that connection; 0: none.
  std::uint32_t word_at(const std::shared_ptr<Connection>& connection);
  // What that connection granted, with the word that it was asked by.
  void on_granted(const std::shared_ptr<Connection>& connection, detail::Holding& holding);
  // False: it was not granted by the word, so it is given back as any other.
  bool leave(const detail::Holding& holding) noexcept;

 private:
  const std::uint32_t forks_ = forks();   // In a child the word is still the parent's.
  std::atomic<bool> was_granted_{false};  // By the word: before that there is nothing to look at.
  std::mutex mutex_;                      // Guards what follows.
  bool was_asked_for_ = false;
  std::shared_ptr<Connection> at_;
  std::uint32_t index_ = 0;     // Of the word there.
  kept::Word* word_ = nullptr;  // Null before the first grant by it.
  detail::Holding grant_;       // The last by the word: its first entry.
};

}  // namespace hapax::client
