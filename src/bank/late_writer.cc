#include "bank/late_writer.h"

#include <fmt/format.h>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "bank/acts.h"
#include "bank/waiting.h"
#include "core/fence.h"

namespace hapax::bank {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kGated = 3, kUngated = 4;  // Accounts.
constexpr Money kOpening = 1'000, kLateAmount = 100;
constexpr milliseconds kWaits{150};            // Long enough for a grant, if there were one.
constexpr std::chrono::seconds kTakeover{30};  // Far more than it takes on a busy machine.

// An ATM that has the lock, and what it read.
struct Taken {
  Fence fence;
  Money balance = 0;
};

Taken taken(const std::string& answer) {
  std::istringstream words{answer};
  std::string verb;
  std::uint64_t epoch = 0;
  std::uint64_t turn = 0;
  Money balance = 0;
  if (!(words >> verb >> epoch >> turn >> balance) || verb != "took") {
    throw std::runtime_error{"an ATM did not take the lock: " + answer};
  }
  return {{Epoch{epoch}, Turn{turn}}, balance};
}

// Of those that are counted from 0, if it is in the view.
const ViewStatus::Life* member_of(const GroupStatus& status, std::uint32_t member) {
  for (const ViewStatus::Life& life : status.view->lives) {
    if (life.seat == member + 1 && life.is_member) return &life;
  }
  return nullptr;
}

class Act {
 public:
  Act(const Cast& cast, Money amount, const Teller& tell)
      : cast_(cast), amount_(amount), tell_(tell) {}

  LateWriter play() {
    cast_.books.open_account(kGated, kOpening);
    cast_.books.open_account(kUngated, kOpening);
    connect(cast_.late, kLate);
    connect(cast_.next, kNext);
    begin_deposit();
    stop_machine();
    take_over();
    wake_up();
    start_anew();
    return report_;
  }

 private:
  static constexpr std::uint32_t kLate = 0, kNext = 1;  // Their members.

  void connect(AtmProcess& atm, std::uint32_t member) {
    expect(atm.ask(fmt::format("connect {} {}", cast_.group.address(member), kGated)), "ready");
  }
  // Both accounts say the same, as long as nobody is late.
  Taken take(AtmProcess& atm, const std::string& answer) {
    const Taken taking = taken(answer);
    expect(atm.ask(fmt::format("read {}", kUngated)), fmt::format("read {}", taking.balance));
    return taking;
  }

  void demand_that_next_waits() {
    if (cast_.next.hear_within(kWaits)) {
      throw std::runtime_error{"ATM 2 got the lock although ATM 1 had it; try again"};
    }
  }
  GroupStatus status_of_next() {
    auto status = cast_.group.status(kNext);
    if (!status || !status->view) throw std::runtime_error{"the daemon of ATM 2 does not answer"};
    return *std::move(status);
  }
  // As the next ATM's daemon hears it.
  std::uint64_t beat_of_late() {
    const GroupStatus status = status_of_next();
    const ViewStatus::Life* late = member_of(status, kLate);
    if (late == nullptr) throw std::runtime_error{"the daemon of ATM 1 lost its lease; try again"};
    return late->beat;
  }

  void begin_deposit() {
    first_ = take(cast_.late, cast_.late.ask(fmt::format("take {}", kGated)));
    report_.late = first_.fence;
    tell_(fmt::format("ATM 1 takes the lock, fence {}, and reads {}.", first_.fence,
                      text_of(first_.balance)));
    cast_.next.tell(fmt::format("take {}", kGated));
    demand_that_next_waits();
    tell_("ATM 2 asks for the lock and waits.");
  }

  void stop_machine() {
    cast_.late.process().freeze();
    const std::uint64_t before = beat_of_late();
    wait_until([&] { return beat_of_late() > before + 1; }, "the daemon of ATM 1 to beat",
               cast_.interrupts);
    demand_that_next_waits();
    tell_("ATM 1 stops (SIGSTOP). Its daemon goes on beating, and keeps the lock for it.");
    cast_.group.daemon(kLate).freeze();
    stopped_ = steady_clock::now();
    tell_("Its daemon stops as well: the whole machine is still.");
  }

