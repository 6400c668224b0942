"""Locks of a hapax group: at most one holder, across machines.

    import hapax

    with hapax.Lock("orders/42") as fence:
        store(row, fence)        # storage refuses a fence below the highest that it has seen

The lock is asked for at the daemon of $HAPAX_ADDRESS, or at the one of this machine. The module
needs libhapax-c, and nothing besides the standard library.
"""

import atexit
import ctypes
import enum
import os
import select
import threading
import time
from typing import NamedTuple, Optional

__all__ = ["Cancelled", "Code", "Error", "Fence", "Lock", "Lost", "Session", "TimedOut"]


class Code(enum.IntEnum):
    """What went wrong; the numbers are those of hapax/c.h."""

    UNREACHABLE = 1
    LOST = 2
    TIMED_OUT = 3
    CANCELLED = 4
    BAD_NAME = 5
    BAD_ADDRESS = 6
    REFUSED = 7
    NOT_HELD = 8
    PROTOCOL = 9
    UNTRUSTED = 15
    FORBIDDEN = 16
    FORKED = 17
    UNAVAILABLE = 18
    SYSTEM = 1000
    NO_MEMORY = 1001
    BAD_ARGUMENT = 1002
    IN_PROGRESS = 1003


class Error(Exception):
    """A call failed. `code` is a Code, or the number of one that this module does not know."""

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = Code(code) if code in Code._value2member_map_ else code


class TimedOut(Error, TimeoutError):
    """The lock was not granted in time."""


class Lost(Error, ConnectionError):
    """The daemon is gone or silent, and with it every lock that it granted."""


class Cancelled(Error):
    """The request was withdrawn."""


class Fence(NamedTuple):
    """The number of a grant: a later holder's is greater. str() is `epoch.turn`."""

    epoch: int
    turn: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.turn}"

    @classmethod
    def parse(cls, text: str) -> "Fence":
        """From such a text; ValueError if it is none."""
        raw = _RawFence()
        if _library.hapax_fence_parse(text.encode(), ctypes.byref(raw)) != 0:
            raise ValueError(f"no fence: {text!r}")
        return cls(raw.epoch, raw.turn)


