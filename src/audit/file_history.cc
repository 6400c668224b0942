#include "audit/file_history.h"

#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace hapax::audit {
namespace {

using FileEvents = std::vector<const FileEvent*>;

constexpr std::size_t kMostFindings = 1'000;

// The writes of one file that were acknowledged, by version; and those of which nobody knows it.
struct Writes {
  std::map<std::uint64_t, const FileEvent*> known;
  FileEvents unknown;
};

class FileJudge {
 public:
  explicit FileJudge(const std::vector<FileEvent>& events) {
    for (const FileEvent& event : events) {
      if (!event.is_write()) continue;
      Writes& writes = files_[event.file];
      if (!event.ret || (event.ok && event.version == 0)) {
        writes.unknown.push_back(&event);
      } else if (event.ok) {
        add(writes, event);
      }
    }
    order(events);
    for (const FileEvent& event : events) {
      if (event.op == FileOp::cas && event.ret && event.ok) swapped(event);
      if (event.op == FileOp::get && event.ret) told(event);
    }
    sessions(events);
    freshness(events);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const FileFinding& a, const FileFinding& b) { return a.at < b.at; });
  }
  std::vector<FileFinding> take() { return std::move(findings_); }

 private:
  void find(FileKind kind, const FileEvent& event, std::string text) {
    if (findings_.size() < kMostFindings) {
      findings_.push_back({kind, event.file, event.call, std::move(text)});
    }
  }

  void add(Writes& writes, const FileEvent& event) {
    const auto [at, is_new] = writes.known.try_emplace(event.version, &event);
    const bool is_new_everywhere = all_versions_.emplace(event.version, &event).second;
    if (is_new && is_new_everywhere) return;
    find(FileKind::order, event,
         fmt::format("{} wrote version {}, and so did {}", event.client, event.version,
                     all_versions_.at(event.version)->client));
  }

  // Of writes that happened one after the other.
  void order(const std::vector<FileEvent>& events) {
    FileEvents by_call, by_return;
    for (const FileEvent& event : events) {
      if (event.is_write() && event.ret && event.ok && event.version != 0)
        by_call.push_back(&event);
    }
    by_return = by_call;
    std::sort(by_call.begin(), by_call.end(), [](auto* a, auto* b) { return a->call < b->call; });
    std::sort(by_return.begin(), by_return.end(),
              [](auto* a, auto* b) { return *a->ret < *b->ret; });
    const FileEvent* highest = nullptr;
    auto next = by_return.begin();
    for (const FileEvent* event : by_call) {
      for (; next != by_return.end() && *(*next)->ret < event->call; ++next) {
        if (highest == nullptr || (*next)->version > highest->version) highest = *next;
      }
      if (highest == nullptr || event->version > highest->version) continue;
      find(FileKind::order, *event,
           fmt::format("{} wrote version {} after {} had written {} to {}", event->client,
                       event->version, highest->client, highest->version, highest->file));
    }
  }

  // Nobody wrote between what it expected and what it made.
  void swapped(const FileEvent& cas) {
    const Writes& writes = files_[cas.file];
    const auto end = writes.known.lower_bound(cas.version);
    const FileEvent* last = end == writes.known.begin() ? nullptr : std::prev(end)->second;
    if (last == nullptr || last->version <= cas.expected) return;
    if (cas.expected == 0 && (last->op == FileOp::remove || may_be_removed(writes, cas))) return;
    find(FileKind::cas, cas,
         fmt::format("{} swapped version {} for {}, but {} had written {} meanwhile", cas.client,
                     cas.expected, cas.version, last->client, last->version));
  }

  // By one of whom nobody knows when, or whether.
  static bool may_be_removed(const Writes& writes, const FileEvent& before) {
    return std::any_of(writes.unknown.begin(), writes.unknown.end(), [&](const FileEvent* write) {
      return write->op == FileOp::remove && write->call <= *before.ret;
    });
  }

  // What was read is what was written, by somebody who had begun.
  void told(const FileEvent& get) {
    if (get.version == 0) return;
    const Writes& writes = files_[get.file];
    const auto known = writes.known.find(get.version);
    if (known != writes.known.end()) {
      const FileEvent& write = *known->second;
      if (write.op == FileOp::remove || write.content != get.content) {
        find(FileKind::content, get,
             fmt::format("{} read '{}' at version {}, where {} wrote '{}'", get.client, get.content,
                         get.version, write.client, write.content));
      } else if (write.call > *get.ret) {
        find(FileKind::content, get,
             fmt::format("{} read version {} before it was written", get.client, get.version));
      }
      return;
    }
    const bool may_be =
        std::any_of(writes.unknown.begin(), writes.unknown.end(), [&](const FileEvent* write) {
          return write->op != FileOp::remove && write->content == get.content &&
                 write->call <= *get.ret;
        });
    if (!may_be) {
      find(FileKind::content, get,
           fmt::format("{} read '{}' at version {}, which nobody wrote", get.client, get.content,
                       get.version));
    }
  }

  // What a read should have seen that was acknowledged, up to `known`; null: nothing.
  const FileEvent* left_out(const FileEvent& get, std::uint64_t known) {
    const Writes& writes = files_[get.file];
    const auto end = writes.known.upper_bound(known);
    const FileEvent* last = end == writes.known.begin() ? nullptr : std::prev(end)->second;
    if (last == nullptr || last->version <= get.version) return nullptr;
    if (get.version != 0) return last;
    // It may have been removed later than what is known.
    const bool is_removed = std::any_of(end, writes.known.end(), [&](const auto& write) {
      return write.second->op == FileOp::remove && write.second->call <= *get.ret;
    });
    const bool may_be = is_removed || last->op == FileOp::remove || may_be_removed(writes, get);
    return may_be ? nullptr : last;
  }

  // Each client by itself: what it knows only grows.
  void sessions(const std::vector<FileEvent>& events) {
    std::map<std::string, FileEvents> clients;
    for (const FileEvent& event : events) {
      if (event.ret && event.ok) clients[event.client].push_back(&event);
    }
    for (auto& [client, own] : clients) {
      std::stable_sort(own.begin(), own.end(), [](auto* a, auto* b) { return a->call < b->call; });
      std::uint64_t known = 0;
      for (const FileEvent* event : own) {
        if (event->op == FileOp::get) {
          if (const FileEvent* missed = left_out(*event, known)) {
            find(FileKind::stale, *event,
                 fmt::format("{} read version {}{}, although it knew of {}, and {} had written {}",
                             client, event->version, event->copied ? " in a copy of its own" : "",
                             known, missed->client, missed->version));
          }
        }
        known = std::max(known, event->version);
      }
    }
  }

  void freshness(const std::vector<FileEvent>& events) {
    // Of each file: the highest version that was acknowledged by then.
    std::map<std::string, std::map<std::int64_t, std::uint64_t>> by_time;
    for (const auto& [file, writes] : files_) {
      auto& highest = by_time[file];
      for (const auto& [version, write] : writes.known) highest[*write->ret] = version;
      std::uint64_t so_far = 0;
      for (auto& [ret, version] : highest) version = so_far = std::max(so_far, version);
    }
    for (const FileEvent& get : events) {
      if (get.op != FileOp::get || !get.fresh || !get.ret) continue;
      const auto& highest = by_time[get.file];
      const auto later = highest.lower_bound(get.call);
      const std::uint64_t acknowledged = later == highest.begin() ? 0 : std::prev(later)->second;
      if (const FileEvent* missed = left_out(get, acknowledged)) {
        find(FileKind::not_fresh, get,
             fmt::format("{} asked the engine and read version {}, after {} had written {}",
                         get.client, get.version, missed->client, missed->version));
      }
    }
  }

  std::map<std::string, Writes> files_;
  std::map<std::uint64_t, const FileEvent*> all_versions_;
  std::vector<FileFinding> findings_;
};

}  // namespace

