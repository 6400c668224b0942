// Memory that a client shares with its daemon, on one machine: the words of the locks that it
// keeps. The daemon makes it, and seals its size, so that nobody can take it away under the other.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "kept/word.h"

namespace hapax::kept {

class SharedWords {
 public:
  static constexpr std::size_t kWords = 256;

  // The daemon's, and a descriptor of it to hand over and to close; null if there is no memory.
  static std::pair<std::unique_ptr<SharedWords>, int> make();
  // The client's, of what it was handed, which is closed; null if that is no such thing.
  static std::unique_ptr<SharedWords> map(int descriptor);

  ~SharedWords();
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  // REQUIRES: index < kWords.
  Word& operator[](std::size_t index);

 private:
  // A line of the cache each: threads that enter different locks are not in each other's way.
  struct alignas(64) Cell {
    Word word;
  };
  static constexpr std::size_t kBytes = kWords * sizeof(Cell);

  explicit SharedWords(Cell* cells) : cells_(cells) {}
  static std::unique_ptr<SharedWords> map_open(int descriptor);

  Cell* const cells_;
};

}  // namespace hapax::kept
