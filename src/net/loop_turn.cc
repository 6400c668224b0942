#include "net/loop_turn.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace hapax::net {

boost::asio::execution_context::id LoopTurn::id;

LoopTurn::LoopTurn(boost::asio::execution_context& loop)
    : service(loop), loop_(static_cast<boost::asio::io_context&>(loop)) {}

void LoopTurn::tell_at_end(std::shared_ptr<Gatherer> who) {
  waiting_.push_back(std::move(who));
  if (begun_ > 0 || waiting_.size() > 1) return;
  boost::asio::post(loop_, [this] { const Guard turn{loop_}; });
}

// What they do may make others gather.
void LoopTurn::tell_all() {
  while (!waiting_.empty()) {
    told_.swap(waiting_);
    for (const auto& who : told_) who->on_end_of_turn();
    told_.clear();
  }
}

}  // namespace hapax::net
