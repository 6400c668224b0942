// Ricart & Agrawala (CACM 24(1), 1981), each of N members asks once: the machine of
// src/mutex/ricart_agrawala.cc as SPIN sees it. One FIFO channel per ordered link; a request, an
// exit and a delivery are one step each, so SPIN stores what `hapax check` stores: the members'
// variables and the queues, and nothing in between. Written to be fast: d_step, one byte a message,
// hidden scratch.
//
//   -DN=4           members (2 … 4; default 3)
//   -DREPLY_CLOCK   a REPLY says up to which clock it approves, and moves the receiver's clock, as
//                   ours does; without it, the REPLY of the textbooks
//   -DENTER_STEP    to enter is a step of its own, as in the oracle of 2,357 and 1,470,924 states;
//                   without it, the last REPLY lets its receiver in, as in ours
//
//                                    N=3                    N=4 (states, transitions)
//   -DENTER_STEP                   2,357   6,282    1,470,924   7,730,343
//   neither                        2,049   5,488    1,402,298   7,398,198
//   -DREPLY_CLOCK (ours)           2,189   5,788    1,591,556   8,252,497
//
// SPIN itself counts one transition more, the one into the first state. Needs -DNOREDUCE, so that
// no state is left out. Checked: at most one inside (assertion), nobody left waiting (invalid end
// state).

#ifndef N
#define N 3
#endif

// Link k of a member comes from the k-th member after it, k = 1 … N-1. At most a REQUEST and a
// REPLY are on one link at a time.
chan link[N * (N - 1)] = [2] of { byte };
#define from_kth(k)    link[_pid * (N - 1) + k - 1]
#define to_kth(k)      link[((_pid + k) % N) * (N - 1) + N - k - 1]
#define kth(k)         ((_pid + k) % N)

// A message is one byte: the clock of a REQUEST (never 0), or REPLY plus the clock it approves.
#define REPLY          128
#ifdef REPLY_CLOCK
#define reply(clock)   (REPLY + clock)
#define hear(approved) clock = (approved > clock -> approved : clock)
#else
#define reply(clock)   REPLY
#define hear(approved) skip
#endif

#define first(k)       (asked < message || (asked == message && _pid < kth(k)))  // Own one first?

#define IDLE    0
#define WAITING 1
#define INSIDE  2

byte inside = 0;      // How many are. Invariant: at most one.
hidden byte message;  // Scratch within one step; hidden: no part of the state.
hidden byte k;

inline enter() {
  phase = INSIDE;
  inside++;
  assert(inside == 1)
}

inline ask() {
  clock++;
  asked = clock;
  awaiting = ((1 << N) - 1) & ~(1 << _pid);
  k = 1;
  do
  :: k < N -> to_kth(k)!asked; k++
  :: else -> break
  od;
  phase = WAITING
}

inline leave() {
  k = 1;
  do
  :: k < N ->
    if
    :: deferred & (1 << kth(k)) -> to_kth(k)!reply(clock)
    :: else
    fi;
    k++
  :: else -> break
  od;
  deferred = 0;
  asked = 0;
  phase = IDLE;
  inside--
}

inline receive(sender) {
  if
  :: message < REPLY ->
    clock = (message > clock -> message : clock);
    if
    :: phase == INSIDE || (phase == WAITING && first(sender)) ->
      deferred = deferred | (1 << kth(sender))
    :: else -> to_kth(sender)!reply(message)
    fi
  :: else ->
    hear((message - REPLY));
    assert(phase == WAITING && awaiting & (1 << kth(sender)));
    awaiting = awaiting & ~(1 << kth(sender));
#ifndef ENTER_STEP
    if
    :: awaiting == 0 -> enter()
    :: else
    fi
#endif
  fi
}

#define DELIVER(k) d_step { from_kth(k)?message -> receive(k) }

active [N] proctype member() {
  byte phase = IDLE;
  byte clock = 0;     // No smaller than any clock seen.
  byte asked = 0;     // The clock of the own request, while not idle.
  byte awaiting = 0;  // Whose REPLY is missing, by bit.
  byte deferred = 0;  // Whom to answer on leaving, by bit.

  do
  :: d_step { phase == IDLE -> ask() }
  :: d_step { phase == INSIDE -> leave() } break
#ifdef ENTER_STEP
  :: d_step { phase == WAITING && awaiting == 0 -> enter() }
#endif
  :: DELIVER(1)
#if N > 2
  :: DELIVER(2)
#endif
#if N > 3
  :: DELIVER(3)
#endif
  od;

end:  // Nothing to ask for any more, but the others need its replies.
  do
  :: DELIVER(1)
#if N > 2
  :: DELIVER(2)
#endif
#if N > 3
  :: DELIVER(3)
#endif
  od
}
