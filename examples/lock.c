/* A lock by its name, from C.
 *
 *   lock [NAME]        speaks to the daemon at $HAPAX_ADDRESS, or to the local one */
#include <hapax/c.h>
#include <stdio.h>

static int failed(void) {
  fprintf(stderr, "lock: %s\n", hapax_last_error());
  return 1;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "orders/42";
  hapax_session* session;
  hapax_lock* lock;
  hapax_fence fence;
  char text[HAPAX_FENCE_TEXT_SIZE];

  if (hapax_open(NULL, &session) != HAPAX_OK) return failed();
  if (hapax_lock_open(session, name, &lock) != HAPAX_OK) return failed();
  if (hapax_lock_acquire(lock) != HAPAX_OK) return failed();
  hapax_lock_fence(lock, &fence);
  hapax_fence_text(fence, text, sizeof text);
  printf("inside %s, fence %s\n", name, text);

  hapax_lock_close(lock);
  hapax_close(session);
  return 0;
}
