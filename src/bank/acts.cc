#include "bank/acts.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <stdexcept>

#include "bank/atm_process.h"
#include "bank/cable.h"
#include "bank/local_group.h"
#include "core/fence.h"

namespace hapax::bank {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kFirst = 1, kSecond = 2, kThird = 3;  // An account for each act.
constexpr std::uint32_t kMembers = 3;
constexpr int kMostTakes = 8;
constexpr milliseconds kWaits{150};  // Long enough for a grant, were there to be one.

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

void expect(const std::string& answer, const std::string& expected) {
  if (answer != expected) {
    throw std::runtime_error{fmt::format("an ATM said {}, not {}", answer, expected)};
  }
}

}  // namespace

bool LateWriter::as_expected() const {
  return next_waited && refused && late < next && next < again && statement.lost() == 0 &&
         statement.deposits == 2;
}

class Stage::Impl {
 public:
  Impl(const std::filesystem::path& folder, const Options& options, Interrupts& interrupts)
      : folder_(folder), options_(options), books_(folder / "bank.db") {
    for (int i = 1; i <= options.atms; ++i) {
      atms_.push_back(std::make_unique<AtmProcess>(folder / "bank.db", i, interrupts));
    }
    group_ = std::make_unique<LocalGroup>(folder, kMembers);
  }

  WithoutLock without_lock() {
    WithoutLock report;
    report.think = options_.think;
    for (;;) {
      ++report.takes;
      books_.open_account(kFirst, 0);
      everybody("deposit", kFirst, report.think);
      report.statement = books_.statement(kFirst);
      if (report.statement.lost() > 0 || report.takes == kMostTakes) return report;
      report.think *= 2;
    }
  }

  WithLock with_lock() {
    WithLock report;
    report.members = group_->size();
    report.deposits_asked = static_cast<std::uint64_t>(options_.atms * options_.deposits);
    books_.open_account(kSecond, 0);
    for (auto& atm : atms_) {
      atm->tell(fmt::format("connect {} {}", home_of(*atm), kSecond));
    }
    for (auto& atm : atms_) expect(atm->hear(), "ready");
    const auto begin = steady_clock::now();
    everybody("deposit-locked", kSecond, options_.think);
    report.took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
    report.statement = books_.statement(kSecond);
    const std::vector<Fence> fences = books_.fences(kSecond);
    report.fences_grow = std::is_sorted(fences.begin(), fences.end(), std::less_equal<>{});
    if (!fences.empty()) {
      report.first = fences.front();
      report.last = fences.back();
    }
    return report;
  }

  LateWriter late_writer(const Teller& tell) {
    LateWriter report;
    books_.open_account(kThird, kOpening);
    AtmProcess& late = *atms_[0];
    AtmProcess& next = *atms_[1];
    Cable cable{folder_ / "cable", group_->socket(0)};
    expect(late.ask(fmt::format("connect {} {}", cable.address(), kThird)), "ready");
    expect(next.ask(fmt::format("connect {} {}", home_of(next), kThird)), "ready");

    const Taken first = taken(late.ask(fmt::format("take {}", kThird)));
    report.late = first.fence;
    report.read = first.balance;
    tell(fmt::format("ATM 1 takes the lock, fence {}, and reads {}.", first.fence,
                     text_of(first.balance)));
    next.tell(fmt::format("take {}", kThird));
    report.next_waited = !next.hear_within(kWaits).has_value();
    tell("ATM 2 asks for the lock and waits.");
    late.freeze();
    cable.cut();
    tell("ATM 1 freezes (SIGSTOP) and its cable is cut: the group lets go of it.");

    const Taken second = taken(next.hear());
    report.next = second.fence;
    expect(next.ask(fmt::format("put {} {}", kThird, options_.amount)), "admitted");
    tell(fmt::format("ATM 2 gets the lock, fence {}, reads {}, deposits {}: {}.", second.fence,
                     text_of(second.balance), text_of(options_.amount),
                     text_of(books_.balance(kThird))));

    late.thaw();
    report.refused = late.ask(fmt::format("put {} {}", kThird, kLateAmount)) == "refused";
    report.at_refusal = books_.balance(kThird);
    tell("ATM 1 wakes up. It has not noticed, and writes what it had in mind:");
    tell(fmt::format("  {} + {} with fence {}: {}. The gate has seen {}.", text_of(first.balance),
                     text_of(kLateAmount), first.fence, report.refused ? "REFUSED" : "WRITTEN",
                     books_.mark(kThird)));
    if (report.refused) {
      tell(fmt::format("  (It would have wiped out the {} of ATM 2.)", text_of(options_.amount)));
    }
    expect(next.ask("leave"), "left");

    expect(late.ask(fmt::format("connect {} {}", home_of(late), kThird)), "ready");
    const Taken anew = taken(late.ask(fmt::format("take {}", kThird)));
    report.again = anew.fence;
    expect(late.ask(fmt::format("put {} {}", kThird, kLateAmount)), "admitted");
    expect(late.ask("leave"), "left");
    report.statement = books_.statement(kThird);
    tell(fmt::format("ATM 1 starts anew, fence {}, reads {}, deposits {}: {}.", anew.fence,
                     text_of(anew.balance), text_of(kLateAmount),
                     text_of(report.statement.balance)));
    return report;
  }

 private:
  // All at once, as nearly as can be.
  void everybody(std::string_view verb, int account, std::chrono::microseconds think) {
    const std::string line = fmt::format("{} {} {} {} {}", verb, account, options_.deposits,
                                         options_.amount, think.count());
    for (auto& atm : atms_) atm->tell(line);
    for (auto& atm : atms_) expect(atm->hear(), "done");
  }
  std::string home_of(const AtmProcess& atm) const {
    return group_->address(static_cast<std::uint32_t>(atm.number() - 1) % group_->size());
  }

  std::filesystem::path folder_;
  Options options_;
  Books books_;
  std::unique_ptr<LocalGroup> group_;
  std::vector<std::unique_ptr<AtmProcess>> atms_;  // Gone before the group is.
};

Stage::Stage(const std::filesystem::path& folder, const Options& options, Interrupts& interrupts)
    : impl_(std::make_unique<Impl>(folder, options, interrupts)) {}
Stage::~Stage() = default;
WithoutLock Stage::without_lock() { return impl_->without_lock(); }
WithLock Stage::with_lock() { return impl_->with_lock(); }
LateWriter Stage::late_writer(const Teller& tell) { return impl_->late_writer(tell); }

std::string text_of(Money money) {
  std::string digits = fmt::format("{}", money < 0 ? -money : money);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return (money < 0 ? "-€" : "€") + digits;
}

}  // namespace hapax::bank
