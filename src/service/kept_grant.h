// The driver's half of a lock that stays where it was used last (kept/word.h): what it granted by
// the word, and what it makes of the word when it takes it back. The word may lie in memory that a
// client writes to as it likes: then only the client's own locks suffer.
#pragma once

#include <cstdint>
#include <optional>

#include "core/fence.h"
#include "kept/word.h"
#include "locks/outbox.h"

namespace hapax {

class KeptGrant {
 public:
  // What the table has to be told: whom it believes to be inside, and the turn of the last entry.
  struct GivenBack {
    WaiterId holder{};
    Turn last{};
  };

  // REQUIRES: `word` outlives it.
  explicit KeptGrant(kept::Word& word) : word_(word) {}

  // As the table knows it.
  std::optional<WaiterId> holder() const { return holder_; }
  // Of who is inside, as of now; nothing if it is only kept. Somebody may rely on that, so what was
  // told once is not taken back, whatever the word says later.
  std::optional<Fence> fence() const;
  // The number of its next grant's entry.
  std::uint64_t next() const { return last_ + 1; }
  // What is not to be kept is given back by its unlock. REQUIRES: there is no holder.
  void grant(const Grant& grant, bool keep);
  // No more entries than that since the grant, whatever the word says: those that there was time
  // for. Without a word of it, any number.
  void believe_at_most(std::uint64_t again) { most_again_ = again; }

  // Nothing if the entry of that number was lost.
  std::optional<GivenBack> give_back(std::uint64_t number);
  // The next unlock gives back; at once, if nobody is inside.
  std::optional<GivenBack> stop_keeping();
  // Before the view's report. What is only kept is not entered any more, and is nobody's from now
  // on; what is in use is given back by its unlock, however the view goes on.
  // REQUIRES: there is a holder.
  bool is_inside();
  // It is lost, or over: nobody's from now on. The turn of the last entry.
  Turn take_back();

 private:
  // How many entries there were between the grant and the one of that number.
  std::uint64_t again(std::uint64_t number) const;
  Turn turn_of(std::uint64_t number);

  kept::Word& word_;
  std::uint64_t first_ = 0;  // Of the last grant: its number, …
  Fence fence_;              // … and its fence.
  std::uint64_t last_ = 0;   // The highest number that we know of.
  std::uint64_t most_again_ = ~std::uint64_t{0};
  mutable std::uint64_t told_again_ = 0;  // The most that fence() has told of.
  std::optional<WaiterId> holder_;
};

}  // namespace hapax
