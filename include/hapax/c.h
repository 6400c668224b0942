/* hapax from C, and from whatever can call C: a lock of the group by its name, its fence, and a
 * descriptor that tells of its loss. Link with -lhapax-c, which needs no C++ of yours.
 *
 *   hapax_session *session;
 *   hapax_lock *lock;
 *   hapax_fence fence;
 *   if (hapax_open(NULL, &session) != HAPAX_OK) fail(hapax_last_error());
 *   if (hapax_lock_open(session, "orders/42", &lock) != HAPAX_OK) fail(hapax_last_error());
 *   if (hapax_lock_acquire(lock) != HAPAX_OK) fail(hapax_last_error());
 *   hapax_lock_fence(lock, &fence);
 *   store(row, fence.epoch, fence.turn);
 *   hapax_lock_release(lock);
 *   hapax_lock_close(lock);
 *   hapax_close(session);
 *
 * Functions return HAPAX_OK or what went wrong, and may be called from any thread. In a child made
 * by fork() what its parent opened answers HAPAX_FORKED, and only closing it is of use.
 * docs/languages.md says more. */
#ifndef HAPAX_C_H
#define HAPAX_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong. Later versions may add to it. */
enum hapax_error {
  HAPAX_OK = 0,
  HAPAX_UNREACHABLE = 1,  /* No daemon answers at that address. */
  HAPAX_LOST = 2,         /* The daemon is gone or silent, and with it every lock it granted. */
  HAPAX_TIMED_OUT = 3,    /* The lock was not granted in time. */
  HAPAX_CANCELLED = 4,    /* The request was withdrawn. */
  HAPAX_BAD_NAME = 5,     /* No lock can have that name. */
  HAPAX_BAD_ADDRESS = 6,  /* Neither unix:/path nor host:port. */
  HAPAX_REFUSED = 7,      /* The daemon will not do that. */
  HAPAX_NOT_HELD = 8,     /* The lock is not held. */
  HAPAX_PROTOCOL = 9,     /* The other side does not speak our language. */
  HAPAX_UNTRUSTED = 15,   /* Nobody we trust listens there. */
  HAPAX_FORBIDDEN = 16,   /* The daemon's roles give us no right to that. */
  HAPAX_FORKED = 17,      /* Opened by the parent of this process: of no use here. */
  HAPAX_UNAVAILABLE = 18, /* Not granted in time, and not because somebody has it: no lease. */
  HAPAX_SYSTEM = 1000,    /* What the operating system said: hapax_last_error() has it. */
  HAPAX_NO_MEMORY = 1001,
  HAPAX_BAD_ARGUMENT = 1002, /* A pointer that must not be null is, or a text makes no sense. */
  HAPAX_IN_PROGRESS = 1003   /* Asked for, and not answered yet. */
};

/* What that means, for people. Never null, and never freed. */
const char* hapax_error_text(int error);
/* About the latest call of this thread that did not return HAPAX_OK; good until the next one. */
const char* hapax_last_error(void);

/* --- fences --- */

/* The number of a grant. Of two on one lock, the later one has the larger epoch, or the same one
 * and the larger turn. */
typedef struct hapax_fence {
  uint64_t epoch; /* The number of the view that granted it. */
  uint64_t turn;  /* Its place within that view. */
} hapax_fence;

/* Less than, equal to or greater than 0, as `left` is earlier, the same or later. */
int hapax_fence_compare(hapax_fence left, hapax_fence right);

enum { HAPAX_FENCE_TEXT_SIZE = 42 }; /* Room for every fence's text, with the 0 at its end. */
/* As everybody writes it: epoch.turn. Cut off if it does not fit; 0-terminated if there is room for
 * anything. */
void hapax_fence_text(hapax_fence fence, char* text, size_t size);
/* From such a text. HAPAX_BAD_ARGUMENT if it is none. */
int hapax_fence_parse(const char* text, hapax_fence* fence);

/* --- sessions --- */

/* The way to a daemon: one connection and one thread of its own, for any number of locks. */
typedef struct hapax_session hapax_session;

/* `addresses`: unix:/path or host:port, or several with commas in between: the first that answers.
 * Null: $HAPAX_ADDRESS, or the usual socket of this machine. Certificates as for `hapax` itself:
 * $HAPAX_CA, $HAPAX_CERT, $HAPAX_KEY. `*session` is null unless HAPAX_OK is returned. */
int hapax_open(const char* addresses, hapax_session** session);
/* The connection ends when its last lock is closed, too. Null is nothing to close. */
void hapax_close(hapax_session* session);

/* --- locks --- */

/* One contender for the lock of a name: it is held or not. Threads may share it, or have one
 * each. */
typedef struct hapax_lock hapax_lock;

/* `*lock` is null unless HAPAX_OK is returned. */
int hapax_lock_open(hapax_session* session, const char* name, hapax_lock** lock);
/* Releases what is held, and withdraws what is asked for. Null is nothing to close.
 * No other thread may be using it. */
void hapax_lock_close(hapax_lock* lock);

/* Waits for it. Signals do not end the wait; for that ask, and poll. */
int hapax_lock_acquire(hapax_lock* lock);
/* HAPAX_TIMED_OUT if it is taken: known after a quarter of a second, the time to ask everybody.
 * HAPAX_UNAVAILABLE if nobody can be granted it: no lease, or a member that may have it is away. */
int hapax_lock_try(hapax_lock* lock);
/* HAPAX_TIMED_OUT if it was not granted in time. */
int hapax_lock_acquire_for(hapax_lock* lock, int64_t milliseconds);

/* Without waiting: `*descriptor` becomes readable when hapax_lock_answer() has an answer. It stays
 * the lock's: poll it, but neither read nor close it. HAPAX_IN_PROGRESS if there is a request
 * already. */
int hapax_lock_ask(hapax_lock* lock, int* descriptor);
/* HAPAX_OK: now it is held. HAPAX_IN_PROGRESS: no answer yet. Every other one ends the request;
 * HAPAX_NOT_HELD if there is none. */
int hapax_lock_answer(hapax_lock* lock);
/* Calls the request off, without waiting. Its answer will be HAPAX_CANCELLED, or HAPAX_OK if it was
 * granted before. HAPAX_NOT_HELD if there is none. */
int hapax_lock_withdraw(hapax_lock* lock);

/* Also after a loss, before it can be acquired again. HAPAX_NOT_HELD if it is not held. */
int hapax_lock_release(hapax_lock* lock);

/* Of the grant that is held. Storage that remembers the highest one refuses a holder that is late.
 */
int hapax_lock_fence(hapax_lock* lock, hapax_fence* fence);
/* Readable from when what is held is lost until it is released: poll it, but neither read nor close
 * it. The same as long as the lock is open. -1 in a child made by fork(). */
int hapax_lock_lost_descriptor(hapax_lock* lock);
/* How many milliseconds what is held is good for without further word from the daemon; 0 once it
 * is lost, or if it is not held. */
int64_t hapax_lock_valid_for(hapax_lock* lock);

#ifdef __cplusplus
}
#endif

#endif
