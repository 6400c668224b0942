"""The module against a real daemon at $HAPAX_ADDRESS; $DAEMON_PID is its process, killed at the end."""

import os
import select
import signal
import threading
import unittest

import hapax


def in_child(work):
    """The exit status of a child made by fork() that does it."""
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Locks(unittest.TestCase):
    def test_give_growing_fences(self):
        with hapax.Lock("orders/42") as first:
            pass
        with hapax.Lock("orders/42") as second:
            self.assertIsInstance(second, hapax.Fence)
        self.assertLess(first, second)
        self.assertEqual(hapax.Fence.parse(str(second)), second)

    def test_let_in_one_at_a_time(self):
        lock = hapax.Lock("taken")
        with hapax.Session() as session, session.lock("taken") as fence:
            self.assertFalse(lock.acquire(blocking=False))
            self.assertFalse(lock.acquire(timeout=0.05))
            with self.assertRaisesRegex(hapax.TimedOut, "taken was not granted within 0.05 s"):
                with hapax.Lock("taken", timeout=0.05):
                    self.fail("two inside")
        self.assertTrue(lock.acquire())
        self.assertGreater(lock.fence, fence)
        self.assertGreater(lock.valid_for, 0)
        self.assertFalse(lock.is_lost)
        lock.release()
        with self.assertRaises(hapax.Error) as failed:
            lock.release()
        self.assertEqual(failed.exception.code, hapax.Code.NOT_HELD)

    def test_are_released_by_an_exception_and_by_the_end_of_the_object(self):
        with self.assertRaises(ZeroDivisionError):
            with hapax.Lock("given back"):
                1 / 0
        lock = hapax.Lock("given back", timeout=10)
        self.assertTrue(lock.acquire())
        del lock
        with hapax.Lock("given back", timeout=10):
            pass

    def test_may_be_shared_by_threads(self):
        lock, inside, counts = hapax.Lock("shared", timeout=60), [], []

        def work():
            for _ in range(5):
                with lock:
                    inside.append(1)
                    counts.append(len(inside))
                    inside.pop()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [1] * 20)

    def test_can_be_interrupted_while_they_wait(self):
        def interrupt(*unused):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, interrupt)
        with hapax.Lock("interrupted"):
            waiting = hapax.Lock("interrupted")
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaises(KeyboardInterrupt):
                waiting.acquire()
        self.assertTrue(waiting.acquire(timeout=10))
        waiting.release()

    def test_are_of_no_use_in_a_child(self):
        held = hapax.Lock("forked")
        held.acquire()

        def work():
            for call in (held.acquire, held.release):
                try:
                    call()
                    raise AssertionError("no error")
                except hapax.Error as e:
                    assert e.code == hapax.Code.FORKED, e
            assert not hapax.Lock("forked").acquire(blocking=False)  # On a session of its own.
            with hapax.Lock("not forked"):
                pass

        self.assertEqual(in_child(work), 0)
        self.assertFalse(held.is_lost)
        held.release()

    def test_that_cannot_be_say_why(self):
        with self.assertRaises(hapax.Error) as failed:
            hapax.Lock("")
        self.assertEqual(failed.exception.code, hapax.Code.BAD_NAME)
        with self.assertRaisesRegex(hapax.Error, "/nowhere"):
            hapax.Session("unix:/nowhere/at/all")
        with self.assertRaises(ValueError):
            hapax.Lock("a\0b")
        with self.assertRaises(ValueError):
            hapax.Fence.parse("3,17")

    def test_z_tell_of_their_loss(self):  # The last: it ends the daemon.
        lock = hapax.Lock("lost")
        lock.acquire()
        os.kill(int(os.environ["DAEMON_PID"]), signal.SIGKILL)
        self.assertTrue(select.select([lock], [], [], 60)[0])
        self.assertTrue(lock.is_lost)
        self.assertEqual(lock.valid_for, 0)
        lock.release()
        with self.assertRaises(hapax.Error):
            lock.acquire(timeout=0.1)


if __name__ == "__main__":
    unittest.main()
