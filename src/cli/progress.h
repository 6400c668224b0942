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
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace hapax::cli
