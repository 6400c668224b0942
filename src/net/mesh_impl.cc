#include "net/mesh_impl.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/match.h"

namespace hapax::net {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kWriteBudget = std::size_t{256} << 10;
constexpr int kSilencesUntilDead = 3;

LinkLimits link_limits(const MeshLimits& limits) {
  return {limits.frame_bytes, limits.resend_bytes, limits.resend_messages};
}

Identity identity_of(const MeshOptions& options) {
  const auto size = static_cast<std::uint32_t>(options.members.size());
  return {options.self,
          std::max(size, options.seats),
          Bytes(options.group.begin(), options.group.end()),
          Bytes(options.settings.begin(), options.settings.end()),
          options.incarnation,
          options.release.substr(0, kLongestRelease)};
}

}  // namespace

Mesh::Impl::Impl(Loop& io, MeshOptions options, MeshHandlers handlers,
                 std::shared_ptr<TlsContext> tls)
    : io_(io),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      tls_(std::move(tls)),
      me_(identity_of(options_)),
      prng_(me_.incarnation ^ number(me_.self)),
      timer_(io),
      tick_(
          std::max(Milliseconds{1}, std::min(options_.limits.ping, options_.limits.handshake) / 2)),
      logged_(me_.size + 1) {
  for (std::uint32_t i = 0; i < me_.size; ++i) {
    peers_.emplace_back(Seat{i}, me_, link_limits(options_.limits));
    if (i < options_.members.size()) peers_.back().address = options_.members[i];
  }
}

Result<void> Mesh::Impl::start() {
  HAPAX_CHECK(listener_ == nullptr);
  HAPAX_CHECK(!is_stopped_);
  const Address address = options_.listen ? *options_.listen : *peers_[number(me_.self)].address;
  auto listener =
      Listener::open(io_, address, [this](Socket socket) { accepted(std::move(socket)); });
  if (!listener) return listener.error();
  listener_ = *listener;
  listener_->start();
  for (Peer& peer : peers_) {
    if (!peer.address || peer.id >= me_.self) continue;
    make_dialer(peer);
    peer.dialer->dial();
  }
  schedule_tick();
  return {};
}

// REQUIRES: its address is known.
void Mesh::Impl::make_dialer(Peer& peer) {
  const MeshLimits& limits = options_.limits;
  const Seat id = peer.id;
  if (peer.dialer != nullptr) peer.dialer->close();
  peer.dialer = std::make_shared<Dialer>(
      io_, *peer.address, Dialer::Pace{limits.backoff_min, limits.backoff_max, limits.handshake},
      prng_.next(), [this, id](Socket socket) { dialled(id, std::move(socket)); },
      [this, id](std::string_view why) { log_unreachable(id, why); });
}

Result<void> Mesh::Impl::set_address(Seat id, const Address& address) {
  HAPAX_CHECK(listener_ != nullptr);
  HAPAX_CHECK(number(id) < me_.size);
  HAPAX_CHECK(id != me_.self);
  if (const auto e = objection_to(address, options_)) return *e;
  Peer& peer = peers_[number(id)];
  if (peer.address == address || is_stopped_) return {};
  peer.address = address;
  logged_[number(id)] = 0;
  if (id > me_.self) return {};
  make_dialer(peer);
  // While it is up at its old address, the new one is for when that ends.
  if (peer.up == nullptr) peer.dialer->dial();
  return {};
}

void Mesh::Impl::hold(Seat id, bool on) {
  Peer& peer = peers_[number(id)];
  if (std::exchange(peer.is_held, on) == on || peer.up == nullptr) return;
  peer.up->hold(on);
}

Address Mesh::Impl::listening() const {
  HAPAX_CHECK(listener_ != nullptr);
  return listener_->address();
}

bool Mesh::Impl::send(Seat to, std::span<const std::uint8_t> message) {
  HAPAX_CHECK(number(to) < me_.size);
  HAPAX_CHECK(to != me_.self);
  Peer& peer = peers_[number(to)];
  if (is_stopped_) return false;
  if (!peer.link.push(message)) {
    ++stats_.overflows;
    return false;
  }
  ++stats_.messages_out;
  mark_dirty(peer);
  return true;
}

void Mesh::Impl::mark_dirty(Peer& peer) {
  if (peer.is_dirty || peer.up == nullptr) return;
  peer.is_dirty = true;
  if (dirty_.empty()) io_.tell_at_end(shared_from_this());
  dirty_.push_back(peer.id);
}

