"""Works of their own kind: the memory of held locks, groups that grow, and a holder that is killed."""
import concurrent.futures
import os
import time

import servers
import stage

SIZES = (3, 7, 16, 32, 64)


def measure_memory(worker, there, go, count):
    """{name: bytes a lock}"""
    stage.progress(f"{count:,} locks held")
    held = [("hapax", there["hapax"], [worker, "hapax", there["hapax"].addresses[0]])]
    if redis := there.get("redis"):
        held.append(("Redis", redis, [worker, "redis", redis.hosts]))
    if (etcd := there.get("etcd-1")) and go:
        held.append(("etcd × 1, Go's client", etcd, [go, etcd.hosts]))
    rows = {}
    for name, server, words in held:
        before = server.resident()
        client = stage.Worker([*words, f"held-{os.getpid()}", "hold", count]).ready()
        rows[name] = (server.resident() - before) / count
        client.end()
    stage.progress("")
    stage.say(f"{count:,} locks held by one client: resident memory of all servers, bytes a lock")
    stage.table(["", "bytes each"], [[name, f"{value:,.0f}"] for name, value in rows.items()])
    return rows


# --- groups that grow ---

def measure_group(worker, group):
    """{figure: [a value for each round]}"""
    members = len(group.addresses)
    figures = {}
    note = lambda figure, value: figures.setdefault(figure, []).append(value)
    words = lambda i, n: [worker, "hapax", group.addresses[i % members], f"ra/{n}"]
    for i in range(stage.wanted.rounds):
        stage.progress(f"{members} members: round {i + 1} of {stage.wanted.rounds}")
        note("lock_p50_us", stage.run_clients(words, 1, f"alone-{i}", False)[0]["p50_us"])
        eight = stage.run_clients(words, 8, f"eight-{i}", True)
        note("hand_offs_per_second", sum(f["entries"] / f["seconds"] for f in eight))
        time.sleep(0.5)  # What is left of the clients.
        before, began = group.cpu_seconds(), time.monotonic()
        time.sleep(1 if stage.wanted.quick else 2)
        share = 100 * (group.cpu_seconds() - before) / (time.monotonic() - began)
        note("idle_percent_of_a_core", share)
        note("idle_percent_each", share / members)
    return figures


def measure_members(worker, hapax):
    """{members: {figure: values}}"""
    rows = {}
    for members in SIZES:
        stage.progress(f"starting {members} members")
        began = time.monotonic()
        group = stage.start(servers.Hapax, hapax, members=members)
        if group is None:
            break
        started = time.monotonic() - began
        rows[members] = {"started_s": started, **measure_group(worker, group)}
        group.stop()
    stage.progress("")
    stage.say("groups of so many members, each a process, Ricart–Agrawala, embedded engine, TTL 10 s; idle: CPU time as a share of one core")
    stage.table(["members", "lock, p50 µs", "8 clients on one lock, hand-offs/s", "idle, % of a core, all", "each", "started in, s"],
                [[n, *(stage.of(f[k]) for k in ("lock_p50_us", "hand_offs_per_second", "idle_percent_of_a_core", "idle_percent_each")),
                  f"{f['started_s']:.1f}"] for n, f in rows.items()])
    return rows


# --- a holder that is killed ---

def take_over(holder, waiter, kill):
    """Seconds from the kill until the next one is inside."""
    both = []
    try:
        both.append(stage.Worker(holder).ready().go())
        both[0].figures()
        both.append(stage.Worker(waiter).ready().go())
        time.sleep(0.5)
        began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        kill(both[0].process)
        return (both[1].figures()["entered_ns"] - began) / 1e9
    finally:
        for worker in both:
            worker.end()


def measure_takeovers(worker, hapax, targets):
    """{what: [seconds, for each round]}"""
    taken = {}
    note = lambda name, value: taken.setdefault(name, []).append(value)
    # Those whose sessions have to run out. All at once: what takes its time is waiting.
    waited_for = [t for t in targets if t.name.endswith(("Go's client", "Curator"))]
    for i in range(stage.wanted.rounds):
        stage.progress(f"kill -9 of whoever holds: round {i + 1} of {stage.wanted.rounds}")
        if group := stage.start(servers.Hapax, hapax, ttl="1s"):
            words = lambda who, n: [worker, "hapax", group.addresses[who], f"{n}-{i}", "hold"]
            note("hapax, TTL 1 s, the holder killed", take_over(words(0, "takeover"), words(1, "takeover"), lambda p: p.kill()))
            note("hapax, TTL 1 s, its daemon killed",
                 take_over(words(0, "again"), words(1, "again"), lambda p: group.running[0].kill()))
            group.stop()
        if waited_for:
            with concurrent.futures.ThreadPoolExecutor(len(waited_for)) as pool:
                words = [[*t.words(0, f"takeover-{i}"), "hold"] for t in waited_for]
                for target, seconds in zip(waited_for, pool.map(lambda w: take_over(w, w, lambda p: p.kill()), words)):
                    note(f"{target.name}, the holder killed", seconds)
    stage.progress("")
    stage.say("kill -9, until the next is inside; seconds. A daemon of hapax sees a client's connection end; etcd's and ZooKeeper's servers wait for "
              "the session, of as short a time as they allow")
    stage.table(["", "seconds"], [[name, stage.of(values)] for name, values in taken.items()])
    return taken
