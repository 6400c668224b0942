#include "mutex/raymond.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "voting/tree.h"

namespace hapax {
namespace {

// Mean number of hops between two nodes of the heap-shaped tree, drawn independently. An edge lies
// between them just when one is in the subtree below it and the other is not.
double mean_tree_distance(std::uint32_t n) {
  std::vector<double> below(n, 1);
  double sum = 0;
  for (std::uint32_t i = n; i-- > 1;) {
    below[(i - 1) / 2] += below[i];
    sum += 2 * below[i] * (n - below[i]);
  }
  return sum / n / n;
}

}  // namespace

Raymond::Raymond(const View& view)
    : self_{view.self},
      token_at_(view.self == view.holder ? view.self
                                         : HeapTree::neighbour_towards(view.self, view.holder)),
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {}

void Raymond::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  phase_ = Phase::waiting;
  queue_.push_back(self_);
  serve_queue(fx);
}

void Raymond::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  serve_queue(fx);
}

void Raymond::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request&) { on_request(from, fx); },
      [&](const Token& m) { on_token(from, m.turn, fx); });
}

void Raymond::on_request(NodeId from, Effects<Message>& fx) {
  if (!HeapTree::are_neighbours(self_, from)) {
    fx.because("{} refuses a request of {}: it is no neighbour in the tree", self_.value, from);
    fx.reject(Reject::not_a_member);
  } else if (from == token_at_) {
    fx.because("{} refuses a request of {}: the token lies on that side", self_.value, from);
    fx.reject(Reject::not_a_member);
  } else if (std::find(queue_.begin(), queue_.end(), from) != queue_.end()) {
    fx.because("{} refuses a request of {}: it has asked already", self_.value, from);
    fx.reject(Reject::asked_twice);
  } else {
    queue_.push_back(from);
    fx.because("{} queues {} in place {}", self_.value, from, queue_.size());
    fx.defer(from);
    serve_queue(fx);
  }
}

void Raymond::on_token(NodeId from, Turn turn, Effects<Message>& fx) {
  if (has_token()) {
    fx.because("{} refuses a token of {}: it has one", self_.value, from);
    fx.reject(Reject::second_token);
  } else if (from != token_at_) {
    fx.because("{} refuses a token of {}: it lies behind {}", self_.value, from, token_at_);
    fx.reject(Reject::second_token);
  } else if (!asked_) {
    fx.because("{} refuses a token of {}: it has not asked for it", self_.value, from);
    fx.reject(Reject::not_asked);
  } else {
    token_at_ = self_;
    asked_ = false;
    turn_ = turn;
    serve_queue(fx);
  }
}

void Raymond::serve_queue(Effects<Message>& fx) {
  assign_token(fx);
  ask_for_token(fx);
}

// Raymond's ASSIGN_PRIVILEGE.
void Raymond::assign_token(Effects<Message>& fx) {
  if (!has_token() || phase_ == Phase::inside || queue_.empty()) return;
  const NodeId first = queue_.front();
  queue_.erase(queue_.begin());  // At most four: three neighbours and self.
  if (first == self_) {
    phase_ = Phase::inside;
    turn_ = next(turn_);
    fx.because("{} enters: it has the token and is first in its queue", self_.value);
    fx.enter(turn_);
  } else {
    fx.because("{} sends the token to {}: it is first in its queue", self_.value, first);
    fx.send(first, Token{turn_});
    token_at_ = first;
    turn_ = Turn{};
  }
}

// Raymond's MAKE_REQUEST: one request to the neighbour stands for the whole queue.
void Raymond::ask_for_token(Effects<Message>& fx) {
  if (has_token() || queue_.empty()) return;
  if (asked_) {
    fx.because("{} has asked {} already", self_.value, token_at_);
    return;
  }
  asked_ = true;
  fx.because("{} asks {}: the token lies behind it, and {} is first in the queue", self_.value,
             token_at_, queue_.front());
  fx.send(token_at_, Request{});
}

// --- what it costs ---

// Under high load the token walks round the tree, every edge once in each direction for n entries.
Theory Raymond::theory(const TheoryInput& in) {
  const double d = mean_tree_distance(in.n);
  const double n = in.n;
  return {.messages = {2 * d, "2d", false},
          .client_delay = {2 * d, "2dT", false},
          .sync_delay = {d * n / (n - 1), "dT", false},
          .sync_delay_high = {2 * (n - 1) / n, "2T(N-1)/N", false}};
}

}  // namespace hapax
