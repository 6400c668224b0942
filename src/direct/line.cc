#include "direct/line.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hapax/error.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::direct {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPause{50};  // Before something is asked again.
// How long one whose time is over waits for an answer that is due.
constexpr milliseconds kLastWord{2'000};
constexpr std::size_t kMostFreeNumbers = 1'000;  // Of names that are remembered for that.

}  // namespace

struct Line::Request {
  enum class Step {
    resting,    // There is no session.
    joining,    // Its place is asked for.
    looking,    // Who is before it is asked.
    waiting,    // Somebody is.
    following,  // One of ours is, which has been asked to leave.
    first,      // Nobody is, but the session is in doubt.
    held,
    lost,   // Was held; nobody has given it back yet.
    going,  // Is to leave in this turn of the loop, perhaps together with one that comes.
    leaving
  };
  Request(Loop& io, std::uint64_t i, Contender c, Answer a)
      : id(i), contender(std::move(c)), answer(std::move(a)), timer(io), last_word(io) {}

  void tell(std::error_code error, const std::string& why, const detail::Holding& holding = {}) {
    last_word.cancel();
    if (const Answer told = std::exchange(answer, nullptr)) told(error, why, holding);
  }

  const std::uint64_t id;
  Contender contender;
  Answer answer;  // Empty: answered.
  Step step = Step::resting;
  std::uint64_t count = 0;  // Of steps: what was begun in an earlier one comes too late.
  Session session;
  Standing standing;
  bool is_sure = true;     // No join of this session was left without an answer.
  bool was_first = false;  // It was let in: so nobody was before it, and nobody will be.
  Fence left{};            // The last one of ours that was first and has left since this one began.
  bool is_wanted = true;
  bool is_late = false;  // Its time is over, and an answer was due.
  std::string trouble;   // The last, for people.
  std::unique_ptr<Watch> watch;
  Timer timer;
  Timer last_word;
};

Line::Line(Loop& io, Server& server, milliseconds ttl)
    : io_(io), server_(server), keeper_(io, server, ttl, *this) {}

Line::~Line() = default;

void Line::start(std::function<void(const std::string&)> then) {
  started_ = std::move(then);
  keeper_.start();
}

template <class F>
auto Line::for_this_step(Request& r, F f) {
  return [this, id = r.id, count = r.count, f = std::move(f)](auto&&... answer) {
    const auto at = requests_.find(id);
    if (at != requests_.end() && at->second->count == count) {
      f(*at->second, std::forward<decltype(answer)>(answer)...);
    }
  };
}

void Line::after_a_pause(Request& r, void (Line::*step)(Request&)) {
  r.timer.expires_after(kPause);
  r.timer.async_wait(for_this_step(r, [this, step](Request& same, boost::system::error_code no) {
    if (!no) (this->*step)(same);
  }));
}

void Line::ask(std::uint64_t request, Contender contender, Answer answer) {
  contender.want = server_.meant_by(contender.name, contender.want);
  auto made = std::make_unique<Request>(io_, request, std::move(contender), std::move(answer));
  Request& r = *made;
  requests_.emplace(request, std::move(made));
  begin(r);
}

// --- getting in ---

void Line::begin(Request& r) {
  ++r.count;
  r.watch.reset();
  r.standing = {};
  r.left = {};
  r.was_first = false;
  r.is_sure = true;
  r.step = Request::Step::resting;
  if (!keeper_.is_open()) return;
  r.session = keeper_.session();
  r.contender.number = number_for(r.contender.name);
  Request* const going = one_about_to_leave(r);
  going == nullptr ? join(r) : rejoin(*going, r);
}

// Another place than any that may still be asked for: what was begun before may come late.
std::uint64_t Line::number_for(const std::string& name) {
  const auto at = free_numbers_.find(name);
  if (at == free_numbers_.end()) return ++numbers_;
  const std::uint64_t number = at->second.back();
  at->second.pop_back();
  if (at->second.empty()) free_numbers_.erase(at);
  return number;
}

void Line::free_number_of(const Request& r) {
  const bool is_known = r.is_sure && keeper_.is_open() && keeper_.session().id == r.session.id;
  if (is_known && server_.reuses_numbers() && free_numbers_.size() < kMostFreeNumbers) {
    free_numbers_[r.contender.name].push_back(r.contender.number);
  }
}

void Line::join(Request& r) {
  ++r.count;
  r.step = Request::Step::joining;
  server_.join(r.session, r.contender,
               for_this_step(r, [this](Request& same, const Outcome<Standing>& outcome) {
                 if (!outcome) same.is_sure = false;
                 on_standing(same, outcome, &Line::join);
               }));
}

