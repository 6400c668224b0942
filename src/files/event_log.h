// What has happened lately, numbered, for whoever asks for what came since: a plain value. It keeps
// only so much; who comes later than that is told to look anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/event_records.h"

namespace hapax {

class EventLog {
 public:
  static constexpr std::size_t kMost = 4'096;      // That are kept …
  static constexpr std::size_t kMostAtOnce = 512;  // … and told in one answer.

  // `number` tells this log from those of other daemons. Not 0.
  explicit EventLog(std::uint64_t number) : number_(number) {}

  void add(session::Happened event);
  // Of the files all is added from now on, and what came before is not known: they were read anew.
  void begin_files(std::uint64_t revision);
  // The locks that are held, and with which fences: adds what is new. With `may_lack_some` nothing
  // follows from a lock that is missing.
  void see_locks(const std::map<std::string, Fence>& held, bool may_lack_some);
  // Who leads; no fence: nobody. Added if it is new.
  void see_leader(const std::string& name, std::optional<Fence> fence, const std::string& value);
  void see_standing(session::Happened::Kind standing);
  // Nobody looks any more: what is known gets old.
  void forget_leader(const std::string& name) { leaders_.erase(name); }
  void forget_locks() { held_.clear(); }

  // What is new to that reader, in the order in which it happened, and where it is then. Nothing
  // new: no events, and the cursor moves on all the same.
  session::EventsTold since(const session::AskEvents& asked) const;

 private:
  using Kind = session::Happened::Kind;
  struct Entry {
    std::uint64_t sequence = 0;
    session::Happened event;
  };

  session::EventsTold from_here(const session::AskEvents& asked) const;
  void add_state(const session::AskEvents& asked, std::vector<session::Happened>& events) const;
  static bool concerns(const session::AskEvents& asked, const session::Happened& event);

  std::uint64_t number_;
  std::deque<Entry> entries_;
  std::uint64_t last_ = 0;              // Sequence.
  std::uint64_t files_known_from_ = 0;  // A revision; changes of files after it are all here.
  std::uint64_t revision_ = 0;          // Of the files' last change, or where they began.
  std::map<std::string, Fence> held_;
  std::map<std::string, session::Happened> leaders_;
  Kind standing_ = Kind::safe;
};

}  // namespace hapax
