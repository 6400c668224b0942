// Questions to all members, about their locks and how they are, and what comes of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/seat.h"
#include "campaigns/peer_message.h"
#include "inquiries/inquiry.h"
#include "inquiries/lock_sweep.h"
#include "wire/codec.h"

namespace hapax {

class Inquiries {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr std::chrono::milliseconds kPatience = Inquiry<GatheredLocks>::kPatience;
  // To one member within kPatience. The links of the locks keep only so much unacknowledged, and
  // people's questions must not fill them.
  static constexpr std::size_t kMostToldBytes = std::size_t{4} << 20;

  // What it needs of its daemon.
  struct Host {
    std::function<std::vector<Seat>()> others;
    std::function<void(Seat, const PeerMessage&)> send;
    std::function<bool(Seat)> is_up;
    std::function<LockList(const std::string& name)> local_locks;
    std::function<LocksPage(std::uint64_t place)> local_page;
    std::function<bool(Seat)> knows_pages;
    std::function<session::MemberReport()> local_report;
    std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
  };

  Inquiries(Seat self, Host host) : self_(self), host_(std::move(host)) {}

  // Asks everybody, and tells when all have answered, or when it has taken long enough; unless
  // `asker` has been forgotten.
  Result<void> ask(const void* asker, const std::string& name, Inquiry<GatheredLocks>::Tell tell) {
    LockList ours = host_.local_locks(name);
    const auto inquiry = std::make_shared<Inquiry<GatheredLocks>>(asker, std::move(tell));
    inquiry->from(self_).add(ours.take(), ours.more_locks());
    return open(about_locks_, inquiry, [&](auto question) { return AskLocks{question, name}; });
  }
  // The same for how they are.
  Result<void> ask_how_all_are(const void* asker, Inquiry<GatheredReports>::Tell tell) {
    const auto inquiry = std::make_shared<Inquiry<GatheredReports>>(asker, std::move(tell));
    inquiry->from(self_).reports.push_back(host_.local_report());
    return open(about_members_, inquiry, [](auto question) { return AskReport{question}; });
  }

  // Everybody's locks, up to ten thousand: page by page, so that nobody is busy with them for long.
  // An error if that is being done already.
  Result<void> ask_for_all(LockSweep::Tell tell);

  bool on(Seat from, const AskLocksFrom& asked);
  bool on(Seat from, const TellLocksFrom& told);

  bool on(Seat from, const AskLocks& asked);
  bool on(Seat from, const AskReport& asked) {
    host_.send(from, TellReport{asked.question, host_.local_report()});
    return true;
  }
  // False if it is nothing that a member says.
  bool on(Seat from, const TellLocks& told);
  bool on(Seat from, const TellReport& told) {
    constexpr std::size_t kLongest = session::kLongestText;
    if (told.report.name.size() > kLongest || told.report.obstacle.size() > kLongest) return false;
    hear(about_members_, told.question, from, [&](GatheredReports& all) {
      all.reports.push_back(told.report);
      all.reports.back().member = number(from);
    });
    return true;
  }

  void forget(const void* asker) {
    for (auto& [question, inquiry] : about_locks_) inquiry->forget(asker);
    for (auto& [question, inquiry] : about_members_) inquiry->forget(asker);
  }
  void clear() {
    about_locks_.clear();
    about_members_.clear();
    sweep_.reset();
  }

 private:
  void sweep_here(std::uint64_t question, std::uint64_t place);
  void end_sweep_if_complete() {
    if (sweep_->is_complete()) end_sweep();
  }
  void end_sweep() {
    LockSweep done = std::move(*sweep_);
    sweep_.reset();
    done.tell();
  }

  template <class Gathered>
  using Open = std::map<std::uint64_t, std::shared_ptr<Inquiry<Gathered>>>;

  template <class Gathered, class Ask>
  Result<void> open(Open<Gathered>& all, const std::shared_ptr<Inquiry<Gathered>>& inquiry,
                    Ask ask);
  template <class Gathered, class Add>
  void hear(Open<Gathered>& all, std::uint64_t question, Seat from, Add add);

