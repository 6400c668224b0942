#include "direct/engine_files.h"

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "loop/timer.h"

namespace hapax::direct {
namespace {

template <class Asked>
constexpr bool kIsAboutFiles =
    std::is_same_v<Asked, session::FileGet> || std::is_same_v<Asked, session::FilePut> ||
    std::is_same_v<Asked, session::FileRemove> || std::is_same_v<Asked, session::FileList> ||
    std::is_same_v<Asked, session::AskEvents>;

session::Person person_with(const std::optional<Fence>& fence) {
  session::Person person;
  person.fence = fence;
  return person;
}

// As a daemon tells it, but only with which fence it is held.
session::Lock holders_of(const LockInfo& info) {
  session::Lock lock;
  lock.name = info.name;
  if (info.holder) lock.holder = person_with(info.holder->fence);
  for (const Person& sharer : info.sharers) lock.sharers.push_back(person_with(sharer.fence));
  return lock;
}

}  // namespace

EngineFiles::EngineFiles(Loop& io, Server& server, OpenEngine open)
    : io_(io), server_(server), files_(host(std::move(open))), session_(files_.begin_session()) {}

EngineFiles::~EngineFiles() { files_.stop(); }

GroupFiles::Host EngineFiles::host(OpenEngine open) {
  EventDesk::Host news{
      .after = [this](auto delay, auto then) { after(delay, std::move(then)); },
      .ask_holders = [this](const std::string& name, auto tell) -> Result<void> {
        if (name.empty()) return error("an engine knows no locks, only names");
        ask_holders(name, std::move(tell));
        return {};
      },
      .standing =
          [this] {
            return server_.trouble().empty() ? EventDesk::Kind::safe : EventDesk::Kind::jeopardy;
          },
      .observe =
          [this](const std::string& name, auto tell) {
            const std::uint64_t observation = ++last_observation_;
            observations_[observation] =
                server_.observe(name, [tell = std::move(tell)](const std::optional<Leader>& now) {
                  if (!now) return tell(std::nullopt);
                  tell(session::Leader{person_with(now->fence), now->value});
                });
            return observation;
          },
      .unobserve = [this](std::uint64_t observation) { observations_.erase(observation); }};
  return {.news = std::move(news),
          .open = [this, open = std::move(open)] { return open(io_); },
          // Ephemeral files are daemons', and theirs to remove.
          .life = [] { return std::uint64_t{0}; },
          .is_over = [](std::uint64_t) { return false; },
          .patience = [] { return std::chrono::milliseconds{60'000}; },
          .reads_ahead = false};
}

void EngineFiles::after(std::chrono::milliseconds delay, std::function<void()> then) {
  auto timer = std::make_shared<Timer>(io_, delay);
  timer->async_wait([timer, then = std::move(then), alive = std::weak_ptr<int>{alive_}](auto no) {
    if (!no && !alive.expired()) then();
  });
}

void EngineFiles::ask_holders(const std::string& name,
                              std::function<void(const session::Locks&)> tell) {
  server_.list(name, [tell = std::move(tell), alive = std::weak_ptr<int>{alive_}](
                         const Outcome<std::vector<LockInfo>>& listed) {
    if (alive.expired()) return;
    session::Locks locks;
    if (!listed) locks.silent.push_back(1);
    for (const LockInfo& info : listed ? *listed : std::vector<LockInfo>{}) {
      locks.locks.push_back(holders_of(info));
    }
    tell(locks);
  });
}

void EngineFiles::ask(session::Ask asked, const Tell& tell) {
  known_.say_in(asked);
  const Tell told = [this, tell](const session::Answer& answer) {
    known_.learn(answer);
    tell(answer);
  };
  std::visit(
      [&](auto&& ask) {
        using Asked = std::decay_t<decltype(ask)>;
        if constexpr (std::is_same_v<Asked, session::FilePut>) {
          if (ask.ephemeral) {
            return told(session::Refused{
                0, "an ephemeral file goes with a session at a daemon: ask a daemon"});
          }
        }
        if constexpr (std::is_same_v<Asked, session::FenceCheck>) {
          files_.check_fence(ask, told);
        } else if constexpr (kIsAboutFiles<Asked>) {
          files_.serve(session_, std::move(ask), told);
        } else {
          told(session::Refused{0, "that is no question about files"});
        }
      },
      std::move(asked));
}

}  // namespace hapax::direct
