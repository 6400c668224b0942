// systemd as our supervisor (Type=notify): it is told when we serve, what we do, that our loop
// still turns, and that we end. Where nobody supervises us, nothing is said; if systemd does not
// read for a while, we go on, and say it later.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "loop/loop.h"

namespace hapax::systemd {

class Supervisor {
 public:
  // `status` is asked now and then, on the thread of the loop: a line for people, as
  // `systemctl status` shows it. An error if somebody waits for word from us where we
  // cannot give it.
  static Result<std::unique_ptr<Supervisor>> find(Loop& io, std::function<std::string()> status);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // We serve. From now on it hears from us, from the loop, twice as often as it wants to.
  void ready();
  // We are about to end, and take our time.
  void stopping();
  // It hears no more; the loop may run out of work.
  void close();

 private:
  class Impl;
  explicit Supervisor(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace hapax::systemd