std::string_view name_of(FileKind kind) {
  constexpr std::string_view kNames[kFileKinds]{"order", "cas", "stale-read", "not-fresh",
                                                "content"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<FileEvent> file_event_in(std::string_view text) {
  boost::system::error_code failed;
  const boost::json::value parsed = boost::json::parse(text, failed);
  const boost::json::object* line = failed ? nullptr : parsed.if_object();
  if (line == nullptr) return error("this is no JSON object");
  FileEvent event;
  const auto text_at = [&](const char* key) -> std::optional<std::string> {
    const auto* value = line->if_contains(key);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string{value->as_string()};
  };
  const auto number_at = [&](const char* key) -> std::optional<std::int64_t> {
    const auto* value = line->if_contains(key);
    if (value == nullptr || !value->is_int64() || value->as_int64() < 0) return std::nullopt;
    return value->as_int64();
  };
  const auto flag_at = [&](const char* key, bool otherwise) {
    const auto* value = line->if_contains(key);
    return value != nullptr && value->is_bool() ? value->as_bool() : otherwise;
  };
  constexpr std::pair<std::string_view, FileOp> kOps[]{
      {"get", FileOp::get}, {"put", FileOp::put}, {"cas", FileOp::cas}, {"remove", FileOp::remove}};
  const auto client = text_at("client"), file = text_at("file"), op = text_at("op");
  const auto call = number_at("call");
  const auto* known_op = std::find_if(std::begin(kOps), std::end(kOps),
                                      [&](const auto& one) { return op == one.first; });
  if (!client || !file || !call || known_op == std::end(kOps)) {
    return error("an event of a file has client, file, call, and op: get, put, cas or remove");
  }
  event.client = *client;
  event.file = *file;
  event.op = known_op->second;
  event.call = *call;
  event.ret = number_at("ret");
  event.ok = flag_at("ok", true);
  event.version = static_cast<std::uint64_t>(number_at("version").value_or(0));
  event.expected = static_cast<std::uint64_t>(number_at("expected").value_or(0));
  event.content = text_at("content").value_or("");
  event.fresh = flag_at("fresh", false);
  event.copied = flag_at("copied", false);
  if (event.ret && *event.ret < event.call) return error("\"ret\" lies before \"call\"");
  return event;
}

FileFindings judge_files(const std::vector<FileEvent>& events) {
  // Who may be killed notes a write when it begins it, and again when it is answered.
  std::set<std::pair<std::string_view, std::int64_t>> answered;
  for (const FileEvent& event : events) {
    if (event.ret) answered.emplace(event.client, event.call);
  }
  std::vector<FileEvent> last;
  std::copy_if(events.begin(), events.end(), std::back_inserter(last), [&](const FileEvent& event) {
    return event.ret || !answered.contains({event.client, event.call});
  });
  return FileJudge{last}.take();
}

}  // namespace hapax::audit
