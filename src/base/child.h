// A process of ours that ends with us, whatever ends us. It is a process group of its own: ^C is
// for us, and we deal with it.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace hapax {

// This very program.
inline constexpr const char* kThisProgram = "/proc/self/exe";

struct Command {
  std::vector<std::string> words;  // The first is its name.
  std::string program{};           // If not that one; looked for as a shell does.
  // Descriptors for it; -1: nothing to read, and our own for output.
  int input = -1, output = -1, error = -1;
  bool without_settings =
      false;  // No HAPAX_… in its environment: its words say all that it is to do.
  std::vector<std::pair<std::string, std::string>> environment{};  // Besides ours.
  std::string network{};  // The file of the network namespace that it runs in.
};

class Child {
 public:
  // Runs it with none of our other descriptors, and no signal blocked. `name` is for messages.
  // Throws std::system_error. One that cannot be run ends with 127.
  // REQUIRES: called on a thread that lives as long as the process is to.
  Child(std::string name, const Command& command);
  // What it says is appended to a file.
  static Child logging_to(const std::filesystem::path& log, std::string name, Command command);
  ~Child() { end(SIGKILL); }
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }
  // As a shell would report it, once it has ended.
  std::optional<int> status();

  void signal(int number);  // Nothing if it has ended.
  void freeze();  // It is stopped when this returns. Throws std::runtime_error if it has ended.
  void thaw() { signal(SIGCONT); }
  void ask_to_end();  // SIGTERM, even to one that is frozen.
  // Returns when it has ended.
  void end(int number);
  // False if it has not ended in time.
  bool wait_for_end(std::chrono::milliseconds patience);

 private:
  void note(int status);

  std::string name_;
  pid_t pid_ = -1;
  std::optional<int> status_;  // Nothing as long as there is a process to wait for.
};

}  // namespace hapax
