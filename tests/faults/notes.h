// What a client of locks saw, appended to a file line by line: each line is one write, so that a
// kill cuts off the last one at most, and nothing is buffered.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "hapax/fence.h"

namespace hapax::faults {

using Nanos = std::int64_t;

// Of the clock that all processes of this machine share.
inline Nanos now() {
  return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

class Notes {
 public:
  // Every line says whose it is.
  Notes(const std::string& file, const std::string& client, int member)
      : file_(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)),
        head_(fmt::format(R"({{"client":"{}","member":{})", client, member)) {
    if (file_ < 0) throw std::system_error{errno, std::generic_category(), file};
  }
  ~Notes() { close(file_); }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  struct Line {
    const char* op;
    std::string lock{};
    Nanos call = 0;
    std::optional<Nanos> ret{};
    bool ok = true;
    std::optional<Fence> fence{};
    std::optional<Nanos> valid_until{};
    std::optional<Nanos> looked{};
    std::optional<std::int64_t> value{};
  };

  void note(const Line& line) const {
    std::string text =
        fmt::format(R"({},"op":"{}","call":{},"ok":{})", head_, line.op, line.call, line.ok);
    if (!line.lock.empty()) text += fmt::format(R"(,"lock":"{}")", line.lock);
    if (line.ret) text += fmt::format(R"(,"ret":{})", *line.ret);
    if (line.fence) {
      text +=
          fmt::format(R"(,"fence":"{}.{}")", number(line.fence->epoch), number(line.fence->turn));
    }
    if (line.valid_until) text += fmt::format(R"(,"valid_until":{})", *line.valid_until);
    if (line.looked) text += fmt::format(R"(,"looked":{})", *line.looked);
    if (line.value) text += fmt::format(R"(,"value":{})", *line.value);
    text += "}\n";
    if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::system_error{errno, std::generic_category(), "history"};
    }
  }

 private:
  int file_;
  std::string head_;
};

}  // namespace hapax::faults
