// The requests of one program at a server: each takes a place in the line of its name, waits for
// the one before it and no other, and is let in when there is none. Whatever answer is lost, it
// asks again; whatever session is over, it begins anew with the next, and never waits with one that
// is not there any more.
//
// On the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

#include "direct/keeper.h"
#include "direct/server.h"
#include "handles/gateway.h"
#include "handles/held_grants.h"
#include "loop/loop.h"

namespace hapax::direct {

// Once: the error, why, and what was granted if there is none.
using Answer =
    std::function<void(std::error_code error, const std::string& why, const detail::Holding&)>;

class Line final : private SessionUser {
 public:
  Line(Loop& io, Server& server, std::chrono::milliseconds ttl);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Calls when there is a session, or why there can be none.
  void start(std::function<void(const std::string& refusal)> then);
  // `request` is never used again. REQUIRES: started.
  void ask(std::uint64_t request, Contender contender, Answer answer);
  // Nobody wants it any more: answered at once, unless an answer is due that is about to say
  // whether somebody else has it.
  void cancel(std::uint64_t request) { give_up(request, true); }
  void time_is_over(std::uint64_t request) { give_up(request, false); }
  void give_back(std::uint64_t request);
  // Gives everything back, and calls then.
  void close(std::function<void()> then) { keeper_.close(std::move(then)); }

  // Any thread.
  const Keeper& keeper() const { return keeper_; }
  std::stop_token lost() const { return held_.lost(); }

 private:
  struct Request;

  void on_open() override;
  void on_renewed() override;
  void on_doubt() override;
  void on_over() override;
  void on_refused(const std::string& why) override;

  void begin(Request& r);
  void join(Request& r);
  void rejoin(Request& leaving, Request& r);
  Request* one_about_to_leave(const Request& r);
  void look(Request& r);
  void look_on(Request& r);  // What is known by now will do.
  void look(Request& r, bool afresh);
  void leave(Request& r);
  void on_standing(Request& r, const Outcome<Standing>& outcome, void (Line::*again)(Request&));
  void stand(Request& r);
  void let_in(Request& r);
  void give_up(std::uint64_t request, bool is_cancelled);
  void say_why_not(Request& r);
  void forget(Request& r);
  // Whether the one before it is one of ours that is about to leave.
  bool follows_one_that_leaves(const Request& r) const;
  void on_left(Request& r, bool is_sure);
  void has_left(const std::string& name, Fence fence, bool was_first);
  std::uint64_t number_for(const std::string& name);
  void free_number_of(const Request& r);
  void begin_those_that_rest();
  // On the same request, if it has not gone on since.
  void after_a_pause(Request& r, void (Line::*step)(Request&));
  template <class F>
  auto for_this_step(Request& r, F f);

  Loop& io_;
  Server& server_;
  Keeper keeper_;
  std::function<void(const std::string&)> started_;
  client::HeldGrants held_;
  std::uint64_t numbers_ = 0;  // Of contenders.
  // Those that may be used again in the line of that name, with the present session.
  std::map<std::string, std::vector<std::uint64_t>> free_numbers_;
  std::map<std::uint64_t, std::unique_ptr<Request>> requests_;
};

}  // namespace hapax::direct
