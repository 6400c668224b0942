// What a server with sessions must offer for locks in its community's own layout: a session that
// ends by itself unless it is renewed, and lines of contenders, one for each name. A contender's
// place in a line goes with its session; the first of a line has the lock.
//
// Threads: all calls and callbacks on one loop's thread, and no callback from inside its call. Each
// call is answered once, in bounded time; but not after the server is gone.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/want.h"
#include "hapax/client.h"
#include "hapax/election.h"
#include "hapax/fence.h"

namespace hapax::direct {

// Why there is no answer.
struct Trouble {
  enum class Kind {
    unknown,  // It may have been done, and may still be: every call may be made again.
    over,     // The session is, and with it every place in a line.
    refused   // It will never be done.
  };
  Kind kind = Kind::unknown;
  std::string why;  // For people.
};

template <class T>
using Outcome = boost::system::result<T, Trouble>;
template <class T>
using Then = std::function<void(Outcome<T>)>;

// Taking the value of what failed is our own mistake.
[[noreturn]] inline void throw_exception_from_error(const Trouble& t,
                                                    const boost::source_location&) {
  throw std::logic_error(t.why);
}

struct Session {
  std::uint64_t id = 0;
  std::chrono::milliseconds ttl{};  // Counted from before it was asked for.
};

// Who wants to stand in which line. Of one session no two have the same number.
struct Contender {
  std::string name;
  Want want = Want::exclusive;
  std::string value{};  // For others to see.
  bool leads = false;   // To lead, as the server's community has it: a candidate, too.
  std::uint64_t number = 0;
};

struct Standing {
  std::string place{};  // Where; as the server names it.
  Fence fence{};        // Of who stands there, when it is let in.
  bool is_gone = false;
  // Whom to wait for: nobody, if empty. As of `seen`, which only the server understands.
  std::string before{};
  std::uint64_t seen = 0;
  Fence before_fence{};  // Of the one before, if the server says it.
};

// Goes on until it is destroyed.
class Watch {
 public:
  virtual ~Watch() = default;
};

class Server {
 public:
  virtual ~Server() = default;

  // How it is, in a sentence; empty: it answers.
  virtual std::string trouble() const = 0;

  // Whether a number is to be used again in a line, once its place has surely been left: where
  // every name that ever was makes looking slower.
  virtual bool reuses_numbers() const { return false; }

  // What `any` is there: whoever asks for that does not know.
  virtual Want meant_by(const std::string& /*name*/, Want want) const {
    return want == Want::any ? Want::exclusive : want;
  }

  virtual void open_session(std::chrono::milliseconds ttl, Then<Session> then) = 0;
  virtual void renew(const Session& session, Then<Session> then) = 0;
  virtual void close_session(const Session& session, std::function<void()> then) = 0;

  // Takes a place, or finds the one that was taken when this was asked before.
  virtual void join(const Session& session, const Contender& contender, Then<Standing> then) = 0;
  // leave() of one place and join() for another in the same line, both or none, which costs as much
  // as one of them; `is_gone` then means that nothing was done. Only where rejoins() says so.
  virtual bool rejoins() const { return false; }
  virtual void rejoin(const Session& /*session*/, const Contender& /*leaving*/,
                      const Standing& /*left*/, const Contender& /*joining*/,
                      Then<Standing> /*then*/) {}
  // No older than the call, if `afresh`; otherwise no older than what `standing` has seen.
  virtual void look(const Contender& contender, const Standing& standing, bool afresh,
                    Then<Standing> then) = 0;
  // Calls once, when it is time to look again, with what has been seen then. REQUIRES: there is
  // somebody to wait for.
  virtual std::unique_ptr<Watch> await_change(const Contender& contender, const Standing& standing,
                                              std::function<void(std::uint64_t seen)> then) = 0;
  // Gives the place back, and nobody else's. `is_sure`: every join() of it has been answered;
  // otherwise no late one may take it again.
  virtual void leave(const Session& session, const Contender& contender, const Standing& standing,
                     bool is_sure, Then<bool> then) = 0;

  // The lines of that name, or of that pattern, in order.
  virtual void list(const std::string& pattern, Then<std::vector<LockInfo>> then) = 0;
  // Calls with the first of a line whenever it is another one, or says something else.
  virtual std::unique_ptr<Watch> observe(const std::string& name,
                                         std::function<void(std::optional<Leader>)> then) = 0;
};

}  // namespace hapax::direct