void Mesh::Impl::flush() {
  flushing_.swap(dirty_);
  for (const Seat id : flushing_) {
    peers_[number(id)].is_dirty = false;
    pump(peers_[number(id)]);
  }
  flushing_.clear();
}

// One write at a time; on_written() comes back for what gathered meanwhile.
void Mesh::Impl::pump(Peer& peer) {
  if (peer.up == nullptr || peer.up->is_writing()) return;
  const std::uint64_t resent = peer.link.resent();
  do {
    stats_.frames_out += peer.link.write(peer.up->out(), kWriteBudget);
    peer.up->flush();
  } while (!peer.up->is_writing() && peer.link.wants_to_write());
  stats_.resent += peer.link.resent() - resent;
}

void Mesh::Impl::on_written(Connection& connection) {
  if (const auto peer = connection.peer()) {
    pump(peers_[number(*peer)]);
  } else {
    connection.flush();
  }
}

void Mesh::Impl::on_frame(Connection& connection, std::span<const std::uint8_t> body) {
  if (const auto peer = connection.peer()) {
    on_peer_frame(peers_[number(*peer)], body);
  } else {
    on_guest_frame(guest_of(connection), body);
  }
}

void Mesh::Impl::on_peer_frame(Peer& peer, std::span<const std::uint8_t> body) {
  std::optional<Frame> frame = decode_frame(body, peer.version);
  if (!frame) return hang_up(peer, Drop::malformed, "a frame that no member writes");
  match(
      frame->content, [&](const Data& data) { on_data(peer, data, *frame); },
      [&](const Ack& ack) {
        if (!peer.link.receive(ack)) {
          hang_up(peer, Drop::violation, "acknowledges what was never sent");
        }
      },
      [&](const Bye& bye) { down(peer, bye.why ? words_of(bye) : "it said goodbye"); },
      [&](const Hello&) { hang_up(peer, Drop::violation, "introduces itself twice"); },
      [&](const Confirm&) { hang_up(peer, Drop::violation, "confirms twice"); });
}

void Mesh::Impl::on_data(Peer& peer, const Data& data, Frame& frame) {
  const auto known = peer.link.receive(data, frame.count, frame.messages.size());
  if (!known) {
    return hang_up(peer, Drop::violation, "a gap, or acknowledges what was never sent");
  }
  // Not worth a line: one that lost a connection may repeat what had arrived.
  stats_.drops[static_cast<std::size_t>(Drop::replay)] += *known;
  for (std::uint64_t i = 0; i < frame.count && !is_stopped_; ++i) {
    const std::span<const std::uint8_t> message = take_message(frame.messages);
    if (i < *known) continue;
    ++stats_.messages_in;
    if (handlers_.on_message) handlers_.on_message(peer.id, message);
  }
  if (peer.link.wants_to_write()) mark_dirty(peer);
}

void Mesh::Impl::on_lost(Connection& connection, std::optional<Drop> fault, std::string_view why) {
  if (fault) count(*fault, connection.peer(), connection.remote(), std::string{why});
  if (const auto peer = connection.peer()) return down(peers_[number(*peer)], why);
  const auto guest = guest_of(connection);
  if (guest->dialled) log_unreachable(*guest->dialled, why);
  remove(guest);
}

void Mesh::Impl::hang_up(Peer& peer, Drop why, const std::string& what) {
  count(why, peer.id, peer.up->remote(), what);
  say_bye(peer.up, why, what);
  down(peer, what);
}

void Mesh::Impl::down(Peer& peer, std::string_view why) {
  const std::shared_ptr<Connection> connection = std::exchange(peer.up, nullptr);
  const bool is_leaving = std::any_of(leaving_.begin(), leaving_.end(),
                                      [&](const Leaving& l) { return l.connection == connection; });
  if (!is_leaving) connection->close();
  retry(peer.dialer == nullptr ? std::nullopt : std::optional{peer.id});
  if (handlers_.on_down && !is_stopped_) handlers_.on_down(peer.id, why);
}

void Mesh::Impl::say_bye(std::shared_ptr<Connection> connection, std::optional<Drop> why,
                         const std::string& what) {
  write_frame(connection->out(), Bye{why, Bytes(what.begin(), what.end())});
  ++stats_.frames_out;
  // Nor may there be too many on their way out.
  if (leaving_.size() >= options_.limits.pending + me_.size) {
    const auto oldest = leaving_.front().connection;
    oldest->close();
  }
  leaving_.push_back({connection, steady_clock::now() + options_.limits.linger});
  connection->finish([weak = weak_from_this(), gone = connection.get()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->leaving_.remove_if([&](const Leaving& l) { return l.connection.get() == gone; });
    if (self->is_stopped_ && self->leaving_.empty()) self->timer_.cancel();
  });
}

