/* hapax/c.h as a C program uses it, against a real daemon at $HAPAX_ADDRESS.
 *   c_test            all that needs no help; prints "done"
 *   c_test loss       holds a lock, prints "inside", and "lost" when its daemon is gone */
#define _POSIX_C_SOURCE 200809L
#include <hapax/c.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(condition)                                                                     \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, \
              hapax_last_error());                                                            \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

static int is_readable(int descriptor, int milliseconds) {
  struct pollfd one;
  one.fd = descriptor;
  one.events = POLLIN;
  one.revents = 0;
  return poll(&one, 1, milliseconds) == 1;
}

static hapax_session* open_session(void) {
  hapax_session* session = NULL;
  EXPECT(hapax_open(NULL, &session) == HAPAX_OK);
  return session;
}

static hapax_lock* open_lock(hapax_session* session, const char* name) {
  hapax_lock* lock = NULL;
  EXPECT(hapax_lock_open(session, name, &lock) == HAPAX_OK);
  return lock;
}

static void test_fences(void) {
  const hapax_fence largest = {UINT64_MAX, UINT64_MAX};
  hapax_fence fence = {3, 17};
  hapax_fence later = {4, 1};
  hapax_fence parsed;
  char text[HAPAX_FENCE_TEXT_SIZE];
  char small[4];
  hapax_fence_text(fence, text, sizeof text);
  EXPECT(strcmp(text, "3.17") == 0);
  EXPECT(hapax_fence_parse(text, &parsed) == HAPAX_OK);
  EXPECT(hapax_fence_compare(parsed, fence) == 0);
  EXPECT(hapax_fence_compare(fence, later) < 0);
  EXPECT(hapax_fence_compare(later, fence) > 0);
  hapax_fence_text(fence, small, sizeof small);
  EXPECT(strcmp(small, "3.1") == 0);
  hapax_fence_text(largest, text, sizeof text);
  EXPECT(strlen(text) == sizeof text - 1);
  EXPECT(hapax_fence_parse("3,17", &parsed) == HAPAX_BAD_ARGUMENT);
  EXPECT(hapax_fence_parse(NULL, &parsed) == HAPAX_BAD_ARGUMENT);
}

static void test_errors(hapax_session* session) {
  hapax_session* none = session;
  hapax_lock* lock = NULL;
  EXPECT(hapax_open("unix:/nowhere/at/all", &none) == HAPAX_UNREACHABLE);
  EXPECT(none == NULL);
  EXPECT(strstr(hapax_last_error(), "/nowhere/at/all") != NULL);
  EXPECT(hapax_open("no address", &none) == HAPAX_BAD_ADDRESS);
  EXPECT(hapax_open(NULL, NULL) == HAPAX_BAD_ARGUMENT);
  EXPECT(hapax_lock_open(session, "", &lock) == HAPAX_BAD_NAME);
  EXPECT(lock == NULL);
  EXPECT(hapax_lock_open(NULL, "orders/42", &lock) == HAPAX_BAD_ARGUMENT);
  EXPECT(hapax_lock_acquire(NULL) == HAPAX_BAD_ARGUMENT);
  EXPECT(hapax_lock_lost_descriptor(NULL) == -1);
  EXPECT(hapax_lock_valid_for(NULL) == 0);
  EXPECT(strcmp(hapax_error_text(HAPAX_LOST), hapax_error_text(HAPAX_FORKED)) != 0);
  EXPECT(strcmp(hapax_error_text(-1), "unknown error") == 0);
  EXPECT(strcmp(hapax_error_text(HAPAX_SYSTEM), "unknown error") != 0);
  hapax_close(NULL);
  hapax_lock_close(NULL);
}

static void test_one_at_a_time(hapax_session* session) {
  hapax_lock* mine = open_lock(session, "orders/42");
  hapax_lock* other = open_lock(session, "orders/42");
  hapax_fence first;
  hapax_fence second;
  EXPECT(hapax_lock_fence(mine, &first) == HAPAX_NOT_HELD);
  EXPECT(hapax_lock_release(mine) == HAPAX_NOT_HELD);
  EXPECT(hapax_lock_valid_for(mine) == 0);
  EXPECT(hapax_lock_acquire(mine) == HAPAX_OK);
  EXPECT(hapax_lock_fence(mine, &first) == HAPAX_OK);
  EXPECT(hapax_lock_valid_for(mine) > 0);
  EXPECT(!is_readable(hapax_lock_lost_descriptor(mine), 0));
  EXPECT(hapax_lock_try(other) == HAPAX_TIMED_OUT);
  EXPECT(hapax_lock_acquire_for(other, 20) == HAPAX_TIMED_OUT);
  EXPECT(hapax_lock_acquire_for(other, -1) == HAPAX_TIMED_OUT);
  EXPECT(hapax_lock_release(mine) == HAPAX_OK);
  EXPECT(hapax_lock_acquire_for(other, INT64_MAX) == HAPAX_OK);
  EXPECT(hapax_lock_fence(other, &second) == HAPAX_OK);
  EXPECT(hapax_fence_compare(first, second) < 0);
  hapax_lock_close(other); /* Releases it. */
  EXPECT(hapax_lock_acquire(mine) == HAPAX_OK);
  hapax_lock_close(mine);
}

