// The words by which locks may stay with this client (kept/shared_words.h), as its connection has
// them: which are in use, and where they are once its daemon has shared the memory. Any thread.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "kept/shared_words.h"

namespace hapax::client {

class Words {
 public:
  // `may_share`: the daemon is on this machine, and knows how. `share` asks it for the memory,
  // which is there before the first grant by a word of it: nobody waits.
  Words(bool may_share, std::function<void()> share)
      : may_share_(may_share), share_(std::move(share)) {}

  // One that nobody uses, from 1, until it is put back; 0: there is none.
  std::uint32_t take() {
    if (!may_share_) return 0;
    std::unique_lock lock{mutex_};
    std::uint32_t word = 0;
    while (word < in_use_.size() && in_use_[word]) ++word;
    if (word == in_use_.size()) return 0;
    in_use_.set(word);
    const bool is_first = !std::exchange(was_used_, true);
    lock.unlock();
    if (is_first) share_();
    return word + 1;
  }
  void put_back(std::uint32_t word) noexcept {
    if (word == 0) return;
    const std::lock_guard lock{mutex_};
    in_use_.reset(word - 1);
  }
  // Null if there is no memory, or not yet.
  kept::Word* find(std::uint32_t word) const noexcept {
    kept::SharedWords* const words = known_.load(std::memory_order_acquire);
    return words == nullptr || word == 0 ? nullptr : &(*words)[word - 1];
  }
  // What the daemon has handed to us; -1: nothing. What was shared once stays, since threads may be
  // looking at it. The thread that reads.
  void receive(int descriptor) {
    if (descriptor < 0 || words_) return;
    words_ = kept::SharedWords::map(descriptor);
    known_.store(words_.get(), std::memory_order_release);
  }

 private:
  const bool may_share_;
  const std::function<void()> share_;
  std::mutex mutex_;
  std::bitset<kept::SharedWords::kWords> in_use_;  // Guarded by mutex_ …
  bool was_used_ = false;                          // … like this.
  std::unique_ptr<kept::SharedWords> words_;
  std::atomic<kept::SharedWords*> known_{nullptr};
};

}  // namespace hapax::client
