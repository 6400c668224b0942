#include "bank/acts.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <vector>

#include "bank/atm_process.h"
#include "bank/waiting.h"
#include "core/fence.h"
#include "local/group.h"

namespace hapax::bank {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kFirst = 1, kSecond = 2;  // An account for each act; the last has its own.
constexpr std::uint32_t kMembers = 3;
constexpr int kMostTakes = 8;
// Short enough for a demo, long enough for a daemon that has to wait for a processor or a disk.
constexpr const char* kTtl = "2s";

}  // namespace

class Stage::Impl {
 public:
  Impl(const std::filesystem::path& folder, const Options& options, Interrupts& interrupts)
      : options_(options),
        interrupts_(interrupts),
        books_(folder / "bank.db"),
        group_({.size = kMembers, .folder = folder, .clients = folder, .ttl = kTtl}) {
    for (int i = 1; i <= options.atms; ++i) {
      atms_.push_back(std::make_unique<AtmProcess>(folder / "bank.db", i, interrupts));
    }
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
    await_group();
    report.members = group_.size();
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
    await_group();
    return play_late_writer({books_, group_, *atms_[0], *atms_[1], interrupts_}, options_.amount,
                            tell);
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
    return group_.address(static_cast<std::uint32_t>(atm.number() - 1) % group_.size());
  }
  void await_group() {
    wait_until([&] { return group_.is_complete(); }, "the group's members to meet", interrupts_);
  }

  Options options_;
  Interrupts& interrupts_;
  Books books_;
  local::Group group_;
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
