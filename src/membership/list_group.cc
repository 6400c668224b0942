#include "membership/list_group.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "base/boot_clock.h"
#include "loop/loop.h"

namespace hapax {
namespace {

constexpr Span kTryAgain = std::chrono::seconds{1};  // To write what could not be written.

// Of lives at all seats, and one after the other at each.
Life next_life(Life last, Seat seat) {
  constexpr std::uint64_t kMostSeats = 1 << 16;
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(wall).count());
  return Life{std::max(number(last) / kMostSeats + 1, ms) * kMostSeats + number(seat)};
}

}  // namespace

Result<std::unique_ptr<Group>> ListGroup::create(Loop& io, GroupOptions options, MemberHost& host) {
  if (const auto good = options.check(io); !good) return good.error();
  return std::unique_ptr<Group>{new ListGroup{io, std::move(options), host}};
}

ListGroup::ListGroup(Loop& io, GroupOptions options, MemberHost& host)
    : Group(io, std::move(options), host), timer_(io) {}

// --- beginning and end ---

Result<void> ListGroup::start() {
  if (const auto read = read_state(); !read) return read.error();
  const FixedList& list = *options_.list;
  list_.emplace(options_.policy, host_, NodeId{number(list.self)}, state_.life,
                static_cast<std::uint32_t>(list.members.size()), state_.promised);
  if (!waits_until_) return open();
  log(
      fmt::format("taking part in {:.1f} s, when whoever held a lock through this member's last "
                  "run must have noticed that it is over",
                  std::chrono::duration<double>(*waits_until_ - boot_clock_now()).count()));
  wait();
  return {};
}

// What was promised before, and who we are now.
Result<void> ListGroup::read_state() {
  const StatePlan& plan = options_.state;
  auto file = StateFile::open(plan.path);
  if (!file) return file.error();
  file_.emplace(std::move(*file));
  const std::string settings = options_.settings();
  const auto& found = file_->state();
  if (found && found->settings != settings && !plan.is_new_group) {
    return error(
        "this member's group had {}; now it is given {}. If all members of the old group are "
        "stopped, say --new-group; its state is in {}",
        found->settings, settings, file_->path().string());
  }
  state_ = found.value_or(MemberState{});
  if (!found && !plan.is_new_group) {
    state_.promised = epoch_of_today();
    log(
        fmt::format("no state in {}: this is the first run, or the file is gone; epochs go on "
                    "above {} and what the others know",
                    file_->path().string(), state_.promised));
  }
  state_.promised = std::max(state_.promised, plan.epoch_above);
  const bool is_free = found ? found->ended_free : plan.is_new_group;
  if (!is_free) waits_until_ = boot_clock_now() + plan.clients_notice;
  state_.settings = settings;
  state_.life = next_life(state_.life, options_.list->self);
  state_.ended_free = !plan.serves_clients;
  return file_->write(state_);
}

// For the clients of our last life; or for an address that is taken.
void ListGroup::wait() {
  const Span left = waits_until_ ? *waits_until_ - boot_clock_now() : kTryAgain;
  timer_.expires_after(std::max(left, Span{0}));
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled || is_stopped_) return;
    if (const auto opened = open(); !opened) {
      host_.log_once(opened.error().message);
      wait();
    }
  });
}

Result<void> ListGroup::open() {
  waits_until_.reset();
  if (const auto opened = links_.open(options_.list->self, state_.life); !opened) {
    return opened.error();
  }
  list_->take_part(orders_);
  tend();
  return {};
}

void ListGroup::stop() {
  timer_.cancel();
  Group::stop();
}

void ListGroup::leave(Span) {
  is_leaving_ = true;
  list_->leave(orders_);
  tend();
}

// --- what happens ---

void ListGroup::on_up(Seat seat, Life life) {
  note_met(seat, life);
  list_->met(place_of(seat), life, orders_);
  tend();
}

void ListGroup::on_down(Seat seat) {
  list_->parted(place_of(seat));
  host_.on_away(seat);
  tend();
}

// Whatever is sent from here on counts on it.
void ListGroup::prepare(const Orders& orders) {
  if (orders.promise) promise(*orders.promise);
  const Roll& roll = views().keeper().roll();
  for (std::uint32_t i = 0; i < roll.members.size(); ++i) {
    if (Seat{i} != seat()) links_.expect(roll.members[i], Seat{i});
  }
}

void ListGroup::promise(Epoch epoch) {
  if (epoch <= state_.promised) return list_->promised(epoch, orders_);
  MemberState next = state_;
  next.promised = epoch;
  if (const auto written = file_->write(next); !written) {
    host_.log_once(
        fmt::format("no view begins until this can be written: {}", written.error().message));
    timer_.expires_after(kTryAgain);
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
      const auto& wanted = list_->list().wanted();
      if (cancelled || is_stopped_ || !wanted) return;
      promise(wanted->epoch);
      tend();
    });
    return;
  }
  state_ = next;
  list_->promised(epoch, orders_);
}

void ListGroup::conclude(const Orders& orders) {
  if (!orders.ended) return;
  // Unless we still waited for the clients of the life before us.
  if (!waits_until_) state_.ended_free = true;
  if (const auto written = file_->write(state_); !written) host_.log_once(written.error().message);
  // Not from within whatever has told us to leave.
  io_.post([this, weak = std::weak_ptr{alive_}] {
    if (!weak.expired() && !is_stopped_) host_.on_left();
  });
}

// --- for people ---

std::vector<Seat> ListGroup::others() const {
  std::vector<Seat> others;
  for (std::uint32_t i = 0; i < options_.list->members.size(); ++i) {
    if (Seat{i} != seat()) others.push_back(Seat{i});
  }
  return others;
}

std::string ListGroup::standing() const {
  if (waits_until_) {
    const auto left = std::max(*waits_until_ - boot_clock_now(), Span{0});
    return fmt::format("takes part in {:.1f} s, when clients of its last run have noticed its end",
                       std::chrono::duration<double>(left).count());
  }
  const std::string members = missing();
  if (views().keeper().standing() != Standing::running) {
    return members.empty() ? "about to begin" : "no view before it hears from member " + members;
  }
  return members.empty() ? "running" : "running; locks that need it wait for member " + members;
}

std::string ListGroup::obstacle() const {
  if (waits_until_) return "this member " + standing();
  if (views().keeper().standing() == Standing::running) return "";
  const std::string members = missing();
  if (members.empty()) return "a view is about to begin";
  std::string text = "no view begins before this member hears from member " + members;
  for (const Seat seat : others()) {
    if (const std::string trouble = links_.trouble_with(seat); !trouble.empty())
      text += "; " + trouble;
  }
  return text;
}

std::vector<AwayMember> ListGroup::away() const {
  std::vector<AwayMember> away;
  for (const Seat seat : others()) {
    if (!is_up(seat)) {
      away.push_back({seat, fmt::format("member {}", number(seat) + 1), std::nullopt});
    }
  }
  return away;
}

std::string ListGroup::name_for(Life life) const {
  return fmt::format("member {}", number(*views().keeper().roll().place_of(life)) + 1);
}

// Whom we wait for, as people count them: who has not reported, or is not connected.
std::string ListGroup::missing() const {
  const Keeper& keeper = views().keeper();
  std::string members;
  for (const Seat seat : others()) {
    const bool is_here = keeper.standing() == Standing::changing
                             ? keeper.has_reported(keeper.roll().members[number(seat)])
                             : is_up(seat);
    if (!is_here) members += fmt::format("{}{}", members.empty() ? "" : ", ", number(seat) + 1);
  }
  return members;
}

}  // namespace hapax
