#include "faults/restartable.h"

#include <csignal>
#include <stdexcept>
#include <utility>

#include "base/check.h"

namespace hapax::faults {

Restartable::Restartable(std::string name, std::string host, Words words, std::string log)
    : name_(std::move(name)), log_(std::move(log)), command_{.words = std::move(words)} {
  if (!host.empty()) command_.network = "/run/netns/" + host;
  start();
}

void Restartable::start() {
  HAPAX_CHECK(!is_running());
  is_paused_ = false;
  process_ = Child::logging_to(log_, name_, command_);
}

void Restartable::pause() {
  if (is_paused_ || !is_running()) return;
  try {
    process_->freeze();
    is_paused_ = true;
  } catch (const std::runtime_error&) {  // It has ended meanwhile.
  }
}

void Restartable::resume() {
  if (process_) process_->thaw();
  is_paused_ = false;
}

void Restartable::ask_to_end() {
  if (process_) process_->signal(SIGTERM);
}

}  // namespace hapax::faults