static void test_asking(hapax_session* session) {
  hapax_lock* mine = open_lock(session, "asked");
  hapax_lock* other = open_lock(session, "asked");
  int descriptor = -1;
  EXPECT(hapax_lock_answer(mine) == HAPAX_NOT_HELD);
  EXPECT(hapax_lock_withdraw(mine) == HAPAX_NOT_HELD);
  EXPECT(hapax_lock_ask(mine, NULL) == HAPAX_BAD_ARGUMENT);
  EXPECT(hapax_lock_ask(mine, &descriptor) == HAPAX_OK);
  EXPECT(is_readable(descriptor, 20000));
  EXPECT(hapax_lock_answer(mine) == HAPAX_OK);
  EXPECT(!is_readable(descriptor, 0));

  EXPECT(hapax_lock_ask(other, &descriptor) == HAPAX_OK);
  EXPECT(hapax_lock_ask(other, &descriptor) == HAPAX_IN_PROGRESS);
  EXPECT(!is_readable(descriptor, 50));
  EXPECT(hapax_lock_answer(other) == HAPAX_IN_PROGRESS);
  EXPECT(hapax_lock_release(other) == HAPAX_NOT_HELD);
  EXPECT(hapax_lock_withdraw(other) == HAPAX_OK);
  EXPECT(is_readable(descriptor, 20000));
  EXPECT(hapax_lock_answer(other) == HAPAX_CANCELLED);

  EXPECT(hapax_lock_ask(other, &descriptor) == HAPAX_OK);
  EXPECT(hapax_lock_release(mine) == HAPAX_OK);
  EXPECT(is_readable(descriptor, 20000));
  EXPECT(hapax_lock_answer(other) == HAPAX_OK);
  EXPECT(hapax_lock_ask(mine, &descriptor) == HAPAX_OK);
  hapax_lock_close(mine); /* Withdraws it. */
  EXPECT(hapax_lock_release(other) == HAPAX_OK);
  EXPECT(hapax_lock_acquire(other) == HAPAX_OK);
  hapax_lock_close(other);
}

static void test_fork(void) {
  hapax_session* session = open_session();
  hapax_lock* lock = open_lock(session, "forked");
  int status = -1;
  pid_t child;
  EXPECT(hapax_lock_acquire(lock) == HAPAX_OK);
  fflush(NULL);
  child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    hapax_lock* another = NULL;
    hapax_fence fence;
    EXPECT(hapax_lock_acquire(lock) == HAPAX_FORKED);
    EXPECT(hapax_lock_release(lock) == HAPAX_FORKED);
    EXPECT(hapax_lock_fence(lock, &fence) == HAPAX_FORKED);
    EXPECT(hapax_lock_open(session, "forked", &another) == HAPAX_FORKED);
    EXPECT(hapax_lock_lost_descriptor(lock) == -1);
    hapax_lock_close(lock);
    hapax_close(session);
    session = open_session(); /* Of its own: all works. */
    lock = open_lock(session, "forked");
    EXPECT(hapax_lock_try(lock) == HAPAX_TIMED_OUT); /* The parent still holds it. */
    hapax_lock_close(lock);
    hapax_close(session);
    _exit(0);
  }
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(status == 0);
  EXPECT(hapax_lock_release(lock) == HAPAX_OK);
  hapax_close(session); /* Before its lock: that is allowed. */
  EXPECT(hapax_lock_acquire(lock) == HAPAX_OK);
  hapax_lock_close(lock);
}

static void test_loss(hapax_session* session) {
  hapax_lock* lock = open_lock(session, "to be lost");
  hapax_fence fence;
  int descriptor;
  EXPECT(hapax_lock_acquire(lock) == HAPAX_OK);
  puts("inside");
  fflush(stdout);
  EXPECT(is_readable(hapax_lock_lost_descriptor(lock), 60000));
  EXPECT(hapax_lock_valid_for(lock) == 0);
  EXPECT(hapax_lock_fence(lock, &fence) == HAPAX_OK); /* For a gate, which will refuse it. */
  EXPECT(hapax_lock_release(lock) == HAPAX_OK);
  EXPECT(!is_readable(hapax_lock_lost_descriptor(lock), 0));
  EXPECT(hapax_lock_acquire_for(lock, 100) != HAPAX_OK);
  EXPECT(hapax_lock_ask(lock, &descriptor) == HAPAX_OK);
  EXPECT(is_readable(descriptor, 20000));
  EXPECT(hapax_lock_answer(lock) != HAPAX_OK);
  hapax_lock_close(lock);
  puts("lost");
}

int main(int argc, char** argv) {
  hapax_session* session = open_session();
  if (argc > 1 && strcmp(argv[1], "loss") == 0) {
    test_loss(session);
  } else {
    test_fences();
    test_errors(session);
    test_one_at_a_time(session);
    test_asking(session);
    test_fork();
    puts("done");
  }
  hapax_close(session);
  return 0;
}
