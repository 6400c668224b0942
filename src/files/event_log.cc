#include "files/event_log.h"

#include <algorithm>
#include <utility>

#include "core/file_path.h"

namespace hapax {

using session::AskEvents;
using session::EventsTold;
using session::Happened;

namespace {

bool is_about_file(const Happened& event) {
  using Kind = Happened::Kind;
  return event.kind == Kind::file_added || event.kind == Kind::file_changed ||
         event.kind == Kind::file_removed;
}

}  // namespace

void EventLog::add(Happened event) {
  if (is_about_file(event)) revision_ = std::max(revision_, event.revision);
  entries_.push_back({++last_, std::move(event)});
  while (entries_.size() > kMost) {
    if (is_about_file(entries_.front().event)) {
      files_known_from_ = std::max(files_known_from_, entries_.front().event.revision);
    }
    entries_.pop_front();
  }
}

void EventLog::begin_files(std::uint64_t revision) {
  const bool is_first = revision_ == 0;
  revision_ = files_known_from_ = revision;
  // What is in the log of before does not join on to what comes.
  std::erase_if(entries_, [](const Entry& entry) { return is_about_file(entry.event); });
  if (!is_first) add({Kind::resync, "", {}, "", revision});
}

void EventLog::see_locks(const std::map<std::string, Fence>& held, bool may_lack_some) {
  if (held_.size() > kMost) held_.clear();  // Names that nobody uses any more.
  for (const auto& [name, fence] : held) {
    const auto [at, is_new] = held_.try_emplace(name, fence);
    if (!is_new && at->second == fence) continue;
    if (!is_new && fence < at->second) continue;  // Told late.
    at->second = fence;
    add({Kind::lock_taken, name, fence, "", 0});
  }
  if (may_lack_some) return;
  for (auto at = held_.begin(); at != held_.end();) {
    if (held.contains(at->first)) {
      ++at;
      continue;
    }
    add({Kind::lock_vacant, at->first, at->second, "", 0});
    at = held_.erase(at);
  }
}

void EventLog::see_leader(const std::string& name, std::optional<Fence> fence,
                          const std::string& value) {
  Happened now{Kind::leader, name, fence, value, 0};
  const auto at = leaders_.find(name);
  if (at != leaders_.end() && at->second == now) return;
  leaders_[name] = now;
  add(std::move(now));
}

void EventLog::see_standing(Kind standing) {
  if (std::exchange(standing_, standing) != standing) add({standing, "", {}, "", 0});
}

bool EventLog::concerns(const AskEvents& asked, const Happened& event) {
  const bool is_of_session = event.name.empty();
  if (asked.only_files && !is_about_file(event) && event.kind != Kind::resync) return false;
  if (event.kind == Kind::leader) return event.name == asked.path;
  return is_of_session || is_in_folder(event.name, asked.path);
}

void EventLog::add_state(const AskEvents& asked, std::vector<Happened>& events) const {
  const auto add_if = [&](Happened event) {
    if (concerns(asked, event)) events.push_back(std::move(event));
  };
  for (const auto& [name, fence] : held_) add_if({Kind::lock_taken, name, fence, "", 0});
  for (const auto& [name, leader] : leaders_) add_if(leader);
  if (standing_ != Kind::safe) add_if({standing_, "", {}, "", 0});
}

// For whoever comes from elsewhere, or has been away for too long.
EventsTold EventLog::from_here(const AskEvents& asked) const {
  EventsTold told{asked.request, {number_, last_, revision_}, {}};
  const std::uint64_t known = asked.from.revision;
  const bool is_first = asked.from.log == 0;
  const bool joins_on = !is_first && revision_ != 0 && files_known_from_ <= known;
  told.events.push_back({is_first || joins_on ? Kind::begun : Kind::resync, "", {}, "", revision_});
  for (const Entry& entry : entries_) {
    const bool is_new = is_about_file(entry.event) && entry.event.revision > known;
    if (joins_on && is_new && concerns(asked, entry.event)) told.events.push_back(entry.event);
  }
  add_state(asked, told.events);
  return told;
}

EventsTold EventLog::since(const AskEvents& asked) const {
  const std::uint64_t oldest = entries_.empty() ? last_ + 1 : entries_.front().sequence;
  if (asked.from.log != number_ || asked.from.sequence + 1 < oldest) return from_here(asked);
  EventsTold told{asked.request, {number_, asked.from.sequence, asked.from.revision}, {}};
  auto entry = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.sequence <= asked.from.sequence;
  });
  for (; entry != entries_.end() && told.events.size() < kMostAtOnce; ++entry) {
    told.now.sequence = entry->sequence;
    if (entry->event.revision != 0) told.now.revision = entry->event.revision;
    if (concerns(asked, entry->event)) told.events.push_back(entry->event);
  }
  return told;
}

}  // namespace hapax
