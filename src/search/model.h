// What a search explores: states as rows of numbers, and the steps between them. A model says what
// can happen; it knows nothing of how the states are gone through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/rows.h"

namespace hapax {

class States;

// The label of a step, as small as a model can say it. What the fields mean is for the model to
// say.
struct SearchStep {
  std::uint8_t kind = 0;
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  std::uint32_t what = 0;
};

// The steps that a model finds: from one state, or from several, one after the other.
class Steps {
 public:
  struct Failure {
    SearchStep step;
    std::string_view property;
    std::string text;
  };

  // `width`: 64-bit words of a row.
  void clear(std::uint32_t width) {
    width_ = width;
    rows_.resize(steps_.size() * width_);
    size_ = 0;
    failures_.clear();
    too_narrow_ = unknown_ = false;
  }
  // Forgets all but the first so many.
  void keep(std::size_t steps, std::size_t failures) {
    size_ = steps;
    failures_.resize(failures);
    too_narrow_ = unknown_ = false;
  }

  // --- written by the model ---

  // The row that the next step leads to, to be changed where it stays: at first as `row`. Valid
  // until the next one; if no step is added to it, it is as if it had not been.
  std::uint64_t* draft(const std::uint64_t* row) {
    if (size_ == steps_.size()) [[unlikely]]
      make_room();
    std::uint64_t* next = rows_.data() + size_ * width_;
    copy_row(next, row, width_);
    return next;
  }
  void add_to_draft(SearchStep step) { steps_[size_++] = step; }
  void add(const SearchStep& step, const std::uint64_t* next) {
    draft(next);
    add_to_draft(step);
  }
  // A step that breaks a property leads nowhere.
  void fail(const SearchStep& step, std::string_view property, std::string text) {
    failures_.push_back({step, property, std::move(text)});
  }
  // The rows have no room for a number: what was found of this state is worth nothing until widen()
  // has made some.
  void find_too_narrow() { too_narrow_ = true; }
  // As much: a step was never computed before, and the model is frozen.
  void find_unknown() { unknown_ = true; }
  void enter(std::uint32_t process) { entered_ |= std::uint64_t{1} << process; }

  // --- read by the search ---

  std::size_t size() const { return size_; }
  const SearchStep& operator[](std::size_t i) const { return steps_[i]; }
  const std::uint64_t* row(std::size_t i) const { return rows_.data() + i * width_; }
  const std::vector<Failure>& failures() const { return failures_; }
  bool is_too_narrow() const { return too_narrow_; }
  bool is_unknown() const { return unknown_; }
  // A bit for each process that ever entered.
  std::uint64_t entered() const { return entered_; }

 private:
  void make_room();

  std::uint32_t width_ = 1;
  std::size_t size_ = 0;
  std::vector<SearchStep> steps_;  // With room for more, as their rows have.
  std::vector<std::uint64_t> rows_;
  std::vector<Failure> failures_;
  std::uint64_t entered_ = 0;
  bool too_narrow_ = false;
  bool unknown_ = false;
};

inline void Steps::make_room() {
  steps_.resize(2 * size_ + 16);
  rows_.resize(steps_.size() * width_);
}

class SearchModel {
 public:
  SearchModel() = default;
  virtual ~SearchModel() = default;
  SearchModel(const SearchModel&) = delete;
  SearchModel& operator=(const SearchModel&) = delete;

  virtual std::uint32_t width() const = 0;  // 64-bit words of a row.
  virtual void initial(std::uint64_t* row) = 0;
  // Adds every step that is possible, and every one that breaks a property.
  virtual void expand(const std::uint64_t* row, Steps& steps) = 0;
  // A bit for each process that waits.
  virtual std::uint64_t waits(const std::uint64_t* row) const = 0;
  // Steps that happen at last if they stay possible have a number, from 0 to 63.
  virtual std::optional<std::uint32_t> fair_class(const SearchStep& step) const = 0;
  // What to say of a state without such steps in which somebody waits.
  virtual std::string dead_end(const std::uint64_t* row) const = 0;
  // The way from the beginning, in words.
  virtual std::vector<std::string> tell(const std::vector<SearchStep>& way) = 0;

  // Reshapes all rows. Only for a model that can find them too narrow.
  virtual void widen(States&) {}

  // --- of a model whose expand() leaves out steps that make no difference (reduction.h) ---

  virtual bool leaves_out() const { return false; }
  virtual void expand_in_full(const std::uint64_t* row, Steps& steps) { expand(row, steps); }
  // Whether it has left out some that do, at the end of a search. Then search again: it has
  // learned. If not, expand() leaves out the same ones from now on.
  virtual bool left_out_too_much() { return false; }
  virtual void leave_nothing_out() {}

  // Whether several threads may expand at once: while frozen, nothing is written.
  virtual bool can_freeze() const { return false; }
  virtual void freeze(bool) {}
};

}  // namespace hapax
