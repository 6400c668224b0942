// A turn of an event loop: what one event brings about. All that it makes us say to somebody leaves
// in one write, at its end, without another round of the loop. One for each io_context; all on its
// thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

namespace hapax::net {

class LoopTurn final : public boost::asio::execution_context::service {
 public:
  // One who gathers what is to leave.
  class Gatherer {
   public:
    virtual ~Gatherer() = default;
    virtual void on_end_of_turn() = 0;
  };

  // During its life a turn is under way. They may be nested: the outermost one counts.
  class Guard {
   public:
    explicit Guard(boost::asio::execution_context& loop) : turn_(of(loop)) { ++turn_.begun_; }
    ~Guard() {
      if (turn_.begun_ == 1) turn_.tell_all();
      --turn_.begun_;
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    LoopTurn& turn_;
  };

  static LoopTurn& of(boost::asio::execution_context& loop) {
    return boost::asio::use_service<LoopTurn>(loop);
  }
  explicit LoopTurn(boost::asio::execution_context& loop);

  // It is told once, at the end of this turn; if none is under way, a moment later.
  void tell_at_end(std::shared_ptr<Gatherer> who);

  static boost::asio::execution_context::id id;

 private:
  void shutdown() override { waiting_.clear(); }
  void tell_all();

  boost::asio::io_context& loop_;
  int begun_ = 0;  // And not ended.
  std::vector<std::shared_ptr<Gatherer>> waiting_;
  std::vector<std::shared_ptr<Gatherer>> told_;
};

}  // namespace hapax::net