class _RawFence(ctypes.Structure):
    _fields_ = [("epoch", ctypes.c_uint64), ("turn", ctypes.c_uint64)]


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ.get("HAPAX_LIBRARY", "libhapax-c.so.0"))
    pointer, number = ctypes.c_void_p, ctypes.c_int
    for name, result, arguments in [
        ("hapax_last_error", ctypes.c_char_p, []),
        ("hapax_fence_parse", number, [ctypes.c_char_p, ctypes.POINTER(_RawFence)]),
        ("hapax_open", number, [ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("hapax_close", None, [pointer]),
        ("hapax_lock_open", number, [pointer, ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("hapax_lock_close", None, [pointer]),
        ("hapax_lock_ask", number, [pointer, ctypes.POINTER(number)]),
        ("hapax_lock_answer", number, [pointer]),
        ("hapax_lock_withdraw", number, [pointer]),
        ("hapax_lock_release", number, [pointer]),
        ("hapax_lock_fence", number, [pointer, ctypes.POINTER(_RawFence)]),
        ("hapax_lock_lost_descriptor", number, [pointer]),
        ("hapax_lock_valid_for", ctypes.c_int64, [pointer]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()
_KINDS = {Code.TIMED_OUT: TimedOut, Code.LOST: Lost, Code.CANCELLED: Cancelled}


def _check(code: int) -> None:
    if code != 0:
        text = _library.hapax_last_error().decode(errors="replace")
        raise _KINDS.get(code, Error)(code, text)


def _bytes(text: str, what: str) -> bytes:
    if "\0" in text:
        raise ValueError(f"a null character in {what}")
    return text.encode()


class Session:
    """The way to a daemon, for any number of locks.

    `addresses` is unix:/path or host:port, or several with commas in between. Without them it is
    $HAPAX_ADDRESS, or the usual socket of this machine.
    """

    def __init__(self, addresses: Optional[str] = None):
        self._handle = ctypes.c_void_p()
        where = None if addresses is None else _bytes(addresses, "an address")
        _check(_library.hapax_open(where, ctypes.byref(self._handle)))

    def lock(self, name: str, timeout: Optional[float] = None) -> "Lock":
        return Lock(name, timeout, session=self)

    def close(self) -> None:
        """The connection ends when the last of its locks is closed, too."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        _library.hapax_close(handle)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *unused) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


_usual: Optional[Session] = None
_usual_mutex = threading.Lock()


def _usual_session() -> Session:
    global _usual
    with _usual_mutex:
        if _usual is None:
            _usual = Session()
        return _usual


def _forget_usual() -> None:
    """In a child made by fork() the parent's is of no use, and another thread may have the mutex."""
    global _usual, _usual_mutex
    _usual, _usual_mutex = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_usual)
atexit.register(_forget_usual)


class Lock:
    """One contender for the lock of a name, like a threading.Lock of the whole group.

    As a context manager it gives the fence, and raises TimedOut if `timeout`, in seconds, is over
    first. A wait can be interrupted, by ^C for one. What is held may be lost before it is released:
    `is_lost` says so, and `fileno()` is readable from then on. Threads may share one.
    """

    def __init__(self, name: str, timeout: Optional[float] = None, session: Optional[Session] = None):
        self.name = name
        self.timeout = timeout
        self._process = os.getpid()
        self._turn = threading.Lock()  # Threads that share this object: the daemon sees one at a time.
        self._handle = ctypes.c_void_p()
        self._session = session if session is not None else _usual_session()
        raw_name = _bytes(name, "a lock's name")
        _check(_library.hapax_lock_open(self._session._handle, raw_name, ctypes.byref(self._handle)))

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As of threading.Lock. Not to block takes a quarter of a second: everybody is asked."""
        if not blocking:
            timeout = 0.25
        try:
            self._ask(None if timeout < 0 else timeout)
        except TimedOut:
            return False
        return True

    def release(self) -> None:
        """Also of what is lost. Error with Code.NOT_HELD if it is not held."""
        _check(_library.hapax_lock_release(self._handle))
        self._turn.release()

    @property
    def fence(self) -> Fence:
        """Of what is held. Error with Code.NOT_HELD if it is not."""
        raw = _RawFence()
        _check(_library.hapax_lock_fence(self._handle, ctypes.byref(raw)))
        return Fence(raw.epoch, raw.turn)

    @property
    def is_lost(self) -> bool:
        """Whether what is held can no longer be relied on."""
        return bool(_wait_for(self.fileno(), 0))

    @property
    def valid_for(self) -> float:
        """How many seconds what is held is good for without further word; 0 once it is lost."""
        return _library.hapax_lock_valid_for(self._handle) / 1000

    def fileno(self) -> int:
        """Readable from when what is held is lost until it is released; for select and asyncio."""
        return _library.hapax_lock_lost_descriptor(self._handle)

    def close(self) -> None:
        """Releases what is held. Nobody may use it any more."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        _library.hapax_lock_close(handle)

    def __enter__(self) -> Fence:
        self._ask(self.timeout)
        return self.fence

    def __exit__(self, *unused) -> None:
        self.release()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self) -> str:
        return f"hapax.Lock({self.name!r})"

    def _ask(self, timeout: Optional[float]) -> None:
        if self._process != os.getpid():  # Its threads are not here; nor who would release _turn.
            _check(_library.hapax_lock_release(self._handle))
        began = time.monotonic()
        limit = -1 if timeout is None else min(max(timeout, 0.0), threading.TIMEOUT_MAX)
        if not self._turn.acquire(timeout=limit):
            raise self._late(timeout)
        try:
            left = None if timeout is None else timeout - (time.monotonic() - began)
            code = self._ask_daemon(left)
            if code == Code.CANCELLED:
                raise self._late(timeout)
            _check(code)
        except BaseException:
            self._turn.release()
            raise

    def _ask_daemon(self, timeout: Optional[float]) -> int:
        descriptor = ctypes.c_int(-1)
        _check(_library.hapax_lock_ask(self._handle, ctypes.byref(descriptor)))
        try:
            in_time = _wait_for(descriptor.value, timeout)
        except BaseException:  # ^C, say: nobody waits for the answer any more.
            if self._withdraw(descriptor.value) == 0:
                _library.hapax_lock_release(self._handle)
            raise
        if in_time:
            return _library.hapax_lock_answer(self._handle)
        return self._withdraw(descriptor.value)

    def _late(self, timeout: float) -> TimedOut:
        return TimedOut(Code.TIMED_OUT, f"{self.name} was not granted within {timeout:g} s")

    def _withdraw(self, descriptor: int) -> int:
        _library.hapax_lock_withdraw(self._handle)
        _wait_for(descriptor, None)
        return _library.hapax_lock_answer(self._handle)


def _wait_for(descriptor: int, timeout: Optional[float]) -> bool:
    """Whether it became readable within so many seconds; no number of them is too large for poll."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    ends = None if timeout is None else time.monotonic() + timeout
    while True:
        left = 3600.0 if ends is None else min(3600.0, max(0.0, ends - time.monotonic()))
        if poll.poll(left * 1000):
            return True
        if ends is not None and time.monotonic() >= ends:
            return False
