"""Groups that no machine has: ten to a million members in virtual time, by the simulator (`hapax sim`)."""
import json
import pathlib
import statistics
import subprocess

import plots
import servers
import stage

SIZES = tuple(10 ** power for power in range(1, 7))
# Of each, the largest group for which it is feasible: a message to everybody for every entry is not, beyond.
ALGORITHMS = {"central": SIZES[-1], "naimi-trehel": SIZES[-1], "raymond": SIZES[-1], "maekawa": SIZES[-1],
              "ricart-agrawala": 10_000}
ASKING = 64  # Members that ask under high load; all of a smaller group.


def simulate(lab, algorithm, n, load, requests):
    sets = ["--voting-sets", "grid"] if algorithm == "maekawa" else []
    few = ["--requesters", ASKING] if load == "high" and n > ASKING else []
    words = [lab, "sim", algorithm, "-n", n, "--load", load, "--requests", requests, "--json", *sets, *few]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode:
        raise servers.Failed(f"hapax sim {algorithm} -n {n}: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout)


def measure_one(lab, algorithm, n):
    """One at a time, for what an entry costs; then all that ask at once, for hand-offs and the simulator itself."""
    quick = stage.wanted.quick
    few = 30 if quick else 300
    # Its tree is a star at first, and becomes what it is by being used.
    used = (n if quick else 5 * n) if algorithm == "naimi-trehel" else 0
    alone = simulate(lab, algorithm, n, "low", max(few, used))
    messages = alone["messages_per_entry"]
    requests = int(min(max((1e5 if quick else 3e6) / max(messages, 1), 2 * ASKING), 100_000))
    rounds = [simulate(lab, algorithm, n, "high", requests) for _ in range(stage.wanted.rounds)]
    return {"messages_per_entry": messages, "client_delay_T": alone["client_delay_T"], "sync_delay_T": rounds[0]["sync_delay_T"],
            "high_load_messages_per_entry": rounds[0]["messages_per_entry"],
            "events_per_second": [r["events_per_second"] for r in rounds],
            "peak_rss_bytes": max(r["peak_rss_bytes"] for r in rounds)}


def measure(lab):
    """{algorithm: {n: {figure: value}}}"""
    taken = {}
    for algorithm, most in ALGORITHMS.items():
        for n in (n for n in SIZES if n <= most):
            stage.progress(f"in simulation: {algorithm}, {n:,} members")
            taken.setdefault(algorithm, {})[n] = measure_one(lab, algorithm, n)
    return taken


def show(taken):
    stage.progress("")
    stage.say(f"in simulation: latency T = 1 ms, 5 ms inside; messages and client delay with one asking at a time, the rest with {ASKING} asking again "
              "at once (10 of 10); events: by the clock, on one core")
    delay = lambda value: "" if value is None else f"{value:.3g}"
    rows = [[name, f"{n:,}", stage.number(f["messages_per_entry"], 4), delay(f["client_delay_T"]), delay(f["sync_delay_T"]),
             stage.of([e / 1e6 for e in f["events_per_second"]]), stage.number(f["peak_rss_bytes"] / 2 ** 20)]
            for name, sizes in taken.items() for n, f in sizes.items()]
    stage.table(["", "members", "messages an entry", "client delay, T", "synchronization delay, T", "million events/s", "peak, MiB"], rows)


def draw(taken):
    def series(figure, scale=1):
        values = lambda sizes: [(n, f[figure] / scale) for n, f in sizes.items() if f[figure]]
        return [(name, points) for name, sizes in taken.items() if (points := values(sizes))]
    panels = [("messages an entry", series("messages_per_entry")), ("synchronization delay, T", series("sync_delay_T")),
              ("peak memory, MiB", series("peak_rss_bytes", 2 ** 20))]
    file = pathlib.Path(stage.wanted.plots) / "simulated.svg"
    file.write_text(plots.lines("In simulation, 10 to a million members", "members", panels))
