// Which steps may go first, alone. Steps of different members commute: each has a state of its own,
// takes the oldest message of a link and adds to the ends of others. So a step of one member, if it
// commutes with all that may happen at that member before it, need not be tried in any other order:
// the search takes it and leaves out what else is possible there. Nothing is asked of the
// algorithm: its members are automata, and two inputs commute in a state if both orders lead to the
// same state and the same effects.
//
// What may happen at a member is learned from the search itself, as pairs of a state and an input.
// A claim says of a step `first` in a state that it commutes with every input that was seen in that
// state, or in the one after `first`, and that the same is true wherever such an input leads. Pairs
// that come later may break it. Then what it was used for has to be searched again: as long as a
// search used a claim that does not hold at its end, it counts for nothing.
// docs/decisions/0021-one-step-first.md proves that this is enough.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace hapax {

// How a step gets on with another one that comes before it.
enum class Order : std::uint8_t {
  matters,   // They do not commute.
  is_free,   // They do.
  is_given,  // The other one cannot come before it.
};

// The members of a model, each as an automaton of its own.
class Automata {
 public:
  virtual ~Automata() = default;
  virtual std::uint32_t after(std::uint32_t member, std::uint32_t local, std::uint32_t input) = 0;
  // In that state, with `first` possible all along.
  virtual Order order(std::uint32_t member, std::uint32_t local, std::uint32_t first,
                      std::uint32_t other) = 0;
};

class Reduction {
 public:
  // REQUIRES: `automata` outlives it.
  Reduction(Automata& automata, std::uint32_t members) : automata_(automata), seen_(members) {}

  // A step that the search takes.
  void note(std::uint32_t member, std::uint32_t local, std::uint32_t input) {
    add(member, local, input);
    settle();
  }
  // Whether `first` may be the only step that is taken there. If so, it is.
  bool may_go_first(std::uint32_t member, std::uint32_t local, std::uint32_t first);

  // No claim that was used since the last call is broken. If one is, search again.
  bool held();

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // A state, and an input.
  struct Place {
    std::vector<std::uint32_t> inputs;  // Seen here.
    std::vector<std::uint32_t> claims;  // Whose state, or the one after their first, this is.
  };
  struct Claim {
    std::uint32_t member, local, first;
    bool is_broken = false;
    bool is_asked = false;   // For its own sake, not only because others rely on it.
    bool is_tested = false;  // Or about to be.
    bool is_used = false;
    std::vector<std::uint32_t> relied_on_by{};
  };
  struct Seen {
    std::vector<Place> places;  // By state.
    boost::unordered_flat_set<Pair> pairs;
    boost::unordered_flat_map<Pair, std::uint32_t> claims;
  };
  struct Fresh {
    std::uint32_t member, local, input;
  };

  Place& place(std::uint32_t member, std::uint32_t local);
  void add(std::uint32_t member, std::uint32_t local, std::uint32_t input);
  std::uint32_t claim(std::uint32_t member, std::uint32_t local, std::uint32_t first);
  void settle();
  bool is_needed(const Claim& claim) const;
  void want(std::uint32_t claim);
  void test(std::uint32_t claim);
  void consider(std::uint32_t claim, std::uint32_t other);
  void give_up(std::uint32_t claim);

  Automata& automata_;
  std::vector<Seen> seen_;  // By member.
  std::vector<Claim> claims_;
  std::deque<Fresh> fresh_;             // Pairs whose claims have not been considered …
  std::deque<std::uint32_t> untested_;  // … and claims whose pairs have not.
};

}  // namespace hapax