Line::Request* Line::one_about_to_leave(const Request& r) {
  for (const auto& [id, other] : requests_) {
    if (other->step == Request::Step::going && other->contender.name == r.contender.name &&
        other->contender.want == r.contender.want && other->session.id == r.session.id) {
      return other.get();
    }
  }
  return nullptr;
}

// Whoever releases a lock and asks for it again asks once. If that fails, each is on its own.
void Line::rejoin(Request& leaving, Request& r) {
  ++leaving.count;
  leaving.step = Request::Step::leaving;
  ++r.count;
  r.step = Request::Step::joining;
  auto left = for_this_step(leaving, [this](Request& same, bool is_left) {
    is_left ? on_left(same, true) : leave(same);
  });
  auto joined = for_this_step(r, [this](Request& same, const Outcome<Standing>& outcome) {
    if (outcome && outcome->is_gone) return join(same);
    if (!outcome) same.is_sure = false;
    on_standing(same, outcome, &Line::join);
  });
  server_.rejoin(r.session, leaving.contender, leaving.standing, r.contender,
                 [left, joined](const Outcome<Standing>& outcome) {
                   left(outcome && !outcome->is_gone);
                   joined(outcome);
                 });
}

void Line::look(Request& r) { look(r, true); }
void Line::look_on(Request& r) { look(r, false); }

void Line::look(Request& r, bool afresh) {
  ++r.count;
  if (r.step != Request::Step::held) r.step = Request::Step::looking;
  server_.look(r.contender, r.standing, afresh,
               for_this_step(r, [this](Request& same, const Outcome<Standing>& outcome) {
                 on_standing(same, outcome, &Line::look);
               }));
}

void Line::on_standing(Request& r, const Outcome<Standing>& outcome,
                       void (Line::*again)(Request&)) {
  const bool is_held = r.step == Request::Step::held;
  if (outcome) {
    if (outcome->is_gone && is_held) {  // Somebody has deleted it.
      r.step = Request::Step::lost;
      held_.lose(r.id);
      return;
    }
    if (outcome->is_gone) return r.is_wanted ? begin(r) : forget(r);
    if (is_held) return;
    r.standing = *outcome;
    r.trouble.clear();
    return stand(r);
  }
  const Trouble trouble = outcome.error();
  r.trouble = trouble.why;
  if (trouble.kind == Trouble::Kind::over) return keeper_.is_over(r.session.id);
  if (is_held) return;  // Looked at again with the next renewal.
  if (trouble.kind == Trouble::Kind::unknown) return after_a_pause(r, again);
  r.tell(Errc::refused, trouble.why);
  forget(r);
}

void Line::stand(Request& r) {
  if (!r.is_wanted) return leave(r);
  const bool is_after_us = r.left != Fence{} && r.standing.before_fence == r.left;
  if (r.standing.before.empty() || is_after_us) return let_in(r);
  if (follows_one_that_leaves(r)) {
    r.step = Request::Step::following;
    return;
  }
  r.step = Request::Step::waiting;
  r.watch = server_.await_change(r.contender, r.standing,
                                 for_this_step(r, [this](Request& same, std::uint64_t seen) {
                                   same.standing.seen = seen;
                                   look_on(same);
                                 }));
  if (r.is_late) say_why_not(r);
}

void Line::let_in(Request& r) {
  r.watch.reset();
  r.was_first = true;
  if (keeper_.valid_for() <= milliseconds{0}) {
    r.step = Request::Step::first;  // Until it is renewed, or over.
    return;
  }
  r.step = Request::Step::held;
  r.tell({}, "", {r.id, r.standing.fence, held_.add(r.id)});
}

// --- getting out ---

void Line::give_up(std::uint64_t request, bool is_cancelled) {
  const auto at = requests_.find(request);
  if (at == requests_.end() || !at->second->answer) return;
  Request& r = *at->second;
  const bool is_due = r.step == Request::Step::joining || r.step == Request::Step::looking ||
                      r.step == Request::Step::following;
  if (is_cancelled) {
    r.trouble.clear();
    r.tell(Errc::cancelled, "");
  } else if (is_due && r.trouble.empty()) {
    r.is_late = true;
    r.last_word.expires_after(kLastWord);
    r.last_word.async_wait([this, request](auto cancelled) {
      const auto late = requests_.find(request);
      if (!cancelled && late != requests_.end()) say_why_not(*late->second);
    });
    return;
  }
  say_why_not(r);
}

