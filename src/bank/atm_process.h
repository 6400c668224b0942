// An ATM as the demo sees it: a child process that is told and answers line by line (bank/atm.h).
// Gone with its owner.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "bank/interrupts.h"
#include "base/child.h"

namespace hapax::bank {

class AtmProcess {
 public:
  // Runs this very program again, as `hapax demo atm BOOKS NUMBER`. Throws std::system_error.
  AtmProcess(const std::filesystem::path& books, int number, Interrupts& interrupts);
  ~AtmProcess();
  AtmProcess(const AtmProcess&) = delete;
  AtmProcess& operator=(const AtmProcess&) = delete;

  void tell(const std::string& line);
  // Throws std::runtime_error if the answer is an error, or there is none; Interrupted.
  std::string hear();
  // The same, but no answer in time is nothing.
  std::optional<std::string> hear_within(std::chrono::milliseconds patience);
  std::string ask(const std::string& line) {
    tell(line);
    return hear();
  }

  int number() const { return number_; }
  Child& process() { return *process_; }

 private:
  [[noreturn]] void fail(const std::string& why) const;

  Interrupts& interrupts_;
  int number_;
  int fd_ = -1;
  std::string heard_;  // Of a line that is not complete.
  std::optional<Child> process_;
};

}  // namespace hapax::bank
