#include "sim/latency.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace hapax {
namespace {

// From round-trip times in milliseconds above the diagonal, row by row; half of each is one way.
WideArea area(std::string_view name, std::string_view summary, std::vector<std::string_view> places,
              double local_round_trip_ms, const std::vector<double>& round_trips_ms) {
  const std::size_t n = places.size();
  std::vector<Nanos> one_way(n * n);
  std::size_t next = 0;
  const auto half = [](double ms) { return static_cast<Nanos>(ms * kMillisecond / 2); };
  for (std::size_t i = 0; i < n; ++i) {
    one_way[i * n + i] = half(local_round_trip_ms);
    for (std::size_t j = i + 1; j < n; ++j) {
      one_way[i * n + j] = one_way[j * n + i] = half(round_trips_ms[next++]);
    }
  }
  return {name, summary, std::move(places), std::move(one_way)};
}

Result<Latency> bad(std::string_view text) {
  std::vector<std::string_view> names;
  for (const WideArea& a : wide_areas()) names.push_back(a.name);
  return error("latency '{}' is not known; use const:1ms, uniform:500us:2ms, exp:1ms or one of {}",
               text, fmt::join(names, ", "));
}

}  // namespace

// Round figures of the order that the providers' own and public monitors publish; not measured
// here.
const std::vector<WideArea>& wide_areas() {
  static const std::vector<WideArea> areas{
      area("zones", "three zones of one region", {"zone-a", "zone-b", "zone-c"}, 0.2,
           {1.0, 1.2, 1.4}),
      area("europe", "five European regions",
           {"Frankfurt", "Dublin", "London", "Paris", "Stockholm"}, 0.5,
           {25, 15, 10, 23, 12, 18, 38, 9, 32, 30}),
      area("world", "five regions on four continents",
           {"Virginia", "Oregon", "Dublin", "Tokyo", "Sydney"}, 0.5,
           {70, 75, 150, 200, 130, 100, 140, 220, 260, 105})};
  return areas;
}

Nanos Latency::draw_exponential(Nanos mean, Prng& prng) {
  return static_cast<Nanos>(-std::log1p(-prng.unit()) * static_cast<double>(mean));
}

Latency Latency::constant(Nanos delay) {
  Latency latency;
  latency.low_ = latency.high_ = latency.mean_ = latency.longest_ = delay;
  latency.text_ = fmt::format("const:{}ns", delay);
  return latency;
}

Result<Latency> Latency::parse(std::string_view text) {
  Latency latency;
  latency.text_ = text;
  for (const WideArea& a : wide_areas()) {
    if (text != a.name) continue;
    latency.kind_ = Kind::matrix;
    latency.area_ = &a;
    latency.longest_ = *std::max_element(a.one_way.begin(), a.one_way.end());
    latency.mean_ = std::accumulate(a.one_way.begin(), a.one_way.end(), Nanos{0}) /
                    static_cast<Nanos>(a.one_way.size());
    return latency;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    // A bare duration is a constant one.
    return parse_duration(text, "latency") ? parse(fmt::format("const:{}", text)) : bad(text);
  }
  const std::string_view kind = text.substr(0, colon);
  std::string_view first = text.substr(colon + 1);
  std::string_view second;
  if (kind == "uniform") {
    const std::size_t between = first.find(':');
    if (between == std::string_view::npos) return bad(text);
    second = first.substr(between + 1);
    first = first.substr(0, between);
  } else if (kind != "const" && kind != "exp") {
    return bad(text);
  }
  const Result<Nanos> low = parse_duration(first, "latency");
  if (!low) return low.error();
  if (*low == 0 && kind != "uniform") {
    return error("latency '{}' is zero; a message takes some time, e.g. const:1ms", text);
  }
  latency.low_ = latency.high_ = latency.mean_ = latency.longest_ = *low;
  if (kind == "exp") {
    latency.kind_ = Kind::exponential;
    latency.longest_ = 20 * *low;
  } else if (kind == "uniform") {
    const Result<Nanos> high = parse_duration(second, "latency");
    if (!high) return high.error();
    if (*high <= *low) return error("latency '{}': the second bound must be the larger one", text);
    latency.kind_ = Kind::uniform;
    latency.high_ = latency.longest_ = *high;
    latency.mean_ = (*low + *high) / 2;
    if (latency.mean_ == 0) {
      return error(
          "latency '{}' is too short; its mean, the T of the formulas, must be 1ns or more", text);
    }
  }
  return latency;
}

}  // namespace hapax
