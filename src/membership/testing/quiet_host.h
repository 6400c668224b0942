// Who hosts a member in a test: remembers what it logs, and takes no interest in most of the rest.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "membership/member_host.h"

namespace hapax::testing_members {

struct QuietHost : MemberHost {
  void on_wanted(WaiterId) override {}
  bool is_inside(WaiterId) override { return true; }
  void on_message(Seat, std::span<const std::uint8_t>) override {}
  void on_met(Seat) override {}
  void on_forgotten(Seat) override {}
  void on_settled() override {}
  void on_left() override { left = true; }
  void log(const std::string& line, LogLevel) override { lines.push_back(line); }
  void log_once(const std::string& line, LogLevel level) override {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) log(line, level);
  }

  bool left = false;
  std::vector<std::string> lines;
};

}  // namespace hapax::testing_members
