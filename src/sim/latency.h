// How long a message takes: const:1ms, uniform:500us:2ms, exp:1ms, or a named matrix of real
// regions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/ids.h"
#include "base/prng.h"
#include "base/result.h"

namespace hapax {

// One-way delays between places; node i stands in place i mod places.
struct WideArea {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> places;
  std::vector<Nanos> one_way;  // places × places, row by row.
};

const std::vector<WideArea>& wide_areas();

class Latency {
 public:
  static Latency constant(Nanos delay);
  static Result<Latency> parse(std::string_view text);

  [[gnu::always_inline]] Nanos draw(NodeId from, NodeId to, Prng& prng) const {
    switch (kind_) {
      case Kind::constant:
        return low_;
      case Kind::uniform:
        return low_ + static_cast<Nanos>(prng.below(static_cast<std::uint64_t>(high_ - low_) + 1));
      case Kind::exponential:
        return draw_exponential(low_, prng);
      case Kind::matrix:
        return area_->one_way[place(from) * area_->places.size() + place(to)];
    }
    return low_;
  }

  // The T of the formulas.
  Nanos mean() const { return mean_; }
  // A message (almost) never takes longer.
  Nanos longest() const { return longest_; }
  // The shortest and the longest, where there are such bounds over all links alike.
  std::optional<std::pair<Nanos, Nanos>> bounds() const {
    if (kind_ != Kind::constant && kind_ != Kind::uniform) return std::nullopt;
    return std::pair{low_, high_};
  }
  // Whether two messages on one link always take the same time, so that none overtakes another.
  bool keeps_order() const { return kind_ == Kind::constant || kind_ == Kind::matrix; }
  const std::string& text() const { return text_; }

  static Nanos draw_exponential(Nanos mean, Prng& prng);

 private:
  enum class Kind : std::uint8_t { constant, uniform, exponential, matrix };

  std::size_t place(NodeId node) const { return number(node) % area_->places.size(); }

  Kind kind_ = Kind::constant;
  Nanos low_ = kMillisecond;
  Nanos high_ = kMillisecond;
  Nanos mean_ = kMillisecond;
  Nanos longest_ = kMillisecond;
  const WideArea* area_ = nullptr;
  std::string text_ = "const:1ms";
};

}  // namespace hapax
