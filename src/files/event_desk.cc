#include "files/event_desk.h"

#include <algorithm>
#include <random>
#include <utility>

#include "core/file_path.h"

namespace hapax {
namespace {

constexpr int kIdleLooks = 20;               // Then nobody asks any more.
constexpr std::size_t kMostElections = 256;  // That are observed at a time.

std::uint64_t any_number() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

}  // namespace

EventDesk::EventDesk(Host host) : host_(std::move(host)), log_(any_number()) {}

void EventDesk::ask(session::AskEvents&& asked, const Tell& tell) {
  if (const auto good = check_folder(asked.path); !good) {
    return tell(session::Refused{asked.request, good.error().message});
  }
  idle_looks_ = 0;
  if (!asked.only_files && !asked.path.empty()) observe(asked.path);
  const std::uint64_t number = ++last_waiting_;
  const auto wait = std::min(std::chrono::milliseconds{asked.wait_ms}, kLongestWait);
  waiting_.push_back({number, std::move(asked), tell});
  settle();
  if (!waiting_.empty()) host_.after(wait, [this, number] { give_up_on(number); });
  if (!std::exchange(is_looking_, true)) look();
}

void EventDesk::settle() {
  if (!are_files_known_) return;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const session::EventsTold told = log_.since(at->asked);
    if (told.events.empty()) {
      ++at;
      continue;
    }
    const Tell tell = std::move(at->tell);
    at = waiting_.erase(at);
    tell(told);
  }
}

void EventDesk::give_up_on(std::uint64_t number) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                               [&](const Waiting& w) { return w.number == number; });
  if (at == waiting_.end()) return;
  const Waiting one = std::move(*at);
  waiting_.erase(at);
  one.tell(are_files_known_ ? log_.since(one.asked)
                            : session::EventsTold{one.asked.request, one.asked.from, {}});
}

void EventDesk::on_loaded(std::uint64_t revision) {
  are_files_known_ = true;
  if (revision != 0) log_.begin_files(revision);
  settle();
}

void EventDesk::on_changes(const std::vector<FileChange>& changes) {
  for (const FileChange& change : changes) {
    const Kind kind = change.kind == FileChange::Kind::added     ? Kind::file_added
                      : change.kind == FileChange::Kind::changed ? Kind::file_changed
                                                                 : Kind::file_removed;
    log_.add({kind, change.path, {}, "", change.version});
  }
  settle();
}

void EventDesk::observe(const std::string& name) {
  const auto at = observations_.find(name);
  if (at != observations_.end()) {
    at->second.idle_looks = 0;
    return;
  }
  if (observations_.size() >= kMostElections) return;
  observations_[name];
  observations_[name].number =
      host_.observe(name, [this, name](const std::optional<session::Leader>& leader) {
        log_.see_leader(name, leader ? leader->who.fence : std::nullopt,
                        leader ? leader->value : "");
        // Whoever tells must not be called back.
        host_.after(std::chrono::milliseconds{0}, [this] { settle(); });
      });
}

// Members that do not answer in time may hold what nobody else knows of.
void EventDesk::look() {
  if (is_stopped_) return;
  for (auto at = observations_.begin(); at != observations_.end();) {
    if (++at->second.idle_looks < kIdleLooks) {
      ++at;
    } else {
      host_.unobserve(at->second.number);
      log_.forget_leader(at->first);
      at = observations_.erase(at);
    }
  }
  if (++idle_looks_ > kIdleLooks) {
    is_looking_ = false;
    log_.forget_locks();
    return;
  }
  // One that has just started had no lease that could be over.
  const Kind standing = host_.standing();
  had_lease_ = had_lease_ || standing != Kind::expired;
  if (had_lease_) log_.see_standing(standing);
  (void)host_.ask_holders("", [this](const session::Locks& told) {
    std::map<std::string, Fence> held;
    for (const session::Lock& lock : told.locks) {
      if (lock.holder && lock.holder->fence) held[lock.name] = *lock.holder->fence;
      for (const session::Person& sharer : lock.sharers) {
        if (sharer.fence) held[lock.name] = std::max(held[lock.name], *sharer.fence);
      }
    }
    log_.see_locks(held, !told.silent.empty() || told.more_locks > 0);
    settle();
  });
  host_.after(kLookEvery, [this] { look(); });
}

void EventDesk::stop() {
  is_stopped_ = true;
  waiting_.clear();
}

}  // namespace hapax
