#include "mutex/suzuki_kasami.h"

#include <algorithm>

#include "base/check.h"
#include "base/id_set.h"
#include "base/match.h"

namespace hapax {

namespace {

using Numbers = SuzukiKasami::Numbers;

constexpr auto kByMember = [](const auto& entry, NodeId node) { return entry.first < node; };

std::uint64_t number_of(NodeId node, const Numbers& numbers) {
  const auto at = std::lower_bound(numbers.begin(), numbers.end(), node, kByMember);
  return at != numbers.end() && at->first == node ? at->second : 0;
}

// REQUIRES: number > 0.
void set_number(NodeId node, std::uint64_t number, Numbers& numbers) {
  const auto at = std::lower_bound(numbers.begin(), numbers.end(), node, kByMember);
  if (at != numbers.end() && at->first == node) {
    at->second = number;
  } else {
    numbers.insert(at, {node, number});
  }
}

}  // namespace

SuzukiKasami::SuzukiKasami(const View& view)
    : self_{view.self},
      size_{view.size},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {
  if (view.self == view.holder) token_.fill(Privilege{});
}

void SuzukiKasami::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  phase_ = Phase::waiting;
  if (token_) {
    enter(fx);
    return;
  }
  const std::uint64_t number = number_of(self_, asked_) + 1;
  set_number(self_, number, asked_);
  fx.because("{} asks everybody for the token, request {}", self_.value, number);
  fx.send_to_others(Request{number});
}

void SuzukiKasami::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  queue_new_requests(fx);
  if (token_->queue.empty()) {
    fx.because("{} leaves and keeps the token: nobody wants it", self_.value);
  } else {
    const NodeId first = token_->queue.pop();
    fx.because("{} leaves and sends the token to {}: it is first in the queue", self_.value, first);
    pass(first, fx);
  }
}

void SuzukiKasami::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request& m) { on_request(from, m.number, fx); },
      [&](const Token& m) { on_token(m.privilege, fx); });
}

void SuzukiKasami::on_request(NodeId from, std::uint64_t number, Effects<Message>& fx) {
  if (number <= number_of(from, asked_)) {
    fx.because("{} ignores request {} of {}: it is outdated", self_.value, number, from);
    return;
  }
  // A member asks again only after its last request was served, and then the token knows of it.
  if (token_ && number > number_of(from, token_->served) + 1) {
    fx.because("{} refuses request {} of {}: the one before was not served", self_.value, number,
               from);
    fx.reject(Reject::not_granted);
    return;
  }
  set_number(from, number, asked_);
  if (!token_) {
    fx.because("{} notes request {} of {}: it has no token", self_.value, number, from);
  } else if (phase_ == Phase::inside) {
    fx.because("{} notes request {} of {}: it is inside", self_.value, number, from);
  } else if (number == number_of(from, token_->served) + 1) {
    fx.because("{} sends the token to {}: it has it and does not need it", self_.value, from);
    pass(from, fx);
  } else {
    fx.because("{} ignores request {} of {}: it has been served", self_.value, number, from);
  }
}

void SuzukiKasami::on_token(const Box<Privilege>& token, Effects<Message>& fx) {
  if (token_) {
    fx.because("{} refuses a token: it has one", self_.value);
    fx.reject(Reject::second_token);
  } else if (phase_ != Phase::waiting) {
    fx.because("{} refuses a token: it asks for nothing now", self_.value);
    fx.reject(Reject::not_asked);
  } else if (!token || !is_sound(*token)) {
    fx.because("{} refuses a token: no member could have written it", self_.value);
    fx.reject(Reject::second_token);
  } else {
    token_ = token;
    enter(fx);
  }
}

// Marks our own request served, and queues those that have asked since, in id order.
void SuzukiKasami::queue_new_requests(Effects<Message>& fx) {
  if (const std::uint64_t own = number_of(self_, asked_); own > 0) {
    set_number(self_, own, token_->served);
  }
  NodeSet queued;
  for (const NodeId node : token_->queue) queued.insert(node);
  auto served = token_->served.begin();
  for (const auto& [node, number] : asked_) {
    served = std::lower_bound(served, token_->served.end(), node, kByMember);
    const bool listed = served != token_->served.end() && served->first == node;
    if (number != (listed ? served->second : 0) + 1 || queued.contains(node)) continue;
    fx.because("{} queues {}: its request {} is not served yet", self_.value, node, number);
    fx.defer(node);
    token_->queue.push(node);
  }
}

// Bytes from the network may claim anything; what we rely on is checked first.
bool SuzukiKasami::is_sound(const Privilege& token) const {
  const auto is_member = [&](NodeId node) { return hapax::number(node) < size_; };
  const auto is_other = [&](NodeId node) { return is_member(node) && node != self_; };
  if (!std::all_of(token.queue.begin(), token.queue.end(), is_other)) return false;
  const auto in_order = [](const auto& a, const auto& b) { return a.first >= b.first; };
  const auto& served = token.served;
  return std::adjacent_find(served.begin(), served.end(), in_order) == served.end() &&
         std::all_of(served.begin(), served.end(),
                     [&](const auto& e) { return is_member(e.first) && e.second > 0; }) &&
         number_of(self_, served) + 1 == number_of(self_, asked_);
}

void SuzukiKasami::enter(Effects<Message>& fx) {
  phase_ = Phase::inside;
  token_->turn = next(token_->turn);
  fx.because("{} enters: it has the token", self_.value);
  fx.enter(token_->turn);
}

void SuzukiKasami::pass(NodeId to, Effects<Message>& fx) {
  fx.send(to, Token{std::move(token_)});
  token_.reset();
}

// --- what it costs ---

Theory SuzukiKasami::theory(const TheoryInput& in) {
  return {.messages = {static_cast<double>(in.n), "N"},
          .client_delay = {2, "2T"},
          .sync_delay = {1, "T"},
          .sync_delay_high = {1, "T"},
          .draw = Draw::not_last};
}

}  // namespace hapax
