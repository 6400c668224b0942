// A cycle of states as steps that can be played: the shortest way from a state back to it on which
// every step that stays possible is taken (weak fairness, as in fair_cycles.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hapax {

template <class Model>
class WayRound {
 public:
  using Word = typename Model::Word;
  using Action = typename Model::Action;
  using Row = std::vector<Word>;

  WayRound(Model& model, const Word* start, std::uint32_t process)
      : model_(model), process_(process), start_(start, start + model.width()) {}

  // Empty if there is none, or if it was not found among the first `limit` ways.
  std::vector<Action> find(std::size_t limit = 200'000) {
    reach(start_, 0, {0, Action{}});
    for (std::size_t at = 0; at < open_.size() && at < limit; ++at) {
      edges_.clear();
      possible_ = 0;
      const Place here = *open_[at];
      model_.expand(here.first.data(), *this);
      const std::uint64_t satisfied = here.second | ~possible_;
      for (const Edge& edge : edges_) {
        if (edge.next == start_ && (satisfied | edge.fair) == ~std::uint64_t{0}) {
          return way_to(at, edge.action);
        }
        reach(edge.next, satisfied | edge.fair, {at, edge.action});
      }
    }
    return {};
  }

  // Called by the model.
  void step(const Action& action, const Word* next) {
    const auto fair = model_.fair_class(action);
    const std::uint64_t bit = fair ? std::uint64_t{1} << *fair : 0;
    possible_ |= bit;
    if ((model_.waits(next) >> process_ & 1) == 0) return;
    edges_.push_back({action, bit, Row(next, next + model_.width())});
  }
  void fail(const Action&, std::string_view, const std::string&) {}

 private:
  // A state, and a bit for each class of steps that was taken, or impossible, on the way to it.
  using Place = std::pair<Row, std::uint64_t>;
  struct Edge {
    Action action;
    std::uint64_t fair;
    Row next;
  };
  struct Origin {
    std::size_t parent;
    Action action;
  };

  void reach(Row row, std::uint64_t satisfied, Origin origin) {
    const auto [at, is_new] = places_.insert({{std::move(row), satisfied}, open_.size()});
    if (!is_new) return;
    open_.push_back(&at->first);
    came_from_.push_back(origin);
  }

  std::vector<Action> way_to(std::size_t at, Action last) const {
    std::vector<Action> way{last};
    for (; at != 0; at = came_from_[at].parent) way.insert(way.begin(), came_from_[at].action);
    return way;
  }

  Model& model_;
  std::uint32_t process_;
  Row start_;
  std::map<Place, std::size_t> places_;
  std::vector<const Place*> open_;
  std::vector<Origin> came_from_;
  std::vector<Edge> edges_;
  std::uint64_t possible_ = 0;
};

}  // namespace hapax
