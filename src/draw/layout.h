// Where things are in a space-time diagram: lifelines are columns, time goes down in rows. All
// pictures are drawn from it; how high a row is is up to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "world/chronicle.h"

namespace hapax {

enum class Packing : std::uint8_t {
  one_step_a_row,
  // Steps of different nodes share a row if neither causes the other. Rows keep the order of what
  // must not be confused: entering, leaving, leading, reading and writing.
  tight
};

struct Layout {
  struct Arrow {
    enum class Fate : std::uint8_t { arrives, lost, lost_at_the_end, under_way };
    NodeId from{};
    NodeId to{};
    std::uint32_t sent = 0;  // The row of sending …
    std::uint32_t came = 0;  // … and the row of arriving, or of getting lost.
    std::uint32_t step = 0;  // Of sending.
    Fate fate = Fate::under_way;
    bool is_copy = false;
    std::string text;
  };
  struct Bar {
    enum class Kind : std::uint8_t { waiting, inside, leading, clash };
    Kind kind{};
    NodeId node{};
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool open = true;       // It goes on as the picture ends.
    bool violates = false;  // Another one is inside, or leads, during part of it.
    bool stale = false;     // Its fence is not larger than one before it.
    std::string label;
  };
  struct Mark {
    enum class Kind : std::uint8_t { step, told, deferred, crash, storage, refused, rejected };
    Kind kind{};
    NodeId node{};
    std::uint32_t row = 0;
    std::string label{};
    std::string reason{};          // Of the step, all of it.
    std::optional<Clock> clock{};  // If it has changed.
  };
  // What is not about one node: a partition, a look at the account; or a word to the reader.
  struct Line {
    std::uint32_t row = 0;
    std::string text;
  };

  std::string algorithm;
  std::vector<std::string> names;
  std::uint32_t rows = 0;
  std::vector<std::uint32_t> steps;  // The first step of each row.
  std::vector<Arrow> arrows;
  std::vector<Bar> bars;  // Clashes last: they cover part of others.
  std::vector<Mark> marks;
  std::vector<Line> dividers;
  std::vector<Line> captions;  // Beside the row, and all until the next one.
};

Layout lay_out(const Chronicle& chronicle, Packing packing);

// REQUEST(clock=5) as a diagram has room for: REQUEST(5).
std::string short_message(const std::string& text);

}  // namespace hapax
