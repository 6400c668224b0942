#include "live/feed.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/printable.h"
#include "console/json.h"
#include "console/log.h"
#include "group_json/group_json.h"
#include "live/live_json.h"

namespace hapax::live {
namespace {

bool is_in_use(const LockInfo& lock) {
  return lock.holder || !lock.sharers.empty() || !lock.waiters.empty();
}

}  // namespace

void Feed::join(const std::shared_ptr<EventStream>& stream) {
  const bool may_read_all = host_.may_read_all(stream->caller());
  streams_[stream.get()] = {stream, std::string{}};
  stream->tell("begin", fmt::format("{{\"time\":{},\"every_ms\":{},\"has_log\":{}}}",
                                    host_.now().count(), kEvery.count(), may_read_all));
  if (may_read_all) {
    for (const Line& line : lines_) stream->tell("log", line.text);
  }
  if (!std::exchange(is_looking_, true)) look();
}

void Feed::leave(const EventStream& stream) { streams_.erase(&stream); }

void Feed::note(const std::string& line, LogLevel level) {
  if (level == LogLevel::debug) return;
  const Time now = host_.now();
  lines_.push_back({now, fmt::format("{{\"time\":{},\"level\":\"{}\",\"text\":{}}}", now.count(),
                                     cli::name_of(level), json_string(line))});
  if (lines_.size() > kMostLines) lines_.pop_front();
  const auto streams = streams_;  // Whom it is told may leave.
  for (const auto& [stream, watcher] : streams) {
    if (host_.may_read_all(stream->caller())) watcher.stream->tell("log", lines_.back().text);
  }
}

// --- once a second ---

void Feed::look() {
  if (streams_.empty()) {
    is_looking_ = false;
    picture_.forget();
    waits_.reset();
    return;
  }
  const bool is_asked = host_.ask_status([weak = weak_from_this()](GroupStatus&& status) {
    const auto self = weak.lock();
    if (!self) return;
    self->on_status(std::move(status));
    self->look_at_locks();
  });
  if (!is_asked) look_later();
}

void Feed::look_at_locks() {
  const bool is_asked = host_.ask_locks([weak = weak_from_this()](SeenLocks&& seen) {
    const auto self = weak.lock();
    if (!self) return;
    self->on_locks(std::move(seen));
    self->look_later();
  });
  if (!is_asked) look_later();
}

void Feed::look_later() {
  host_.after(kEvery, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->look();
  });
}

void Feed::on_status(GroupStatus&& status) {
  const std::string text =
      fmt::format("{{\"time\":{},\"status\":{},\"figures\":{}}}", host_.now().count(),
                  cli::json_text(cli::json_of(status, true)), host_.figures());
  const auto streams = streams_;
  for (const auto& [stream, watcher] : streams) {
    if (host_.may_look(stream->caller())) {
      watcher.stream->tell("status", text);
    } else {
      watcher.stream->end();
      leave(*stream);
    }
  }
}

void Feed::on_locks(SeenLocks&& seen) {
  std::erase_if(seen.locks, [](const LockInfo& lock) { return !is_in_use(lock); });
  const bool is_news = seen.silent != silent_ || seen.more_locks != more_locks_;
  silent_ = std::move(seen.silent);
  more_locks_ = seen.more_locks;
  waits_.emplace(seen.locks, host_.lineage);
  const LockPicture::Change change = picture_.update(std::move(seen.locks), host_.now());
  // So much is told batch by batch, as to somebody who has just come.
  const bool is_much = change.changed.size() > 2 * kBatch;
  std::vector<Row> rows;
  std::vector<const EventStream*> all;
  for (auto& [stream, watcher] : streams_) {
    all.push_back(stream);
    if (is_much) watcher.seen_up_to = "";
  }
  const auto is_new = [](const Watcher& watcher) { return watcher.seen_up_to == ""; };
  if (std::any_of(streams_.begin(), streams_.end(),
                  [&](const auto& s) { return !is_new(s.second); })) {
    for (const LockInfo* lock : change.changed) {
      rows.push_back({&lock->name, cli::json_text(cli::json_of(*lock))});
    }
  }
  for (const EventStream* stream : all) {
    const auto at = streams_.find(stream);  // What it is told may end it.
    if (at == streams_.end()) continue;
    const bool begins = is_new(at->second);
    if (is_news || !rows.empty() || !change.gone.empty()) tell_locks(at->second, rows, change.gone);
    if (begins) go_on(*stream);
    if (const auto still = streams_.find(stream); still != streams_.end())
      tell_waits(still->second);
  }
}

// A stream that is still being told of all locks hears only of those that it knows.
void Feed::tell_locks(Watcher& watcher, const std::vector<Row>& rows,
                      const std::vector<std::string>& gone) {
  const std::shared_ptr<EventStream> stream = watcher.stream;
  const auto may_read = [&](const std::string& name) {
    return host_.may_read(stream->caller(), name);
  };
  const auto is_known = [upto = watcher.seen_up_to](const std::string& name) {
    return !upto || name <= *upto;
  };
  std::string locks, names;
  for (const Row& row : rows) {
    if (is_known(*row.name) && may_read(*row.name)) locks += (locks.empty() ? "" : ",") + row.json;
  }
  for (const std::string& name : gone) {
    if (may_read(name)) names += (names.empty() ? "" : ",") + json_string(name);
  }
  stream->tell("locks", fmt::format("{{\"time\":{},\"locks\":[{}],\"gone\":[{}],\"silent\":[{}],"
                                    "\"more_locks\":{},\"is_all\":{}}}",
                                    picture_.seen().count(), locks, names, fmt::join(silent_, ","),
                                    more_locks_, !watcher.seen_up_to));
}

void Feed::go_on(const EventStream& stream) {
  const auto at = streams_.find(&stream);
  if (at == streams_.end() || !at->second.seen_up_to || !waits_) return;
  Watcher& watcher = at->second;
  std::vector<Row> rows;
  auto next = picture_.locks().upper_bound(*watcher.seen_up_to);
  for (; next != picture_.locks().end() && rows.size() < kBatch; ++next) {
    rows.push_back({&next->first, cli::json_text(cli::json_of(next->second))});
  }
  if (next == picture_.locks().end()) {
    watcher.seen_up_to.reset();
  } else {
    watcher.seen_up_to = *rows.back().name;
  }
  tell_locks(watcher, rows, {});
}

void Feed::tell_waits(Watcher& watcher) {
  const std::shared_ptr<EventStream> stream = watcher.stream;
  std::string text = cli::json_text(json_of_waits(
      *waits_, [&](const std::string& lock) { return host_.may_read(stream->caller(), lock); }));
  if (std::exchange(watcher.waits, text) != text) stream->tell("waits", text);
}

}  // namespace hapax::live
