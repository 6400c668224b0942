// Where clients ask what has happened: each is answered when there is something, or when it has
// waited for long enough. Commits of files come by themselves; of locks and of the daemon's lease
// it looks twice a second, while somebody asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>

#include "base/result.h"
#include "files/event_log.h"
#include "files/file_cache.h"
#include "session/protocol.h"

namespace hapax {

class EventDesk {
 public:
  using Tell = std::function<void(const session::Answer&)>;
  using Kind = session::Happened::Kind;

  // What it needs of its daemon, which outlives it.
  struct Host {
    std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
    // Who holds that lock, by all members that answer; an empty name: all locks.
    std::function<Result<void>(const std::string& name,
                               std::function<void(const session::Locks&)> tell)>
        ask_holders;
    std::function<Kind()> standing;  // Of the lease: safe, jeopardy or expired.
    // Tells who leads, now and whenever it changes.
    std::function<std::uint64_t(const std::string& name,
                                std::function<void(const std::optional<session::Leader>&)> tell)>
        observe;
    std::function<void(std::uint64_t observation)> unobserve;
  };

  static constexpr std::chrono::milliseconds kLookEvery{500};
  static constexpr std::chrono::milliseconds kLongestWait{10'000};

  explicit EventDesk(Host host);

  void ask(session::AskEvents&& asked, const Tell& tell);

  // --- what happens to files ---
  void on_loading() { are_files_known_ = false; }
  // Nobody is told that all is known from now on before that is so. 0: there are no files.
  void on_loaded(std::uint64_t revision);
  void on_changes(const std::vector<FileChange>& changes);
  void stop();

 private:
  struct Waiting {
    std::uint64_t number = 0;
    session::AskEvents asked;
    Tell tell;
  };

  void settle();
  void give_up_on(std::uint64_t number);
  void look();
  void observe(const std::string& name);

  Host host_;
  EventLog log_;
  std::list<Waiting> waiting_;
  std::uint64_t last_waiting_ = 0;
  struct Observation {
    std::uint64_t number = 0;
    int idle_looks = 0;
  };
  std::map<std::string, Observation> observations_;  // Elections that somebody asks about.
  int idle_looks_ = 0;                               // Since somebody asked.
  bool is_looking_ = false;
  bool had_lease_ = false;
  bool are_files_known_ = false;
  bool is_stopped_ = false;
};

}  // namespace hapax