  void take_over() {
    const auto answer = cast_.next.hear_within(kTakeover);
    if (!answer) throw std::runtime_error{"ATM 2 was not given the lock within 30 s"};
    report_.after = std::chrono::duration_cast<milliseconds>(steady_clock::now() - stopped_);
    const GroupStatus status = status_of_next();
    report_.removed = member_of(status, kLate) == nullptr;
    tell_(fmt::format("{:.1f} s later its lease is over: view {} is {} its daemon.",
                      static_cast<double>(report_.after.count()) / 1000, number(status.epoch),
                      report_.removed ? "without" : "NOT WITHOUT"));
    const Taken second = take(cast_.next, *answer);
    report_.next = second.fence;
    expect(cast_.next.ask(fmt::format("put {} {}", kGated, amount_)), "admitted");
    expect(cast_.next.ask(fmt::format("write {} {}", kUngated, amount_)), "written");
    tell_(fmt::format("ATM 2 gets the lock, fence {}, reads {}, deposits {}: {}.", second.fence,
                      text_of(second.balance), text_of(amount_),
                      text_of(cast_.books.balance(kGated))));
  }

  void wake_up() {
    cast_.group.daemon(kLate).thaw();
    cast_.late.process().thaw();
    report_.refused = cast_.late.ask(fmt::format("put {} {}", kGated, kLateAmount)) == "refused";
    report_.at_refusal = cast_.books.balance(kGated);
    tell_("ATM 1 wakes up (SIGCONT), and writes what it had in mind:");
    tell_(fmt::format("  {} + {} with fence {}: {}. The gate has seen {}.", text_of(first_.balance),
                      text_of(kLateAmount), first_.fence, report_.refused ? "REFUSED" : "WRITTEN",
                      cast_.books.mark(kGated)));
    expect(cast_.late.ask(fmt::format("write {} {}", kUngated, kLateAmount)), "written");
    report_.ungated = cast_.books.statement(kUngated);
    tell_(fmt::format("  The same to an account without a gate: written. Receipts say {},",
                      text_of(report_.ungated.expected())));
    tell_(fmt::format("  the balance is {}: lost {}, what ATM 2 had added.",
                      text_of(report_.ungated.balance), text_of(report_.ungated.lost())));
    report_.noticed = cast_.late.ask("hear-of-loss") == "lost";
    expect(cast_.next.ask("leave"), "left");
  }

  void start_anew() {
    wait_until([&] { return cast_.group.is_complete(); }, "the daemon of ATM 1 to join again",
               cast_.interrupts);
    connect(cast_.late, kLate);
    const Taken anew = taken(cast_.late.ask(fmt::format("take {}", kGated)));
    report_.again = anew.fence;
    expect(cast_.late.ask(fmt::format("put {} {}", kGated, kLateAmount)), "admitted");
    expect(cast_.late.ask("leave"), "left");
    report_.gated = cast_.books.statement(kGated);
    tell_("Its lock has told ATM 1 by now that it is lost. Its daemon has joined again;");
    tell_(fmt::format("ATM 1 starts anew, fence {}, reads {}, deposits {}: {}.", anew.fence,
                      text_of(anew.balance), text_of(kLateAmount), text_of(report_.gated.balance)));
  }

  const Cast& cast_;
  const Money amount_;
  const Teller& tell_;
  Taken first_;
  steady_clock::time_point stopped_;
  LateWriter report_;
};

}  // namespace

bool LateWriter::as_expected() const {
  return removed && refused && noticed && late.epoch < next.epoch && next < again &&
         gated.lost() == 0 && gated.deposits == 2 && ungated.lost() > 0 && ungated.deposits == 2;
}

LateWriter play_late_writer(const Cast& cast, Money amount, const Teller& tell) {
  return Act{cast, amount, tell}.play();
}

}  // namespace hapax::bank
