// Clients that read and write two files, and what they note of it for the checker of histories.
#pragma once

#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "audit/file_history.h"
#include "base/prng.h"
#include "client/testing/engine_daemons.h"
#include "hapax/hapax.h"

namespace hapax::client::testing {

inline std::int64_t nanos() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

struct FileNotes {
  std::mutex mutex;
  std::vector<audit::FileEvent> events;

  // What cannot be asked is not noted; a write without an answer is, without its end.
  template <class Act>
  void note(audit::FileEvent event, Act act) {
    event.call = nanos();
    try {
      act(event);
      event.ret = nanos();
    } catch (const std::system_error& e) {
      if (e.code() == Errc::conflict) {
        event.ok = false;
        event.ret = nanos();
      } else if (e.code() != Errc::unknown_outcome) {
        return;
      }
    }
    const std::lock_guard lock{mutex};
    events.push_back(std::move(event));
  }
};

// `moves_after` so many steps, unless 0, it forgets what it knew and goes to the other daemon: as
// no client does.
inline void use_files(const EngineDaemons& daemons, std::uint32_t number, int moves_after,
                      const std::atomic<bool>& is_over, FileNotes& notes) {
  const std::string name = fmt::format("c{}", number);
  const auto addresses = [&](std::uint32_t first) {
    return fmt::format("{},{}", daemons.address(first % 2), daemons.address(1 - first % 2));
  };
  auto client = std::make_unique<Client>(addresses(number));
  Prng prng{number + 1};
  std::map<std::string, std::uint64_t> seen;
  for (int step = 0; !is_over; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    if (moves_after > 0 && step % moves_after == moves_after - 1) {
      client = std::make_unique<Client>(addresses(++number));
    }
    const std::string path = prng.below(2) == 0 ? "f" : "g";
    File file{*client, path};
    audit::FileEvent event{name, path, audit::FileOp::get, 0, {}, true, 0, 0, "", false};
    if (prng.below(3) != 0) {
      event.fresh = prng.below(6) == 0;
      notes.note(event, [&](audit::FileEvent& e) {
        const auto now = file.read(e.fresh ? Freshness::fresh : Freshness::cached);
        if (now) e.version = now->version;
        if (now) e.content = now->content;
        seen[path] = e.version;
      });
      continue;
    }
    event.op = prng.below(2) == 0 ? audit::FileOp::cas : audit::FileOp::put;
    event.content = fmt::format("{} {}", name, step);
    event.expected = seen[path];
    notes.note(event, [&](audit::FileEvent& e) {
      File::Options options;
      if (e.op == audit::FileOp::cas) options.version = e.expected;
      seen[path] = e.version = file.write(e.content, options);
    });
  }
}

}  // namespace hapax::client::testing
