// The files of a group at one daemon: reads from its cache, which one watch keeps, and writes as
// commits of the engine. They are kept apart from the group's own records, and nothing is opened
// before somebody asks for a file.
//
// All on the thread of the loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "engine/engine.h"
#include "files/event_desk.h"
#include "files/file_cache.h"
#include "files/file_writer.h"
#include "session/file_stamps.h"
#include "session/protocol.h"

namespace hapax {

class GroupFiles {
 public:
  using Tell = std::function<void(const session::Answer&)>;
  using SessionId = std::uint64_t;

  // What it needs of its daemon, which outlives it.
  struct Host {
    EventDesk::Host news;
    // An error: there is none, or it cannot be used.
    std::function<Result<std::unique_ptr<engine::Engine>>()> open;
    std::function<std::uint64_t()> life;                  // Ours, now.
    std::function<bool(std::uint64_t life)> is_over;      // Others have removed it.
    std::function<std::chrono::milliseconds()> patience;  // Each member has another.
    // All files from the first question on; or only when somebody asks what happens to them: a
    // program that is not a daemon may ask for just one.
    bool reads_ahead = true;
    // A socket beside which changes are stamped for clients on this machine
    // (session/file_stamps.h); empty: nowhere.
    std::string stamps_beside{};
  };

  static constexpr std::size_t kMostAtOnce = 64;  // Questions of one session, …
  static constexpr std::size_t kMostPuts = 8;     // … of which so many bring a file.

  explicit GroupFiles(Host host) : host_(std::move(host)), events_(host_.news) {}
  GroupFiles(const GroupFiles&) = delete;
  GroupFiles& operator=(const GroupFiles&) = delete;

  // A client's, from its first question until it must have noticed that it is over: its ephemeral
  // files then go.
  SessionId begin_session();
  void end_session(SessionId session);
  // Asks and hears nothing more.
  void stop();

  // Answered once, perhaps before it returns; unless it is stopped.
  template <class FileAsk>
  void serve(SessionId session, FileAsk&& ask, const Tell& tell) {
    const session::RequestId request = ask.request;
    constexpr bool needs_files = !std::is_same_v<FileAsk, session::AskEvents>;
    constexpr std::size_t puts = std::is_same_v<FileAsk, session::FilePut> ? 1 : 0;
    if (const auto open = admit(session, needs_files, puts); !open) {
      return tell(session::Refused{request, open.error().message});
    }
    on(session, std::forward<FileAsk>(ask), [this, session, tell](const session::Answer& answer) {
      if (const auto at = sessions_.find(session); at != sessions_.end()) {
        --at->second.questions;
        at->second.puts -= puts;
      }
      tell(answer);
    });
  }
  // Where changes are stamped from now on.
  Result<std::string> stamps();
  // What clients may see has changed: they shall ask again.
  void rights_changed() {
    if (stamps_) stamps_->change_all();
  }
  // Needs no engine.
  void check_fence(const session::FenceCheck& ask, const Tell& tell);

 private:
  struct Open {
    std::size_t questions = 0, puts = 0;
  };
  Result<void> admit(SessionId session, bool needs_files, std::size_t puts);
  Result<void> open();
  void load();
  void on_gap();
  void stamp(const std::vector<FileChange>& changes);
  void sweep();
  void arm();

  void on(SessionId session, session::FileGet&& ask, const Tell& tell);
  void on(SessionId session, session::FileList&& ask, const Tell& tell);
  void on(SessionId session, session::FilePut&& ask, const Tell& tell);
  void on(SessionId session, session::FileRemove&& ask, const Tell& tell);
  void on(SessionId session, session::AskEvents&& ask, const Tell& tell);
  // As it is for the writer, in words for the client.
  static std::function<void(Result<session::FileDone>)> telling(session::RequestId request,
                                                                const Tell& tell);
  bool is_orphan(const FileOwner& owner) const;
  // One at a time: each may be all files there are.
  void list_next();

  Host host_;
  std::unique_ptr<engine::Engine> engine_;  // Null: nobody has asked yet.
  FileCache cache_;
  std::unique_ptr<session::FileStamps> stamps_;  // Null: nobody has asked yet.
  std::optional<FileWriter> writer_;
  std::unique_ptr<engine::Watch> watch_;
  EventDesk events_;
  std::map<SessionId, Open> sessions_;                    // Alive, with their open questions.
  std::deque<std::pair<session::FileList, Tell>> lists_;  // To be asked of the engine.
  std::set<std::string> removing_;                        // Orphans, under way.
  SessionId last_session_ = 0;
  bool is_loading_ = false;
  bool is_listing_ = false;
  bool is_armed_ = false;
  bool is_stopped_ = false;
};

}  // namespace hapax
