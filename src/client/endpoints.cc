#include "client/endpoints.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "client/file_reads.h"
#include "handles/library_thread.h"

namespace hapax::client {

Endpoints::Endpoints(std::vector<net::Address> addresses, Trust trust)
    : addresses_(std::move(addresses)), trust_(std::move(trust)) {
  const std::lock_guard lock{connecting_};
  connection_ = connect();
}

Endpoints::Shared Endpoints::now() const {
  const std::lock_guard lock{mutex_};
  return connection_;
}

// A daemon of the release before refuses our version, in words for people: so one that refuses us
// is asked again in its own.
std::unique_ptr<Connection> Endpoints::open(const net::Address& address) {
  try {
    return std::make_unique<Connection>(address, trust_, ++generation_);
  } catch (const std::system_error& e) {
    if (e.code() != Errc::refused) throw;
    Trust before = trust_;
    before.version = session::kOldestVersion;
    return std::make_unique<Connection>(address, before, ++generation_);
  }
}

// The first that answers, starting after the last one used. REQUIRES: connecting_ is locked.
Endpoints::Shared Endpoints::connect() {
  std::exception_ptr telling;  // Of one that is there, rather than of one that is not.
  for (std::size_t tried = 0;; ++tried) {
    const net::Address& address = addresses_[(next_ + tried) % addresses_.size()];
    try {
      // It may be lost, and replaced, while its own thread calls the program.
      Shared made{open(address).release(),
                  [](Connection* last) { destroy(std::unique_ptr<Connection>{last}); }};
      next_ = (next_ + tried + 1) % addresses_.size();
      return made;
    } catch (const std::system_error& e) {
      if (!telling || e.code() != Errc::unreachable) telling = std::current_exception();
      if (tried + 1 == addresses_.size()) std::rethrow_exception(telling);
    }
  }
}

Endpoints::Shared Endpoints::there() noexcept {
  Shared before = now();
  if (!before->is_gone()) return before;
  try {
    const std::lock_guard one{connecting_};
    if (Shared other = now(); !other->is_gone()) return other;  // Somebody else was faster.
    Shared made = connect();
    const std::lock_guard lock{mutex_};
    connection_ = made;
    return made;
  } catch (...) {
    return before;  // Nobody answers: it says so.
  }
}

// One that only waits when its daemon goes has lost nothing but its place.
template <class Ask>
std::error_code Endpoints::ask_again_elsewhere(Ask&& ask) {
  for (std::size_t tried = 1;; ++tried) {
    const Shared at = there();
    const std::error_code error = ask(at);
    if (!error || !at->is_gone() || tried >= addresses_.size()) return error;
  }
}

std::shared_ptr<detail::LockHandle> Endpoints::handle(const std::string& name) {
  const std::lock_guard lock{mutex_};
  std::weak_ptr<KeptLock>& known = kept_[name];
  if (auto there = known.lock()) return there;
  const auto made = std::make_shared<KeptLock>();
  known = made;
  // Programs may use ever other names.
  if (kept_.size() > 2 * known_names_) {
    std::erase_if(kept_, [](const auto& entry) { return entry.second.expired(); });
    known_names_ = std::max(kept_.size(), kFewNames);
  }
  return made;
}

std::error_code Endpoints::acquire(const std::string& name, detail::LockHandle* handle,
                                   detail::Deadline deadline, const std::stop_token& cancel,
                                   detail::Holding& holding) {
  auto& lock = *static_cast<KeptLock*>(handle);
  std::string why;
  return ask_again_elsewhere([&](const Shared& at) {
    const auto error =
        at->acquire(name, Want::exclusive, deadline, cancel, holding, why, lock.word_at(at));
    if (!error) lock.on_granted(at, holding);
    return error;
  });
}
void Endpoints::acquire_later(const std::string& name, detail::LockHandle*,
                              const std::stop_token& cancel, detail::Completion& completion) {
  there()->acquire_later(name, cancel, completion);
}
std::error_code Endpoints::acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                                      const std::stop_token& cancel, detail::Holding& holding,
                                      std::string& why) {
  return ask_again_elsewhere(
      [&](const Shared& at) { return at->acquire(name, want, deadline, cancel, holding, why); });
}
// What an earlier connection granted went with it: requests are numbered so that no later one
// knows theirs.
void Endpoints::give_back(const detail::Holding& holding) noexcept { now()->release(holding); }
std::error_code Endpoints::campaign(const std::string& name, const std::string& value,
                                    detail::Deadline deadline, const std::stop_token& cancel,
                                    const std::shared_ptr<detail::Candidate>& candidate,
                                    detail::Holding& holding) {
  return ask_again_elsewhere([&](const Shared& at) {
    return at->campaign(name, value, deadline, cancel, candidate, holding);
  });
}
void Endpoints::resign(const detail::Holding& holding) noexcept { now()->resign(holding); }
std::error_code Endpoints::hand_over(const detail::Holding& holding, const std::string& to) {
  return now()->hand_over(holding, to);
}
std::error_code Endpoints::ask_to_resign(const std::string& name, const std::string& to) {
  return there()->ask_to_resign(name, to);
}
std::uint64_t Endpoints::observe(const std::string& name,
                                 const std::shared_ptr<detail::Changes>& changes) {
  return there()->observe(name, changes);
}
void Endpoints::unobserve(std::uint64_t observation) noexcept { now()->unobserve(observation); }
std::error_code Endpoints::who(std::string_view name, std::vector<LockInfo>& locks,
                               detail::LeftOut& left_out) {
  return there()->who(name, locks, left_out);
}
std::error_code Endpoints::status(bool all, GroupStatus& status) {
  return there()->status(all, status);
}
std::error_code Endpoints::stats(MemberStats& stats) { return there()->stats(stats); }

// A read may be asked again elsewhere; a write whose answer is lost may have been done.
std::error_code Endpoints::ask_about_files(session::Ask asked, session::Answer& told) {
  constexpr auto kPatience = 4 * session::kSilence;  // More than the daemon has with its engine.
  {
    const std::lock_guard lock{mutex_};
    known_.say_in(asked);
  }
  std::error_code error;
  if (detail::is_write(asked)) {
    const Shared at = there();
    if (at->is_gone()) return Errc::lost;
    error = at->ask(std::move(asked), kPatience, told);
    if (error == Errc::lost || error == Errc::timed_out) return Errc::unknown_outcome;
  } else if (const auto* get = std::get_if<session::FileGet>(&asked)) {
    error = ask_again_elsewhere([&](const Shared& at) {
      return read_copy(*at, *get, told) ? std::error_code{} : read_file(*at, *get, kPatience, told);
    });
  } else {
    error = ask_again_elsewhere([&](const Shared& at) { return at->ask(asked, kPatience, told); });
  }
  if (error) return error;
  const std::lock_guard lock{mutex_};
  known_.learn(told);
  return {};
}

}  // namespace hapax::client
