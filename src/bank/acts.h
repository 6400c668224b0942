// The demo in three acts, with what came of each as values. The acts judge themselves; telling the
// story is the command line's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "bank/books.h"
#include "bank/interrupts.h"
#include "bank/late_writer.h"
#include "hapax/fence.h"

namespace hapax::bank {

struct Options {
  int atms = 5;
  int deposits = 40;  // Of each ATM.
  Money amount = 10;
  std::chrono::microseconds think{2'000};  // Between reading and writing.
};

// Act 1: money is lost.
struct WithoutLock {
  Statement statement;
  int takes = 0;  // How often it was played until money was lost, thinking longer each time.
  std::chrono::microseconds think{};

  bool as_expected() const { return statement.lost() > 0; }
};

// Act 2: none is.
struct WithLock {
  Statement statement;
  std::uint32_t members = 0;
  std::uint64_t deposits_asked = 0;
  Fence first, last;
  bool fences_grow = false;  // From each receipt to the next.
  std::chrono::milliseconds took{};

  bool as_expected() const {
    return statement.lost() == 0 && statement.deposits == deposits_asked && fences_grow;
  }
};

class Stage {
 public:
  // Everything is in `folder`. Starts the ATMs and the daemons. Throws std::exception, as do the
  // acts if they cannot go on.
  Stage(const std::filesystem::path& folder, const Options& options, Interrupts& interrupts);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  WithoutLock without_lock();
  WithLock with_lock();
  // An ATM that comes too late is refused. Reports what happens as it happens.
  LateWriter late_writer(const Teller& tell);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// €1,580
std::string text_of(Money money);

}  // namespace hapax::bank