// Answers, unless it is answered, and leaves.
void Line::say_why_not(Request& r) {
  const bool is_behind_somebody = r.step == Request::Step::waiting;
  const std::string trouble = server_.trouble();
  r.is_wanted = false;
  const Request::Step step = r.step;
  if (is_behind_somebody) {
    r.tell(Errc::timed_out, "");
  } else {
    r.tell(Errc::unavailable, trouble.empty() ? "there was no answer in time" : trouble);
  }
  if (step == Request::Step::resting) return forget(r);
  // One that joins leaves as soon as it is known where it stands.
  if (step != Request::Step::joining) leave(r);
}

void Line::give_back(std::uint64_t request) {
  const auto at = requests_.find(request);
  if (at == requests_.end()) return;
  Request& r = *at->second;
  r.is_wanted = false;
  held_.forget(request);
  if (r.session.id == 0) return forget(r);
  if (r.step != Request::Step::held || !r.is_sure || !server_.rejoins()) return leave(r);
  ++r.count;
  r.step = Request::Step::going;
  io_.post(for_this_step(r, [this](Request& same) { leave(same); }));
}

void Line::leave(Request& r) {
  ++r.count;
  r.watch.reset();
  r.step = Request::Step::leaving;
  server_.leave(r.session, r.contender, r.standing, r.is_sure,
                for_this_step(r, [this](Request& same, const Outcome<bool>& left) {
                  if (!left && left.error().kind == Trouble::Kind::unknown) {
                    return after_a_pause(same, &Line::leave);
                  }
                  on_left(same, left && *left);
                }));
}

void Line::on_left(Request& r, bool is_sure) {
  if (is_sure) free_number_of(r);
  const std::string name = r.contender.name;
  const Fence fence = r.standing.fence;
  const bool was_first = is_sure && r.was_first;
  forget(r);
  has_left(name, fence, was_first);
}

void Line::forget(Request& r) { requests_.erase(r.id); }

bool Line::follows_one_that_leaves(const Request& r) const {
  return r.standing.before_fence != Fence{} &&
         std::any_of(requests_.begin(), requests_.end(), [&](const auto& entry) {
           const Request& other = *entry.second;
           const bool leaves =
               other.step == Request::Step::leaving || other.step == Request::Step::going;
           return leaves && other.contender.name == r.contender.name &&
                  other.standing.fence == r.standing.before_fence;
         });
}

// Nobody can come before one that was first: so who stood right behind it is first now, and need
// not ask.
void Line::has_left(const std::string& name, Fence fence, bool was_first) {
  std::vector<Request*> behind;
  for (const auto& [id, r] : requests_) {
    if (r->contender.name != name) continue;
    if (was_first) r->left = fence;
    const bool is_waiting =
        r->step == Request::Step::following || (was_first && r->step == Request::Step::waiting);
    if (is_waiting && r->standing.before_fence == fence) behind.push_back(r.get());
  }
  for (Request* r : behind) {
    ++r->count;
    was_first ? let_in(*r) : look(*r);
  }
}

void Line::begin_those_that_rest() {
  std::vector<Request*> resting;
  for (const auto& [id, r] : requests_) {
    if (r->step == Request::Step::resting) resting.push_back(r.get());
  }
  for (Request* r : resting) begin(*r);
}

// --- the session ---

void Line::on_open() {
  if (const auto started = std::exchange(started_, nullptr)) started("");
  begin_those_that_rest();
}

void Line::on_refused(const std::string& why) {
  if (const auto started = std::exchange(started_, nullptr)) started(why);
}

void Line::on_renewed() {
  for (const auto& [id, r] : requests_) {
    // An engine's leader that is stuck may end a session and go on renewing it (etcd#15247).
    if (r->step == Request::Step::first || r->step == Request::Step::held) look(*r);
  }
}

void Line::on_doubt() {
  for (const auto& [id, r] : requests_) {
    if (r->step != Request::Step::held) continue;
    ++r->count;
    r->step = Request::Step::lost;
  }
  held_.lose_all(false);
}

void Line::on_over() {
  on_doubt();
  free_numbers_.clear();
  std::vector<Request*> here;
  for (const auto& [id, r] : requests_) here.push_back(r.get());
  for (Request* r : here) {
    r->session = {};
    const bool has_ended = !r->is_wanted && r->step != Request::Step::lost;
    if (has_ended) {
      forget(*r);
    } else if (r->step != Request::Step::lost) {
      begin(*r);
    }
  }
}

}  // namespace hapax::direct
