// What happens to files, locks and leaders of the group, and to one's own session: one stream, in
// order.
//
//   hapax::Events events{client, "config"};
//   while (auto event = events.next(cancel)) react(*event);
//
// Of files nothing is left out, also when the Client has moved to another daemon; or there is a
// `resync`, and whoever needs to know reads again. Of locks the present state comes first, and then
// what the daemon sees, which asks all members twice a second: what is shorter may go unseen, and
// the fences say so. The docs, docs/cell.md, say the rest.
//
// An object is for one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "hapax/client.h"
#include "hapax/fence.h"

namespace hapax {

// One thing that happened.
struct Event {
  // What.
  enum class Kind : std::uint8_t {
    begun,         // Of files everything is told from here on.
    resync,        // The same, but something may have been left out before: read again.
    file_added,    // A file was made: a child of its folder.
    file_changed,  // Its content was written.
    file_removed,  // A child of its folder is gone.
    lock_taken,    // Somebody holds it, with that fence.
    lock_vacant,   // Nobody does any more; the fence is that of who did.
    leader,    // Of the election with just the name asked for: another, or without fence nobody.
    jeopardy,  // The daemon does not hear from its engine; nothing is lost yet.
    safe,      // It does again.
    expired    // The daemon's lease is over, or it is gone: what was held through it is lost.
  };
  Kind kind = Kind::begun;       // What it was.
  std::string name;              // Of the file, lock or election; empty of one's own session.
  std::uint64_t version = 0;     // Of a file: from then on. Removed: of the removal.
  std::optional<Fence> fence{};  // Of a lock or a leader.
  std::string value;             // That the leader proclaims.
};
// As `hapax events` writes it: file-changed.
std::string_view name_of(Event::Kind kind);

// A stream of them.
class Events {
 public:
  using Clock = std::chrono::steady_clock;  // Of deadlines.

  // What it is about.
  enum class About : std::uint8_t {
    everything,  // Files, locks and the election of that name, and one's own session.
    files        // Files only.
  };
  // In that folder, at any depth; in the empty one all. Throws std::system_error, Errc::bad_name,
  // if there can be no such folder.
  explicit Events(Client& client, std::string_view folder = {}, About about = About::everything);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // Waits for the next. Nothing if `cancel` was asked to stop, which is seen within a second. A
  // daemon that is lost is an event, `expired`, and no end: it goes on at the next that answers.
  // Throws std::system_error: Errc::forbidden, Errc::refused.
  std::optional<Event> next(std::stop_token cancel = {});
  // … or the deadline has passed.
  std::optional<Event> next_until(Clock::time_point deadline, std::stop_token cancel = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hapax
