// Questions to all members about their locks, and what comes of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/seat.h"
#include "campaigns/peer_message.h"
#include "daemon/inquiry.h"
#include "wire/codec.h"

namespace hapax {

class Inquiries {
 public:
  static constexpr std::size_t kMost = 256;
  // To one member within kPatience. The links of the locks keep only so much unacknowledged, and
  // people's questions must not fill them.
  static constexpr std::size_t kMostToldBytes = std::size_t{4} << 20;

  // What it needs of its daemon.
  struct Host {
    std::function<std::vector<Seat>()> others;
    std::function<void(Seat, const PeerMessage&)> send;
    std::function<bool(Seat)> is_up;
    std::function<LockList(const std::string& name)> local_locks;
    std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
  };

  Inquiries(Seat self, Host host) : self_(self), host_(std::move(host)) {}

  // Asks everybody, and tells when all have answered, or when it has taken long enough; unless
  // `asker` has been forgotten.
  Result<void> ask(const Visitor* asker, const std::string& name, Inquiry::Tell tell) {
    if (open_.size() >= kMost) return error("too many questions at a time; ask again in a second");
    const std::uint64_t question = ++last_question_;
    const auto inquiry = std::make_shared<Inquiry>(asker, std::move(tell));
    LockList ours = host_.local_locks(name);
    inquiry->add(self_, ours.take(), ours.more_locks());
    for (const Seat peer : host_.others()) {
      if (!host_.is_up(peer)) {
        inquiry->do_without(peer);
        continue;
      }
      inquiry->expect(peer);
      host_.send(peer, AskLocks{question, name});
    }
    if (inquiry->finish_if_complete()) return {};
    open_[question] = inquiry;
    host_.after(Inquiry::kPatience, [this, question] {
      const auto at = open_.find(question);
      if (at == open_.end()) return;
      at->second->finish();
      open_.erase(at);
    });
    return {};
  }

  bool on(Seat from, const AskLocks& asked) {
    std::size_t& told = told_bytes_[from];
    if (told >= kMostToldBytes) return true;  // Its answer will say that we were silent.
    if (told == 0) host_.after(Inquiry::kPatience, [this, from] { told_bytes_.erase(from); });
    LockList ours = host_.local_locks(asked.name);
    const TellLocks answer{asked.question, ours.take(), ours.more_locks()};
    told += encode(answer).size();
    host_.send(from, answer);
    return true;
  }
  // False if it is nothing that a member says.
  bool on(Seat from, const TellLocks& told) {
    if (!std::all_of(told.locks.begin(), told.locks.end(), LockList::is_sound)) return false;
    const auto at = open_.find(told.question);
    if (at == open_.end()) return true;
    at->second->add(from, told.locks, told.more_locks);
    if (at->second->finish_if_complete()) open_.erase(at);
    return true;
  }

  void forget(const Visitor& visitor) {
    for (auto& [question, inquiry] : open_) inquiry->forget(visitor);
  }
  void clear() { open_.clear(); }

 private:
  Seat self_;
  Host host_;
  std::map<std::uint64_t, std::shared_ptr<Inquiry>> open_;
  std::uint64_t last_question_ = 0;
  std::map<Seat, std::size_t> told_bytes_;  // Lately.
};

}  // namespace hapax