void Mesh::Impl::stop() {
  if (std::exchange(is_stopped_, true)) return;
  if (listener_ != nullptr) listener_->close();
  for (Guest& guest : guests_) guest.connection->close();
  guests_.clear();
  for (Peer& peer : peers_) {
    if (peer.dialer != nullptr) peer.dialer->close();
    if (peer.up == nullptr) continue;
    peer.link.write(peer.up->out(), SIZE_MAX);
    say_bye(std::exchange(peer.up, nullptr), std::nullopt, {});
  }
  timer_.cancel();
  if (leaving_.empty()) return;
  timer_.expires_after(options_.limits.linger);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
    if (!cancelled) self->close_all();
  });
}

void Mesh::Impl::abandon() {
  handlers_ = {};
  options_.log = {};
  if (std::exchange(is_stopped_, true)) return;
  if (listener_ != nullptr) listener_->close();
  for (Guest& guest : guests_) guest.connection->close();
  guests_.clear();
  for (Peer& peer : peers_) {
    if (peer.dialer != nullptr) peer.dialer->close();
    if (peer.up != nullptr) peer.up->close();
    peer.up = nullptr;
  }
  close_all();
  timer_.cancel();
}

void Mesh::Impl::close_all() {
  while (!leaving_.empty()) {
    const auto oldest = leaving_.front().connection;  // Takes itself off the list.
    oldest->close();
  }
}

void Mesh::Impl::schedule_tick() {
  timer_.expires_after(tick_);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
    if (!cancelled && !self->is_stopped_) self->tick();
  });
}

void Mesh::Impl::tick() {
  const Time now = steady_clock::now();
  while (!leaving_.empty() && leaving_.front().deadline <= now) {
    const auto oldest = leaving_.front().connection;
    oldest->close();
  }
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    const auto next = std::next(guest);
    if (guest->deadline <= now) {
      count(Drop::handshake_timeout, guest->dialled, guest->connection->remote(),
            "did not introduce itself in time");
      remove(guest);
    }
    guest = next;
  }
  for (Peer& peer : peers_) {
    if (peer.up != nullptr) watch(peer);
    if (is_stopped_) return;
  }
  schedule_tick();
}

void Mesh::Impl::watch(Peer& peer) {
  const Milliseconds ping = options_.limits.ping;
  peer.unheard = peer.up->has_heard() || peer.is_held ? Milliseconds{0} : peer.unheard + tick_;
  peer.unspoken = peer.up->has_spoken() ? Milliseconds{0} : peer.unspoken + tick_;
  if (peer.unheard >= kSilencesUntilDead * ping) return down(peer, "it has been silent");
  if (peer.unspoken >= ping && !peer.up->is_writing()) {
    peer.link.write_ack(peer.up->out());
    ++stats_.frames_out;
    peer.up->flush();
  }
}

void Mesh::Impl::count(Drop why, std::optional<Seat> who, const std::string& remote,
                       const std::string& what) {
  const auto reason = static_cast<std::size_t>(why);
  ++stats_.drops[reason];
  std::uint32_t& logged = logged_[who ? number(*who) : me_.size];
  if ((logged >> reason & 1) != 0) return;
  logged |= 1u << reason;
  log(fmt::format("dropped {}{} ({}): {}; more of this is counted, not logged", remote,
                  who ? ", " + called(options_, *who) : "", name_of(why), what));
}

std::string called(const MeshOptions& options, Seat peer) {
  return options.called ? options.called(peer) : fmt::format("member {}", number(peer) + 1);
}

void Mesh::Impl::log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

void Mesh::Impl::log_unreachable(Seat peer, std::string_view why, std::optional<Drop> reason) {
  peers_[number(peer)].trouble = why;
  const std::uint32_t bit = 1u << (reason ? static_cast<std::size_t>(*reason) : kDrops);
  std::uint32_t& logged = logged_[number(peer)];
  if (is_stopped_ || (logged & bit) != 0) return;
  logged |= bit;
  log(fmt::format("cannot reach {} at {}: {}; still trying", called(options_, peer),
                  peers_[number(peer)].address->text(), why));
}

}  // namespace hapax::net
