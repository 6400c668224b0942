// A lock that may stay with a client, as it is in some state: the word, and the member's half of
// it. They are the product's own, made anew for each step, for a state holds only what they come
// to.
#pragma once

#include <cstdint>

#include "core/fence.h"
#include "kept/word.h"
#include "locks/outbox.h"
#include "service/kept_grant.h"
#include "viewcheck/view_parts.h"

namespace hapax {

struct ClientWord {
  // REQUIRES: its member goes by the word.
  explicit ClientWord(const Process& p) {
    const Turn granted{number(p.fence.turn) - p.again};
    grant.grant({p.waiter(), {p.fence.epoch, granted}}, true);
    const std::uint64_t first = kept::number_of(word.load());
    word.store(kept::word_of(p.word, first + p.again));
  }

  std::uint64_t entry() const { return kept::number_of(word.load()); }
  kept::State state() const { return kept::state_of(word.load()); }

  kept::Word word{0};
  KeptGrant grant{word};
};

}  // namespace hapax
