// A progress bar on standard error, only for people (a terminal) and only when there is time to see
// it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace hapax::cli {

class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total`, with something to say beside it.
  void show(std::uint64_t done, std::uint64_t total, std::string_view note);
  double seconds() const;

 private:
  bool enabled_;
  bool drawn_ = false;
  void (*on_interrupt_)(int) = nullptr;  // What ^C did before. Meaningful while drawn_.
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

// A line of at most that many columns (if there are a few): the bar, per cent, and the note if it
// fits. REQUIRES: the note is ASCII.
std::string progress_line(std::uint64_t done, std::uint64_t total, std::string_view note,
                          std::size_t columns);

}  // namespace hapax::cli
