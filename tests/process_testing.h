// Real processes for tests: started, fed, watched and — whatever happens — ended, in bounded time.
#pragma once

#include <arpa/inet.h>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <netinet/in.h>
#include <optional>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/testing/folder.h"
#include "base/testing/free_port.h"

namespace hapax::testing {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using namespace std::chrono_literals;
using Environment = std::vector<std::pair<std::string, std::string>>;
using Arguments = std::vector<std::string>;

// Of a process that ends meanwhile: what could be read.
inline std::string contents_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

// Looks every now and then; false if it did not become true in time.
inline bool eventually(const std::function<bool()>& holds, milliseconds patience = 10s) {
  const auto give_up = Clock::now() + patience;
  while (!holds()) {
    if (Clock::now() > give_up) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

// Neither alive nor a zombie that somebody will wait for.
inline bool is_gone(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::string text;
  if (!std::getline(file, text)) return true;
  return text.substr(text.rfind(')')).starts_with(") Z");
}

inline pid_t pid_in(const fs::path& path) {
  pid_t pid = -1;
  std::ifstream{path} >> pid;
  return pid;
}

class Process {
 public:
  // Standard input is a pipe that close_input() closes; output goes to files.
  Process(const Arguments& words, const Environment& environment, const Folder& folder) {
    static int count = 0;
    const std::string stem = "process-" + std::to_string(getpid()) + "-" + std::to_string(++count);
    out_ = folder / (stem + ".out");
    err_ = folder / (stem + ".err");
    int input[2];
    if (pipe2(input, O_CLOEXEC) != 0) std::abort();
    const int out = open(out_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const int err = open(err_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    child_.emplace(words.front(), Command{.words = words,
                                          .input = input[0],
                                          .output = out,
                                          .error = err,
                                          .environment = environment});
    for (const int fd : {input[0], out, err}) close(fd);
    input_ = input[1];
  }
  ~Process() { close_input(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void say(const std::string& text) const {
    if (write(input_, text.data(), text.size()) < 0) std::abort();
  }
  void close_input() {
    if (input_ >= 0) close(std::exchange(input_, -1));
  }
  void signal(int signal) { child_->signal(signal); }
  pid_t pid() const { return child_->pid(); }

  // As a shell would report it; -1 if it did not end in time.
  int wait(milliseconds patience = 20s) {
    return child_->wait_for_end(patience) ? *child_->status() : -1;
  }
  bool has_ended() { return child_->status().has_value(); }
  std::string out() const { return contents_of(out_); }
  std::string err() const { return contents_of(err_); }

 private:
  std::optional<Child> child_;
  int input_ = -1;
  fs::path out_, err_;
};

}  // namespace hapax::testing
