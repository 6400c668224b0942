#include "hapax/events.h"

#include <algorithm>
#include <array>
#include <deque>
#include <thread>
#include <utility>

#include "core/file_path.h"
#include "handles/asking.h"
#include "handles/file_access.h"

namespace hapax {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWait{1'000};    // At the daemon, for something to happen.
constexpr milliseconds kTryAgain{200};  // If no daemon answers.

static_assert(static_cast<int>(Event::Kind::expired) ==
              static_cast<int>(session::Happened::Kind::expired));

}  // namespace

std::string_view name_of(Event::Kind kind) {
  constexpr std::array<std::string_view, 11> kNames{
      "begun",       "resync", "file-added", "file-changed", "file-removed", "lock-taken",
      "lock-vacant", "leader", "jeopardy",   "safe",         "expired"};
  return kNames[static_cast<std::size_t>(kind)];
}

class Events::Impl {
 public:
  Impl(detail::Served served, std::string cell, bool only_files)
      : gateway_(std::move(served.gateway)),
        folder_(std::move(served.name)),
        cell_(std::move(cell)),
        only_files_(only_files) {
    if (const auto good = check_folder(folder_); !good) {
      client::throw_if(Errc::bad_name, good.error().message);
    }
  }

  std::optional<Event> next(Clock::time_point deadline, const std::stop_token& cancel) {
    for (;;) {
      if (!waiting_.empty()) {
        Event event = std::move(waiting_.front());
        waiting_.pop_front();
        return event;
      }
      const auto now = Clock::now();
      if (cancel.stop_requested() || now >= deadline) return std::nullopt;
      ask(std::min(kWait, std::chrono::ceil<milliseconds>(deadline - now)));
    }
  }

 private:
  void ask(milliseconds wait) {
    session::Answer answer;
    const std::error_code error =
        gateway_->ask_about_files(session::AskEvents{0, folder_, cursor_, only_files_,
                                                     static_cast<std::uint32_t>(wait.count())},
                                  answer);
    if (error == Errc::lost || error == Errc::unreachable || error == Errc::timed_out) {
      if (!std::exchange(is_lost_, true)) waiting_.push_back({Event::Kind::expired, "", 0, {}, ""});
      return std::this_thread::sleep_for(std::min(wait, kTryAgain));
    }
    auto told = detail::FileAccess::told_in<session::EventsTold>(error, std::move(answer), folder_);
    const bool was_lost = std::exchange(is_lost_, false);
    const bool is_same = told.now.log == cursor_.log;
    if (was_lost && is_same) {
      // Another session, at a daemon that we had been with before.
      waiting_.push_back({Event::Kind::begun, "", cursor_.revision, {}, ""});
    } else if (!was_lost && !is_same && cursor_.log != 0) {
      // The daemon was lost, and another one answered at once.
      waiting_.push_back({Event::Kind::expired, "", 0, {}, ""});
    }
    cursor_ = told.now;
    for (session::Happened& event : told.events) {
      if (!event.name.empty()) event.name.insert(0, cell_);
      waiting_.push_back({static_cast<Event::Kind>(event.kind), std::move(event.name),
                          event.revision, event.fence, std::move(event.text)});
    }
  }

  const detail::OwnGateway gateway_;
  const std::string folder_;  // There.
  const std::string cell_;    // What stands before the names there: `eu:/`, mostly nothing.
  const bool only_files_;
  session::EventCursor cursor_;
  std::deque<Event> waiting_;
  bool is_lost_ = false;
};

Events::Events(Client& client, std::string_view folder, About about) {
  detail::Served served =
      detail::served(detail::FileAccess::gateway_of(client), folder, detail::Named::folder);
  std::string cell = served.before(folder);
  impl_ = std::make_unique<Impl>(std::move(served), std::move(cell), about == About::files);
}
Events::~Events() = default;

std::optional<Event> Events::next(std::stop_token cancel) {
  return next_until(detail::never(), std::move(cancel));
}
std::optional<Event> Events::next_until(Clock::time_point deadline, std::stop_token cancel) {
  return impl_->next(deadline, cancel);
}

}  // namespace hapax