  Seat self_;
  Host host_;
  Open<GatheredLocks> about_locks_;
  Open<GatheredReports> about_members_;
  std::optional<LockSweep> sweep_;
  std::uint64_t last_question_ = 0;
  std::map<Seat, std::size_t> told_bytes_;  // Lately.
};

inline bool Inquiries::on(Seat from, const AskLocksFrom& asked) {
  std::size_t& told = told_bytes_[from];
  if (told >= kMostToldBytes) return true;
  if (told == 0) host_.after(kPatience, [this, from] { told_bytes_.erase(from); });
  LocksPage page = host_.local_page(asked.place);
  const TellLocksFrom answer{asked.question, page.list.take(), page.next};
  told += encode(answer).size();
  host_.send(from, answer);
  return true;
}

inline bool Inquiries::on(Seat from, const TellLocksFrom& told) {
  if (!std::all_of(told.locks.begin(), told.locks.end(), LockList::is_sound)) return false;
  if (!sweep_ || !sweep_->awaits(told.question, from)) return true;
  if (sweep_->add(from, told.locks, told.next)) {
    host_.send(from, AskLocksFrom{told.question, told.next});
  } else {
    end_sweep_if_complete();
  }
  return true;
}

inline bool Inquiries::on(Seat from, const AskLocks& asked) {
  std::size_t& told = told_bytes_[from];
  if (told >= kMostToldBytes) return true;  // Its answer will say that we were silent.
  if (told == 0) host_.after(kPatience, [this, from] { told_bytes_.erase(from); });
  LockList ours = host_.local_locks(asked.name);
  const TellLocks answer{asked.question, ours.take(), ours.more_locks()};
  told += encode(answer).size();
  host_.send(from, answer);
  return true;
}

inline bool Inquiries::on(Seat from, const TellLocks& told) {
  if (!std::all_of(told.locks.begin(), told.locks.end(), LockList::is_sound)) return false;
  if (sweep_ && sweep_->awaits(told.question, from)) {  // It knows no pages.
    sweep_->count_more_locks(told.more_locks);
    sweep_->add(from, told.locks, 0);
    end_sweep_if_complete();
    return true;
  }
  hear(about_locks_, told.question, from,
       [&](GatheredLocks& all) { all.add(told.locks, told.more_locks); });
  return true;
}

inline Result<void> Inquiries::ask_for_all(LockSweep::Tell tell) {
  if (sweep_) return error("all locks are being asked for already");
  const std::uint64_t question = ++last_question_;
  sweep_.emplace(question, std::move(tell));
  for (const Seat peer : host_.others()) {
    if (!host_.is_up(peer)) {
      sweep_->do_without(peer);
      continue;
    }
    sweep_->expect(peer);
    if (host_.knows_pages(peer)) {
      host_.send(peer, AskLocksFrom{question, 0});
    } else {
      host_.send(peer, AskLocks{question, ""});
    }
  }
  sweep_->expect(self_);
  host_.after(LockSweep::kPatience, [this, question] {
    if (sweep_ && sweep_->question() == question) end_sweep();
  });
  sweep_here(question, 0);
  return {};
}

// A page each turn.
inline void Inquiries::sweep_here(std::uint64_t question, std::uint64_t place) {
  if (!sweep_ || !sweep_->awaits(question, self_)) return;
  LocksPage page = host_.local_page(place);
  if (!sweep_->add(self_, page.list.take(), page.next)) return end_sweep_if_complete();
  host_.after({}, [this, question, next = page.next] { sweep_here(question, next); });
}

template <class Gathered, class Ask>
Result<void> Inquiries::open(Open<Gathered>& all, const std::shared_ptr<Inquiry<Gathered>>& inquiry,
                             Ask ask) {
  if (all.size() >= kMost) return error("too many questions at a time; ask again in a second");
  const std::uint64_t question = ++last_question_;
  for (const Seat peer : host_.others()) {
    if (!host_.is_up(peer)) {
      inquiry->do_without(peer);
      continue;
    }
    inquiry->expect(peer);
    host_.send(peer, ask(question));
  }
  if (inquiry->finish_if_complete()) return {};
  all[question] = inquiry;
  host_.after(kPatience, [&all, question] {
    const auto at = all.find(question);
    if (at == all.end()) return;
    at->second->finish();
    all.erase(at);
  });
  return {};
}

template <class Gathered, class Add>
void Inquiries::hear(Open<Gathered>& all, std::uint64_t question, Seat from, Add add) {
  const auto at = all.find(question);
  if (at == all.end()) return;
  add(at->second->from(from));
  if (at->second->finish_if_complete()) all.erase(at);
}

}  // namespace hapax
