// A process of ours that ends with us, whatever ends us. It is a process group of its own: ^C is
// for us, and we deal with it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hapax::local {

// This very program.
inline constexpr const char* kThisProgram = "/proc/self/exe";

class Child {
 public:
  // Descriptors for it; -1: nothing to read, and our own for output.
  struct Streams {
    int input = -1, output = -1, error = -1;
  };

  // Runs `program` with these words behind its name, none of our other descriptors, no signal
  // blocked, and no HAPAX_… in its environment: its words say all that it is to do. `name` is for
  // messages. Throws std::system_error.
  // REQUIRES: called on a thread that lives as long as the process is to.
  Child(std::string name, const std::string& program, std::vector<std::string> words,
        Streams streams);
  ~Child();  // Kills it.
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }
  // As a shell would report it, once it has ended.
  std::optional<int> status();

  void freeze();  // It is stopped when this returns. Throws std::runtime_error if it has ended.
  void thaw();
  void ask_to_end();  // SIGTERM, even to one that is frozen.
  // False if it has not ended in time.
  bool wait_for_end(std::chrono::milliseconds patience);

 private:
  void note(int status);

  std::string name_;
  pid_t pid_ = -1;
  std::optional<int> status_;  // Nothing as long as there is a process to wait for.
};

}  // namespace hapax::local
