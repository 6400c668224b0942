// How clients come and go.
#include "daemon/clients.h"

#include <fmt/format.h>

#include "visitors/client_job.h"

namespace hapax {

Clients::Clients(Host host)
    : host_(std::move(host)),
      counts_(std::make_shared<RequestCounts>(host_.group.options().policy)),
      visitors_(host_.after, most_clients()) {}

Clients::~Clients() {
  for (const auto& listener : listeners_) listener->close();
}

Result<void> Clients::listen(Loop& io, const NodeConfig& config,
                             std::shared_ptr<net::TlsContext> tls) {
  for (const net::Address& address : config.clients) {
    auto listener = net::Listener::open(
        io, address,
        [this, tls = address.is_unix() ? nullptr : tls](net::Socket socket) {
          receive(std::move(socket), tls);
        },
        config.sharing);
    if (!listener) {
      return error("clients cannot be served: {}; stop it, or choose another address",
                   listener.error().message);
    }
    listeners_.push_back(std::move(*listener));
  }
  for (const auto& listener : listeners_) listener->start();
  return {};
}

void Clients::receive(net::Socket socket, std::shared_ptr<net::TlsContext> tls) {
  // Closing it is an answer, too: whoever knows other daemons goes there.
  if (visitors_.is_full() || is_winding_up_) return;
  Visitor::Handlers handlers;
  handlers.on_ask = [this](Visitor& visitor, session::Ask&& ask) {
    std::visit([&](auto&& a) { on(visitor, std::move(a)); }, std::move(ask));
  };
  handlers.on_gone = [this](Visitor& visitor) { on_gone(visitor); };
  handlers.on_refused = [this](Visitor& visitor, const std::string& why) {
    host_.log_seldom(fmt::format("refused a client from {}: {}", visitor.remote(), why),
                     LogLevel::warning);
  };
  // What a view granted that has stopped meanwhile does not stay.
  handlers.may_keep = [this](const Grant& grant) {
    return grant.may_keep && grant.fence.epoch == host_.group.epoch() && !is_winding_up_ &&
           !host_.group.is_leaving();
  };
  handlers.on_given_back = [this](Visitor& visitor, session::RequestId id, Turn last) {
    const auto ended = visitor.requests.extract(id);
    host_.waiters.release(ended.mapped().name(), ended.mapped().waiter(), last);
  };
  const auto visitor =
      std::make_shared<Visitor>(std::move(socket), std::move(tls), std::move(handlers), counts_);
  visitors_.admit(visitor);
  visitor->start();
}

static_assert(kClientsNotice == session::kUntilNoticed);

// Its waits end. What it holds is free: at once, or when it must have noticed.
void Clients::on_gone(Visitor& visitor) {
  const auto gone = visitor.shared();
  host_.inquiries.forget(&visitor);
  while (!visitor.observations.empty()) {
    end_observation(visitor, visitor.observations.begin()->first);
  }
  visitors_.erase(gone);
  host_.log(fmt::format("client pid {} is gone", visitor.pid()), LogLevel::debug);
  if (is_stopped_) return;
  visitor.stop_keeping();
  if (!visitor.may_live_on() && !leaves_job(visitor)) return forget_all(gone);
  forget(gone, What::waits);
  if (leaves_job(visitor)) {
    return when_job_is_dead(gone, host_.after, [this, gone] { forget_all(gone); });
  }
  if (!visitor.requests.empty() || visitor.files) {
    host_.after(session::kUntilNoticed, [this, gone] { forget_all(gone); });
  }
}

void Clients::forget(const std::shared_ptr<Visitor>& visitor, What what, std::function<void()> then,
                     std::optional<session::RequestId> below) {
  const auto give_way = SessionStream::Clock::now() + SessionStream::kTurn;
  auto& requests = visitor->requests;
  for (;;) {
    auto at = below ? requests.lower_bound(*below) : requests.end();
    if (at == requests.begin()) break;
    --at;
    below = at->first;
    const auto delay = visitor->has_said_goodbye() ? std::chrono::milliseconds{0}
                                                   : host_.lock_delays.of(at->second.name());
    if (what == What::everything && at->second.is_held() && delay.count() > 0) {
      host_.after(delay, [this, visitor, id = *below] { end_request(*visitor, id); });
    } else if (what == What::everything || !at->second.is_held()) {
      end_request(*visitor, *below);
    }
    if (SessionStream::Clock::now() < give_way) continue;
    return host_.after({}, [this, visitor, what, then = std::move(then), below] {
      forget(visitor, what, then, below);
    });
  }
  if (then) then();
}

// Its waits end first: one of them might be served by what it gives back.
void Clients::forget_all(const std::shared_ptr<Visitor>& visitor) {
  forget_files(*visitor);
  forget(visitor, What::waits, [this, visitor] { forget(visitor, What::everything); });
}

void Clients::forget_files(Visitor& visitor) {
  if (const auto files = std::exchange(visitor.files, std::nullopt)) {
    host_.files.end_session(*files);
  }
}

void Clients::end_request(Visitor& visitor, session::RequestId id) {
  const auto ended = visitor.requests.extract(id);
  if (!ended) return;
  ClientRequest& request = ended.mapped();
  Waiters& waiters = host_.waiters;
  if (!request.is_held() && waiters.abandon(request.name(), request.waiter())) return;
  // It holds the lock; or did, or has been granted it on a lease's last millisecond.
  waiters.release(request.name(), request.waiter(), request.take_back(request.waiter()));
}

void Clients::wind_up() {
  is_winding_up_ = true;
  for (const auto& listener : listeners_) listener->close();
  for (const auto& visitor : visitors_.all()) {
    forget(visitor, What::waits, [visitor] {
      visitor->stop_keeping();
      if (visitor->requests.empty()) visitor->close(true);
    });
  }
}

void Clients::stop_keeping() {
  for (const auto& visitor : visitors_.all()) visitor->stop_keeping();
}

void Clients::follow_settings() {
  const GroupOptions& options = host_.group.options();
  counts_->follow(options.policy);
  const auto ms = static_cast<std::uint64_t>(options.times.ttl / std::chrono::milliseconds{1});
  for (const auto& visitor : visitors_.all()) {
    if (visitor->knows_terms()) visitor->tell(session::Terms{ms});
  }
}

void Clients::tell_left() {
  for (const auto& [weak, request] : std::exchange(told_to_leave_, {})) {
    if (const auto visitor = weak.lock()) visitor->tell(session::Ended{request});
  }
}

void Clients::stop() {
  is_stopped_ = true;
  for (const auto& listener : listeners_) listener->close();
  const auto visitors = visitors_.all();
  visitors_.clear();
  for (const auto& visitor : visitors) visitor->close(true);
}

}  // namespace hapax
