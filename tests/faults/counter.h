// What the locks of the fault tests guard: a number in a file, behind a gate or, to show what that
// is good for, without one.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>

#include "hapax/gate.h"

namespace hapax::faults {

class Counter {
 public:
  Counter(const std::filesystem::path& folder, const std::string& lock, bool has_gate)
      : file_(open((folder / (lock + ".count")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw std::system_error{errno, std::generic_category(), lock};
    if (has_gate) gate_.emplace(folder / (lock + ".gate"));
  }
  ~Counter() { close(file_); }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // None: refused by the gate.
  std::optional<std::int64_t> read(Fence fence) {
    std::optional<std::int64_t> value;
    pass(fence, [&] { value = value_now(); });
    return value;
  }
  bool write(Fence fence, std::int64_t value) {
    return pass(fence, [&] {
      char text[kWidth + 1];
      std::snprintf(text, sizeof text, "%*lld", kWidth, static_cast<long long>(value));
      if (pwrite(file_, text, kWidth, 0) != kWidth) {
        throw std::system_error{errno, std::generic_category(), "counter"};
      }
    });
  }
  // As it is; for a caller that knows nobody else is there any more.
  std::int64_t value_now() const {
    char text[kWidth + 1]{};
    const ssize_t got = pread(file_, text, kWidth, 0);
    if (got < 0) throw std::system_error{errno, std::generic_category(), "counter"};
    return std::strtoll(text, nullptr, 10);
  }

 private:
  static constexpr int kWidth = 20;  // Always this wide: a write replaces all there was.

  template <class Access>
  bool pass(Fence fence, const Access& access) {
    if (gate_) return gate_->admit(fence, access);
    access();
    return true;
  }

  int file_;
  std::optional<FileGate> gate_;
};

}  // namespace hapax::faults
