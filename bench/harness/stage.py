"""What all works of `hapax bench` share: what is wanted, the workers, the servers, and what is said of it all."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import servers

wanted = None  # The command line, once it is read.
place = pathlib.Path(tempfile.mkdtemp(prefix="hapax-bench-"))
os.chmod(place, 0o755)  # PostgreSQL runs as a user of its own.
workers = []
took = {}  # Seconds, by part.


def say(text):
    if wanted.json != "-":
        print(text, flush=True)


def complain(text):
    progress("")
    print(f"hapax bench: {text}", file=sys.stderr)


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


class timed:
    """with timed("part"): how long it takes is told at the end."""

    def __init__(self, part):
        self.part = part

    def __enter__(self):
        self.began = time.monotonic()

    def __exit__(self, *_):
        took[self.part] = took.get(self.part, 0) + time.monotonic() - self.began


def beside(name):
    """In the folder of this program, as it was called: hapax is there, too."""
    return str(pathlib.Path(sys.argv[0]).absolute().parent / name)


def program(name):
    if not os.access(beside(name), os.X_OK):
        raise servers.Failed(f"{name} is not there; ./run bench builds it")
    return beside(name)


def start(kind, *words, **options):
    """A server; None, and a word about it, if it cannot be had."""
    try:
        return kind(place, *words, **options)
    except (servers.Failed, OSError, subprocess.CalledProcessError, KeyError) as e:
        complain(f"left out: {kind.__name__}: {str(e).strip()[:300]}")
        return None


class Worker:
    def __init__(self, words):
        self.process = subprocess.Popen([str(w) for w in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        workers.append(self.process)

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            self.process.wait()
            raise servers.Failed(self.process.stderr.read().strip() or "a worker ended without a word")
        return text

    def ready(self):
        self.line()
        return self

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return self

    def figures(self):
        return json.loads(self.line())

    def end(self):
        self.process.kill()
        self.process.communicate()
        workers.remove(self.process)


def run_clients(words, clients, name, shares):
    """One measurement: that many processes at once, each started by words(i, lock)."""
    shared = []
    if shares:
        (place / "shared").write_bytes(bytes(16))
        shared = [place / "shared"]
    at_work = []
    try:
        for i in range(clients):
            at_work.append(Worker([*words(i, name if shares else f"{name}-{i}"), wanted.seconds, *shared]))
        for worker in at_work:
            worker.ready()
        for worker in at_work:
            worker.go()
        return [w.figures() for w in at_work]
    finally:
        for worker in at_work:
            worker.end()


def number(value, digits=3):
    text = f"{value:,.{digits}g}"
    return text if "e" not in text and value < 1000 else f"{value:,.0f}"


def of(values, digits=3):
    middle = number(statistics.median(values), digits)
    return f"{middle} ({number(min(values), digits)} … {number(max(values), digits)})" if len(values) > 1 else middle


def table(headings, rows):
    progress("")
    widths = [max(len(str(r[c])) for r in [headings, *rows]) for c in range(len(headings))]
    line = lambda row: "| " + " | ".join(str(v).ljust(w) for v, w in zip(row, widths)) + " |"
    say(line(headings))
    say("|" + "|".join("-" * (w + 2) for w in widths) + "|")
    for row in rows:
        say(line(row))
    say("")


def clear_away():
    """All that was started ends, and leaves nothing."""
    for process in workers:
        process.kill()
        process.wait()
    servers.stop_all()
    shutil.rmtree(place, ignore_errors=True)
