// The lease behind the grants of a member inside this program, as its threads see it. The loop
// renews it; a thread of its own notices when it runs out, whatever the loop is busy with. Holders
// are told on a further thread, one for each term that ends, so that what they do then holds up
// nobody, not even those who are told of the next loss. Each term has a token, which fires as it
// ends.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "service/lease_term.h"

namespace hapax::client {

class Lease {
 public:
  using Term = LeaseTerm::Number;

  // Throws std::system_error.
  explicit Lease(bool runs_out);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // --- any thread ---

  bool runs_out() const noexcept { return timer_ >= 0; }
  // On the clock of boot_clock.h.
  const LeaseTerm& term() const noexcept { return term_; }
  // Whether a grant of that term is good now.
  bool covers(Term term) const noexcept;
  Span left() const noexcept;
  // Fires when the term ends, and has fired if it already has. 0 is the current term.
  std::stop_token token(Term term) const;

  // --- the loop ---

  void renew(Instant until);
  // Somebody is about to be told of a grant: its term.
  Term grant();
  // Everything granted so far is lost. When it returns, everybody's token says so; those who wanted
  // to be called are being called, on a thread of their own.
  void end();

 private:
  void watch();
  // REQUIRES: mutex_ is held.
  void end_term();

  int timer_ = -1;            // Fires when the lease is over.
  int wake_ = -1;             // For the thread: it is to end.
  LeaseTerm term_;            // Changed with the mutex held.
  mutable std::mutex mutex_;  // Guards what follows, too.
  std::stop_source source_;   // Of the term.
  bool is_stopping_ = false;
  // One for each term that has ended, as long as its holders are being told.
  struct Notice {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> is_done;
  };
  std::vector<Notice> notices_;
  std::thread thread_;
};

}  // namespace hapax::client
