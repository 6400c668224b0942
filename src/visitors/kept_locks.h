// The locks that a client on this machine may keep when it has released them: the memory that it
// shares with its daemon, and what the daemon granted by each word there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "kept/shared_words.h"
#include "service/kept_grant.h"

namespace hapax {

class KeptLocks {
 public:
  // REQUIRES: there is memory.
  explicit KeptLocks(std::unique_ptr<kept::SharedWords> words) : words_(std::move(words)) {}

  // By that word, from 1; null if there is none.
  KeptGrant* by(std::uint32_t word) {
    if (word == 0 || word > kept::SharedWords::kWords) return nullptr;
    return &grants_.try_emplace(word, (*words_)[word - 1]).first->second;
  }

 private:
  std::unique_ptr<kept::SharedWords> words_;
  std::map<std::uint32_t, KeptGrant> grants_;  // Those that were ever asked for.
};

}  // namespace hapax
