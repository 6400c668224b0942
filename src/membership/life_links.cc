#include "membership/life_links.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "base/release.h"

namespace hapax {
namespace {

constexpr std::size_t kMostUnacknowledged = std::size_t{256} << 20;  // Bytes for one life.

}  // namespace

LifeLinks::LifeLinks(Loop& io, const GroupOptions& options, Handlers handlers)
    : io_(io), options_(options), handlers_(std::move(handlers)) {}

Result<void> LifeLinks::open(Seat own, Life life) {
  own_ = own;
  unsent_.clear();
  held_.clear();
  net::MeshOptions options = options_.mesh();
  options.self = own_;
  options.incarnation = number(life);
  options.release = release();
  // It speaks of whom it refuses or does not reach.
  options.log = [this](const std::string& line) { handlers_.log(line, LogLevel::warning); };
  options.called = handlers_.called;
  // A report may name every lock that a member can hold, and what it waits for is asked for at once
  // after it.
  options.limits.resend_bytes = kMostUnacknowledged;
  options.limits.resend_messages = std::size_t{1} << 20;
  auto mesh = net::Mesh::create(io_, std::move(options), handlers());
  HAPAX_CHECK(mesh.has_value());  // GroupOptions::check() has tried.
  mesh_ = std::move(*mesh);
  // The address may be taken, by our former life for a moment or by somebody else.
  const auto started = mesh_->start();
  if (!started) mesh_.reset();
  return started;
}

net::MeshHandlers LifeLinks::handlers() {
  net::MeshHandlers handlers;
  handlers.on_message = [this](Seat seat, std::span<const std::uint8_t> message) {
    handlers_.on_message(seat, life_at(seat), message);
  };
  handlers.on_up = [this](Seat seat) { on_up(seat); };
  handlers.on_down = [this](Seat seat, std::string_view why) {
    handlers_.log(fmt::format("{} is away: {}", handlers_.called(seat), why), LogLevel::warning);
    held_.erase(seat);
    handlers_.on_down(seat);
  };
  return handlers;
}

void LifeLinks::close() {
  if (!mesh_) return;
  mesh_->stop();
  last_mesh_ = std::move(mesh_);
  held_.clear();
}

void LifeLinks::stop() {
  if (mesh_) mesh_->stop();
}

// --- who is where ---

void LifeLinks::learn(const Directory& directory) {
  seats_.clear();
  for (const Enlisted& e : directory.lives) seats_[e.life] = Seat{e.seat};
}

void LifeLinks::meet(const Directory& directory) {
  std::map<std::uint32_t, const Enlisted*> newest;
  for (const Enlisted& e : directory.lives) newest[e.seat] = &e;  // Lives are in order.
  for (const auto& [seat, e] : newest) {
    if (Seat{seat} == own_) continue;
    const auto address = net::parse_address(e->address);
    const auto set =
        address ? mesh_->set_address(Seat{seat}, *address) : Result<void>{address.error()};
    if (!set && undialled_.insert(e->address).second) {
      handlers_.log(
          fmt::format("cannot dial {}, life {}: {}", e->name, e->life, set.error().message),
          LogLevel::warning);
    }
  }
}

std::optional<Seat> LifeLinks::seat_of(Life life) const {
  const auto at = seats_.find(life);
  if (at == seats_.end()) return std::nullopt;
  return at->second;
}

bool LifeLinks::is_up(Life life) const {
  const auto seat = seat_of(life);
  return seat && is_up(*seat) && life_at(*seat) == life;
}

bool LifeLinks::is_up(Seat seat) const {
  return mesh_ != nullptr && number(seat) < kSeats && seat != own_ && mesh_->is_up(seat);
}

bool LifeLinks::all_speak(std::uint32_t version, const std::vector<Life>& lives) const {
  return mesh_ != nullptr && std::all_of(lives.begin(), lives.end(), [&](Life life) {
           if (number(life) == mesh_->incarnation()) return true;
           const auto seat = seat_of(life);
           return seat && life_at(*seat) == life && mesh_->version_of(*seat) >= version;
         });
}

std::string LifeLinks::release_of(Life life) const {
  if (mesh_ != nullptr && number(life) == mesh_->incarnation()) return std::string{release()};
  const auto seat = seat_of(life);
  return seat && mesh_ != nullptr && life_at(*seat) == life ? release_of(*seat) : "";
}

std::string LifeLinks::release_of(Seat seat) const {
  if (mesh_ == nullptr || mesh_->version_of(seat) == 0) return {};
  const std::string& said = mesh_->release_of(seat);
  return said.empty() ? "older" : said;
}

void LifeLinks::on_up(Seat seat) {
  const Life life = life_at(seat);
  const std::string runs = release_of(seat);
  const bool is_ours = runs == release();
  handlers_.log(fmt::format("{} is here, as life {}{}{}", handlers_.called(seat), life,
                            is_ours ? "" : "; this member runs release ",
                            is_ours ? "" : fmt::format("{}, that one {}", release(), runs)),
                LogLevel::info);
  if (const auto unsent = unsent_.extract(life)) {
    for (const Bytes& frame : unsent.mapped().frames) {
      if (!send(life, frame)) break;
    }
  }
  handlers_.on_up(seat, life);
}

// --- what is sent ---

bool LifeLinks::send(Life to, std::span<const std::uint8_t> frame) {
  const auto seat = seat_of(to);
  if (!seat || mesh_ == nullptr) return true;  // Given up on: nobody listens.
  // A mesh queues for the process that it knows at a seat. For one it has yet to meet, we do.
  if (life_at(*seat) == to) {
    if (mesh_->send(*seat, frame)) return true;
  } else if (Unsent& unsent = unsent_[to]; unsent.bytes + frame.size() <= kMostUnacknowledged) {
    unsent.frames.emplace_back(frame.begin(), frame.end());
    unsent.bytes += frame.size();
    return true;
  }
  handlers_.on_broken();
  return false;
}

void LifeLinks::tell(Seat seat, std::span<const std::uint8_t> message) {
  // What does not fit is lost: only people's questions are told here.
  if (is_up(seat)) (void)mesh_->send(seat, message);
}

void LifeLinks::hold(Seat seat) {
  if (held_.insert(seat).second) mesh_->hold(seat, true);
}

void LifeLinks::let_go(const std::function<bool(Life)>& is_to_be_held) {
  std::erase_if(held_, [&](Seat seat) {
    if (is_to_be_held(life_at(seat))) return false;
    mesh_->hold(seat, false);
    return true;
  });
}

}  // namespace hapax
