// A client of files, beside the one of locks: reads and writes a few of them through whichever
// daemon answers, or reads copies of its own, and notes what it saw for `hapax audit`. On a thread
// of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/prng.h"
#include "faults/notes.h"
#include "handles/file_access.h"
#include "hapax/client.h"
#include "hapax/error.h"
#include "hapax/file.h"

namespace hapax::faults {

class FileUser {
 public:
  // `addresses` of all daemons, with commas, its own first.
  FileUser(std::string addresses, std::string name, const std::string& history, unsigned files,
           std::uint64_t seed)
      : addresses_(std::move(addresses)),
        name_(std::move(name)),
        files_(files),
        random_(seed),
        history_(open(history.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (history_ < 0) throw std::system_error{errno, std::generic_category(), history};
  }
  ~FileUser() { close(history_); }
  FileUser(const FileUser&) = delete;
  FileUser& operator=(const FileUser&) = delete;

  void run(const std::atomic<bool>& is_asked_to_end) {
    while (!is_asked_to_end) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10 + random_.below(20)});
      try {
        // For good: what it has seen it must see at the next daemon, too.
        if (!client_) client_.emplace(addresses_);
        use_one(fmt::format("file-{}", 1 + random_.below(files_)));
      } catch (const std::system_error& e) {
        if (e.code().category() != error_category()) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
      }
    }
  }

 private:
  static constexpr const char* kRemoved = "file-1";  // Now and then.

  struct Line {
    const char* op;
    Nanos call = 0;
    std::optional<Nanos> ret{};
    bool ok = true;
    std::uint64_t version = 0, expected = 0;
    std::string content{};
    bool fresh = false;
    bool copied = false;
  };

  void use_one(const std::string& path) {
    File file{*client_, path};
    const std::uint64_t drawn = random_.below(100);
    if (drawn < 8) return read(path, true);
    if (drawn < 45) return read(path, false);
    if (drawn < 65) return read_all_again();
    // Which version a removal has is not told: where there are some, absence proves nothing.
    const bool is_removal = drawn >= 95 && path == kRemoved;
    const bool is_swap = drawn >= 78 && !is_removal;
    Line line{.op = is_removal ? "remove" : is_swap ? "cas" : "put", .call = now()};
    if (!is_removal) line.content = fmt::format("{} {}", name_, ++writes_);
    if (is_swap) line.expected = seen_[path];
    note(path, line);  // One that is killed meanwhile may have written.
    try {
      if (is_removal) {
        line.ok = file.remove();  // The version of a removal is not told.
      } else {
        line.version = file.write(
            line.content, {.version = is_swap ? std::optional{line.expected} : std::nullopt});
        seen_[path] = line.version;
      }
    } catch (const std::system_error& e) {
      if (e.code() != Errc::conflict) throw;  // Nobody knows.
      line.ok = false;
    }
    line.ret = now();
    note(path, line);
  }

  // Without a pause: what nobody has changed meanwhile is read from its copy, between others that
  // somebody has, by which more is known than when the copy was made.
  void read_all_again() {
    constexpr int kTimes = 4;
    for (int i = 0; i < kTimes; ++i) {
      for (unsigned file = 1; file <= files_; ++file) read(fmt::format("file-{}", file), false);
    }
  }

  void read(const std::string& path, bool fresh) {
    Line line{.op = "get", .call = now(), .fresh = fresh};
    // As File::read() does, which does not tell the number of the answer.
    const auto gateway = detail::FileAccess::gateway_of(*client_);
    const auto told = detail::FileAccess::ask_for<session::FileTold>(
        *gateway, session::FileGet{0, path, 0, fresh}, path);
    line.ret = now();
    line.version = told.version;
    line.content = told.content;
    line.copied = told.request <= last_answer_;  // It was given before.
    last_answer_ = std::max(last_answer_, told.request);
    seen_[path] = line.version;
    note(path, line);
  }

  void note(const std::string& path, const Line& line) const {
    std::string text = fmt::format(
        R"({{"client":"{}","file":"{}","op":"{}","call":{},"ok":{},"version":{},"expected":{},)"
        R"("content":"{}","fresh":{},"copied":{})",
        name_, path, line.op, line.call, line.ok, line.version, line.expected, line.content,
        line.fresh, line.copied);
    if (line.ret) text += fmt::format(R"(,"ret":{})", *line.ret);
    text += "}\n";
    if (write(history_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::system_error{errno, std::generic_category(), "history"};
    }
  }

  const std::string addresses_, name_;
  const unsigned files_;
  Prng random_;
  const int history_;
  std::optional<Client> client_;
  std::map<std::string, std::uint64_t> seen_;
  std::uint64_t writes_ = 0;
  session::RequestId last_answer_ = 0;
};

}  // namespace hapax::faults
