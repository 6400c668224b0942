#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <set>
#include <string>

#include "console/exit_status.h"
#include "console/live_text.h"
#include "console/log.h"
#include "local/group.h"
#include "serve/up.h"

namespace hapax::cli {
namespace {

constexpr std::chrono::seconds kToFindOneAnother{15}, kToEnd{5};

// Daemons, each a process, that find one another through a file.
class Processes {
 public:
  explicit Processes(const UpPlan& plan) : group_(group_plan_of(plan)) {}

  // False if a signal came first, or it takes for ever.
  bool meet(Signals& signals) {
    const auto give_up = std::chrono::steady_clock::now() + kToFindOneAnother;
    try {
      while (!group_.is_complete()) {
        wait_for(signals, nullptr, 10);
        if (signals.take()) return false;
        if (std::chrono::steady_clock::now() > give_up) break;
      }
    } catch (const local::MemberEnded& e) {
      const bool said_why = e.status == kBadUsage || e.status == kUnavailable;
      throw Failure{said_why ? e.status : kUnavailable, said_why ? e.said : e.what()};
    }
    settled_ = true;
    return true;
  }

  // A line each. Throws Failure when nobody is left.
  std::string board() {
    std::string text;
    for (std::uint32_t i = 0; i < group_.size(); ++i) {
      const auto ended = group_.daemon(i).status();
      if (ended && gone_.insert(i).second) {
        log_line(fmt::format("member {} is gone: {}", i + 1, how_it_ended(*ended)));
      }
      text += fmt::format("member {}  {}\n", i + 1, ended ? "gone" : line_of(i));
    }
    if (gone_.size() == group_.size()) throw Failure{kUnavailable, "all members are gone"};
    return text;
  }

  void end() {
    settled_ = false;  // That they miss each other now is not news.
    group_.end(kToEnd);
  }

 private:
  local::GroupPlan group_plan_of(const UpPlan& up) {
    const UpArguments& a = up.arguments;
    local::GroupPlan plan{.size = a.size,
                          .folder = up.sockets,
                          .clients = up.clients,
                          .first_serves_too = {up.usual},
                          .ttl = a.ttl,
                          .settings = {"--election", a.election}};
    for (const std::string& rule : a.algorithm) {
      plan.settings.insert(plan.settings.end(), {"--algorithm", rule});
    }
    if (!a.default_algorithm.empty()) {
      plan.settings.insert(plan.settings.end(), {"--default-algorithm", a.default_algorithm});
    }
    if (!a.page.empty()) plan.first_settings = {"--page", a.page};
    plan.log = [this](std::uint32_t i, const std::string& line) {
      if (settled_) log_line(fmt::format("member {}: {}", i + 1, line));
    };
    return plan;
  }
  static std::string how_it_ended(int status) {
    return status > kBySignal ? fmt::format("signal {}", status - kBySignal)
                              : fmt::format("exit status {}", status);
  }
  std::string line_of(std::uint32_t i) {
    const auto s = group_.status(i);
    const bool grants = s && s->view && s->view->lease.count() > 0;
    return fmt::format("{}  {}  pid {}  {}",
                       !s       ? "silent"
                       : grants ? fmt::format("up, view {} of {}", number(s->epoch), s->size)
                                : "no lease",
                       s ? counts_of(*s) : "", group_.daemon(i).pid(), group_.address(i));
  }

  std::atomic<bool> settled_{false};
  std::set<std::uint32_t> gone_;  // Members that have ended; said so.
  local::Group group_;
};

}  // namespace

void up_on_engine(const UpPlan& plan, Signals& signals) {
  Processes members{plan};
  if (members.meet(signals)) {
    say_hello(plan);
    show_until_signal([&] { return members.board(); }, signals);
  }
  members.end();
}

}  // namespace hapax::cli
