// The part of the mesh in which connections begin: nobody is believed before this is over.
#include <algorithm>
#include <sys/random.h>
#include <utility>

#include "base/check.h"
#include "base/credentials.h"
#include "base/match.h"
#include "base/printable.h"
#include "net/mesh_impl.h"
#include "tls/tls.h"

namespace hapax::net {
namespace {

std::uint64_t fresh_nonce() {
  std::uint64_t nonce = 0;
  while (nonce == 0) {
    const ssize_t drawn = getrandom(&nonce, sizeof nonce, 0);  // So few bytes come as a whole.
    HAPAX_CHECK(drawn == sizeof nonce);
  }
  return nonce;
}

// Only one that may be a member with a wrong setting is told why; others learn nothing.
bool is_worth_a_word(Drop why) {
  return why == Drop::wrong_version || why == Drop::wrong_group || why == Drop::other_settings ||
         why == Drop::taken || why == Drop::violation;
}

}  // namespace

void Mesh::Impl::accepted(Socket socket) {
  make_room(options_.limits.pending, std::nullopt);
  add_guest(std::move(socket), Connection::Side::accepts)->connection->start();
}

void Mesh::Impl::dialled(Seat to, Socket socket) {
  const auto guest = add_guest(std::move(socket), Connection::Side::dials);
  guest->dialled = to;
  guest->version = peers_[number(to)].calls.now();
  guest->connection->start();
}

Mesh::Impl::Guests::iterator Mesh::Impl::add_guest(Socket socket, Connection::Side side) {
  Guest guest{std::make_shared<Connection>(std::move(socket), tls_, side, *this, stats_),
              std::nullopt,
              std::nullopt,
              std::nullopt,
              0,
              fresh_nonce(),
              kGreetingVersion,
              std::chrono::steady_clock::now() + options_.limits.handshake};
  return guests_.insert(guests_.end(), std::move(guest));
}

Mesh::Impl::Guests::iterator Mesh::Impl::guest_of(const Connection& connection) {
  const auto guest = std::find_if(guests_.begin(), guests_.end(), [&](const Guest& g) {
    return g.connection.get() == &connection;
  });
  HAPAX_CHECK((guest != guests_.end()));
  return guest;
}

// Honest members are done within a round trip: the guest that has waited longest is the least
// likely to be one.
void Mesh::Impl::make_room(std::size_t most, std::optional<Seat> identity) {
  const auto counts = [&](const Guest& guest) {
    if (guest.dialled) return false;
    return !identity || guest.certified == identity ||
           (guest.hello && guest.hello->from == *identity);
  };
  const auto there = std::count_if(guests_.begin(), guests_.end(), counts);
  if (static_cast<std::size_t>(there) < most) return;
  const auto oldest = std::find_if(guests_.begin(), guests_.end(), counts);
  count(Drop::too_many, identity, oldest->connection->remote(), "too many unfinished connections");
  remove(oldest);
}

void Mesh::Impl::on_open(Connection& connection) {
  const auto guest = guest_of(connection);
  if (SSL* session = connection.session()) {
    const std::optional<Seat> certified = peer_of(session);
    if (!certified || !may_be(me_, *certified, guest->dialled)) {
      return refuse(guest, Drop::stranger,
                    certified
                        ? fmt::format("has the certificate of member-{}", number(*certified) + 1)
                        : "its certificate names no member");
    }
    if (!guest->dialled) make_room(options_.limits.per_identity, certified);
    guest->certified = certified;
  } else if (const auto user = connection.user(); user && !is_one_of_us(*user)) {
    return refuse(guest, Drop::stranger, "is " + text_of_user(*user));
  }
  if (!guest->dialled) return;  // Who dials speaks first.
  Peer& peer = peers_[number(*guest->dialled)];
  Hello hello = make_hello(me_, peer.id, peer.link);
  hello.attempt = ++peer.attempts;
  hello.nonce = guest->nonce;
  hello.version = guest->version;
  write_frame(connection.out(), hello, {}, kGreetingVersion);
  ++stats_.frames_out;
  connection.flush();
}

void Mesh::Impl::on_guest_frame(Guests::iterator guest, std::span<const std::uint8_t> body) {
  const std::optional<Frame> frame = decode_frame(body, guest->version);
  if (!frame) return refuse(guest, Drop::malformed, "a frame that no member writes");
  const auto too_early = [&] { refuse(guest, Drop::malformed, "speaks before it is introduced"); };
  match(
      frame->content, [&](const Hello& hello) { on_hello(guest, hello); },
      [&](const Confirm& confirm) { on_confirm(guest, confirm); },
      [&](const Bye& bye) {
        if (!guest->dialled) return too_early();
        on_refusal(guest, bye);
      },
      [&](const Data&) { too_early(); }, [&](const Ack&) { too_early(); });
}

void Mesh::Impl::on_refusal(Guests::iterator guest, const Bye& bye) {
  if (bye.why == Drop::wrong_version && peers_[number(*guest->dialled)].calls.step_down()) {
    return call_again(guest);
  }
  log_unreachable(*guest->dialled,
                  bye.why ? fmt::format("it refuses us ({}): {}", name_of(*bye.why), words_of(bye))
                          : std::string{"it is stopping"},
                  bye.why);
  remove(guest);
}

// At once, in another version: whoever refused this one is still there.
void Mesh::Impl::call_again(Guests::iterator guest) {
  const Seat to = *guest->dialled;
  guest->connection->close();
  guests_.erase(guest);
  peers_[number(to)].dialer->dial();
}

void Mesh::Impl::on_hello(Guests::iterator guest, const Hello& hello) {
  if (guest->hello) return refuse(guest, Drop::malformed, "introduces itself twice");
  if (const auto no = objection(me_, hello, guest->dialled, guest->certified, options_.called)) {
    // Whoever it really is: a wrong setting is what people look for.
    const bool is_known = number(hello.from) < me_.size;
    if (is_known && no->why == Drop::other_settings) {
      peers_[number(hello.from)].trouble = no->what;
    }
    return refuse(guest, no->why, no->what);
  }
  const std::uint64_t expected_echo = guest->dialled ? guest->nonce : 0;
  if (hello.echo != expected_echo) {
    return refuse(guest, Drop::replay, "answers what we did not ask");
  }
  if (!guest->dialled) return answer(guest, hello);
  if (hello.version != guest->version) {
    return refuse(guest, Drop::violation, "answers in another version than it was called in");
  }
  if (!peers_[number(hello.from)].calls.met(hello.incarnation)) return call_again(guest);
  write_frame(guest->connection->out(), Confirm{hello.nonce, me_.release}, {}, guest->version);
  ++stats_.frames_out;
  establish(guest, hello, hello.release);
}

void Mesh::Impl::answer(Guests::iterator guest, const Hello& hello) {
  Peer& peer = peers_[number(hello.from)];
  const bool is_same = hello.incarnation == peer.link.seen();
  if (is_same && hello.attempt <= peer.last_attempt) {
    return refuse(guest, Drop::replay, "an attempt that we have seen");
  }
  // Whoever is dead is noticed soon. Until then the one that we have is believed to be the member.
  if (peer.up != nullptr && !is_same) {
    return refuse(guest, Drop::taken,
                  fmt::format("{} is connected already, from {}: was it started twice?",
                              called(options_, hello.from), peer.up->remote()));
  }
  if (!guest->certified) make_room(options_.limits.per_identity, hello.from);
  guest->hello = hello;
  guest->version = hello.version;
  Hello own = make_hello(me_, hello.from, peer.link);
  guest->seen = own.seen;
  own.attempt = hello.attempt;
  own.nonce = guest->nonce;
  own.echo = hello.nonce;
  own.version = guest->version;
  write_frame(guest->connection->out(), own, {}, guest->version);
  ++stats_.frames_out;
  guest->connection->flush();
}

void Mesh::Impl::on_confirm(Guests::iterator guest, const Confirm& confirm) {
  if (!guest->hello) return refuse(guest, Drop::malformed, "confirms before it is introduced");
  if (confirm.echo != guest->nonce) {
    return refuse(guest, Drop::replay, "answers what we did not ask");
  }
  const Hello hello = *guest->hello;
  Peer& peer = peers_[number(hello.from)];
  // A later attempt may have overtaken this one, of the same process or of the next: its bytes are
  // of a connection that is over. To go back to the process before would be to forget what this one
  // has of us and we of it, and it could never meet us again.
  const bool is_same = hello.incarnation == peer.link.seen();
  if (is_same ? hello.attempt <= peer.last_attempt : guest->seen != peer.link.seen()) {
    return refuse(guest, Drop::replay, "overtaken by a later attempt");
  }
  peer.last_attempt = hello.attempt;
  establish(guest, hello, confirm.release);
}

void Mesh::Impl::establish(Guests::iterator guest, const Hello& hello, const std::string& release) {
  Peer& peer = peers_[number(hello.from)];
  // The peer would not have come again if it still had the other one.
  if (peer.up != nullptr) down(peer, "replaced by a new connection");
  if (is_stopped_) return;
  const Link::Meeting meeting = peer.link.meet(hello.incarnation, hello.seen, hello.received);
  if (meeting == Link::Meeting::impossible) {
    return refuse(guest, Drop::violation, "says it has what it cannot have");
  }
  peer.up = guest->connection;
  peer.up->belongs_to(peer.id);
  peer.up->allow(options_.limits.frame_bytes);
  peer.version = guest->version;
  peer.release = printable(release);
  peer.is_held = false;
  peer.trouble.clear();
  peer.unheard = peer.unspoken = Milliseconds{0};
  guests_.erase(guest);
  logged_[number(peer.id)] = 0;
  if (peer.dialer != nullptr) peer.dialer->succeeded();
  ++stats_.connects;
  if (std::exchange(peer.was_up, true)) ++stats_.reconnects;
  mark_dirty(peer);  // At least our Confirm; and what is queued.
  if (meeting == Link::Meeting::forgotten) {
    ++stats_.forgotten;
    if (handlers_.on_forgotten) handlers_.on_forgotten(peer.id);
  }
  if (handlers_.on_up && !is_stopped_) handlers_.on_up(peer.id);
}

void Mesh::Impl::refuse(Guests::iterator guest, Drop why, const std::string& what) {
  const auto who = guest->dialled ? guest->dialled : guest->certified;
  count(why, who, guest->connection->remote(), what);
  if (is_worth_a_word(why)) say_bye(guest->connection, why, what);
  const std::optional<Seat> target = guest->dialled;
  if (!is_worth_a_word(why)) guest->connection->close();
  guests_.erase(guest);
  retry(target);
}

void Mesh::Impl::remove(Guests::iterator guest) {
  const std::optional<Seat> target = guest->dialled;
  guest->connection->close();
  guests_.erase(guest);
  retry(target);
}

void Mesh::Impl::retry(std::optional<Seat> dialled) {
  if (dialled && !is_stopped_) peers_[number(*dialled)].dialer->dial_later();
}

}  // namespace hapax::net
