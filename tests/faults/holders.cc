#include "faults/holders.h"

#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <thread>

#include "faults/sandbox.h"

namespace hapax::faults {
namespace {

using namespace std::chrono_literals;

bool is_done(const boost::json::object& line, const char* op) {
  return line.at("op") == op && line.contains("ret") && line.at("ok").as_bool();
}

}  // namespace

bool Holders::is_over(unsigned rounds, unsigned wanted) const {
  return rounds >= wanted || is_interrupted();
}

Group::Worker* Holders::wait_for_holder() {
  const auto give_up = Clock::now() + 10 * plan_.ttl + 10s;
  while (Clock::now() < give_up && !is_interrupted()) {
    for (Group::Worker& worker : group_.workers()) {
      const auto lines = worker.tail.news();
      if (!lines.empty() && is_done(lines.back(), "read")) return &worker;
    }
    std::this_thread::sleep_for(1ms);
  }
  if (is_interrupted()) return nullptr;
  throw std::runtime_error{"nobody enters any more"};
}

template <class Whose, class Wanted>
std::optional<Holders::Line> Holders::line_within(std::chrono::milliseconds patience,
                                                  const Whose& whose, const Wanted& wanted) {
  const auto give_up = Clock::now() + patience;
  while (Clock::now() < give_up) {
    for (Group::Worker& worker : group_.workers()) {
      if (!whose(worker)) continue;
      for (const Line& line : worker.tail.news()) {
        if (wanted(line)) return line;
      }
    }
    std::this_thread::sleep_for(1ms);
  }
  return std::nullopt;
}

template <class Whose, class Wanted>
Holders::Line Holders::wait_for_line(const char* what, const Whose& whose, const Wanted& wanted) {
  if (const auto line = line_within(10 * plan_.ttl + 10s, whose, wanted)) return *line;
  throw std::runtime_error{fmt::format("waited in vain for {}", what)};
}

void Holders::wait_for_entry(const Group::Worker& worker) {
  wait_for_line(
      "a worker to enter again", [&](const Group::Worker& other) { return &other == &worker; },
      [](const Line& line) { return is_done(line, "acquire"); });
}

Holders::Outcome Holders::pause_each() {
  Outcome outcome;
  while (!is_over(outcome.rounds, plan_.paused_holders)) {
    Group::Worker* const holder = wait_for_holder();
    if (holder == nullptr) break;
    const auto is_holder = [&](const Group::Worker& other) { return &other == holder; };
    const auto is_other = [&](const Group::Worker& other) { return &other != holder; };
    Restartable& daemon = group_.members()[holder->member].daemon;
    holder->process->pause();
    daemon.pause();
    // What it did before the pause reached it.
    const bool came_too_late = !holder->tail.news().empty();
    const bool is_taken_over =
        !came_too_late && line_within(4 * plan_.ttl, is_other, [](const Line& line) {
                            return is_done(line, "read");
                          }).has_value();
    daemon.resume();
    holder->process->resume();
    if (came_too_late) continue;
    if (!is_taken_over) throw std::runtime_error{"nobody took over"};
    const Line write = wait_for_line("the paused worker to write", is_holder, [](const Line& line) {
      return line.at("op") == "write" && line.contains("ret");
    });
    ++outcome.rounds;
    ++(write.at("ok").as_bool() ? outcome.accepted : outcome.refused);
    wait_for_entry(*holder);
  }
  return outcome;
}

Holders::Outcome Holders::kill_each() {
  Outcome outcome;
  while (!is_over(outcome.rounds, plan_.takeovers)) {
    const Group::Worker* const holder = wait_for_holder();
    if (holder == nullptr) break;
    Restartable& daemon = group_.members()[holder->member].daemon;
    outcome.kills.push_back({holder->member, now(), std::numeric_limits<Nanos>::max()});
    daemon.kill_now();
    wait_for_line(
        "another worker to enter",
        [&](const Group::Worker& other) { return other.member != holder->member; },
        [](const Line& line) { return is_done(line, "acquire"); });
    daemon.start();
    wait_for_entry(*holder);
    ++outcome.rounds;
  }
  return outcome;
}

}  // namespace hapax::faults
