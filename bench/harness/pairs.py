"""Locks taken and given back, as often as there is time for: hapax, the limits of this machine, and its peers, in turn."""
import concurrent.futures
import os
import pathlib
import shutil
import statistics
import subprocess

import plots
import servers
import stage

CLIENTS = {"one": 1, "many": 64, "contended": 8}


class Target:
    """What is measured: how a worker is started, as the i-th client on a lock of that name."""

    def __init__(self, name, words, ours=False, works=tuple(CLIENTS)):
        self.name, self.words, self.ours, self.works = name, words, ours, works


def jain(values):
    return sum(values) ** 2 / (len(values) * sum(v * v for v in values)) if any(values) else 0


def measure_in_turn(work, title, targets, experiment):
    """{target: {figure: [a value for each round]}}"""
    taken = {}
    for i in range(stage.wanted.rounds):
        for target in targets:
            if work not in target.works:
                continue
            stage.progress(f"{experiment}: {title}: round {i + 1} of {stage.wanted.rounds}: {target.name}")
            all_figures = stage.run_clients(target.words, CLIENTS[work], f"{work}-{experiment.replace(' ', '-')}-{i}", work == "contended")
            row = taken.setdefault(target.name, {})
            note = lambda figure, value: row.setdefault(figure, []).append(value)
            note("per_second", sum(f["entries"] / f["seconds"] for f in all_figures))
            note("p50_us", statistics.median(f["p50_us"] for f in all_figures))
            note("p99_us", max(f["p99_us"] for f in all_figures))
            note("jain", jain([f["entries"] for f in all_figures]))
            hand_offs = [f["hand_off_p50_us"] for f in all_figures if f["hand_off_p50_us"] > 0]
            if work == "contended" and hand_offs:
                note("hand_off_p50_us", statistics.median(hand_offs))
                note("hand_off_p99_us", max(f["hand_off_p99_us"] for f in all_figures))
    return taken


def show(work, title, taken, experiment):
    stage.progress("")
    stage.say(f"{title}, {experiment}")
    headings = ["", "pairs/s", "lock, p50 µs", "p99 µs"]
    headings += ["Jain"] if work != "one" else []
    headings += ["release → next inside, p50 µs", "p99 µs"] if work == "contended" else []
    rows = []
    for name, row in taken.items():
        cells = [name, stage.of(row["per_second"]), stage.of(row["p50_us"]), stage.of(row["p99_us"])]
        cells += [f"{statistics.median(row['jain']):.2f}"] if work != "one" else []
        if work == "contended":
            cells += [stage.of(row[f]) if f in row else "" for f in ("hand_off_p50_us", "hand_off_p99_us")]
        rows.append(cells)
    stage.table(headings, rows)


def draw(work, title, taken, targets, experiment):
    ours = {t.name for t in targets if t.ours}
    rows = [(name, min(r["per_second"]), statistics.median(r["per_second"]), max(r["per_second"]), name in ours)
            for name, r in taken.items()]
    rows.sort(key=lambda r: -r[2])
    file = pathlib.Path(stage.wanted.plots) / f"{work}-{experiment.replace(' ', '-')}.svg"
    file.write_text(plots.plot(f"{title}, {experiment}", "lock and unlock, pairs a second", rows))


# --- what is there to be measured ---

def build(what, words, **options):
    """Whether it could be built."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    if done.returncode:
        stage.complain(f"left out: {what}: {done.stderr[-500:]}")
    return done.returncode == 0


def build_go():
    """etcd's own client, if there is a Go to build it with."""
    source = pathlib.Path(__file__).resolve().parent.parent / "peers" / "etcd_worker.go"
    if shutil.which("go") is None or not source.exists():
        stage.complain("left out: Go's client of etcd: needs golang-go and golang-etcd-server-dev")
        return None
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": stage.beside("go-cache")}
    program = stage.place / "etcd_worker"
    return program if build("Go's client of etcd", ["go", "build", "-o", program, source], env=environment) else None


def build_curator():
    """ZooKeeper's own client with Curator's recipe, if there is a Java to build it with: how it is started."""
    source = pathlib.Path(__file__).resolve().parent.parent / "peers" / "CuratorWorker.java"
    jars = [pathlib.Path("/usr/share/java") / f"{name}.jar"
            for name in ("curator-recipes", "curator-framework", "curator-client", "zookeeper", "guava", "slf4j-nop")]
    if shutil.which("javac") is None or not all(jar.exists() for jar in jars):
        stage.complain("left out: Curator: needs libcurator-recipes-java and default-jdk-headless")
        return None
    path = ":".join(str(jar) for jar in jars)
    if not build("Curator", ["javac", "-d", stage.place, "-cp", path, source]):
        return None
    return ["java", "-XX:+UseSerialGC", "-Xmx128m", "-cp", f"{path}:{stage.place}", "CuratorWorker"]


def build_peers():
    """(Go's client, Curator), as far as they are wanted."""
    stage.progress("building the clients of etcd and ZooKeeper")
    return (build_go() if "etcd" in stage.wanted.peers else None, build_curator() if "zookeeper" in stage.wanted.peers else None)


def start_servers(worker, hapax):
    """All at once: most of their time is waiting. By name; None for what cannot be had."""
    kinds = {"hapax": (servers.Hapax, hapax), "bare": (servers.Bare, worker)}
    if "redis" in stage.wanted.peers:
        kinds["redis"] = (servers.Redis, 1)
    if "redlock" in stage.wanted.peers:
        kinds["redlock"] = (servers.Redis, 3)
    if "postgres" in stage.wanted.peers:
        kinds["postgres"] = (servers.Postgres,)
    for peer, kind in (("etcd", servers.Etcd), ("zookeeper", servers.ZooKeeper)):
        if peer in stage.wanted.peers:
            kinds.update({f"{peer}-{count}": (kind, count) for count in (1, 3)})
    stage.progress("starting " + ", ".join(kinds))
    with concurrent.futures.ThreadPoolExecutor(len(kinds)) as pool:
        try:
            began = {name: pool.submit(stage.start, *words) for name, words in kinds.items()}
            return {name: server.result() for name, server in began.items()}
        except KeyboardInterrupt:
            servers.stopping.set()
            raise


def make_targets(worker, there, go, curator):
    """`there`: the servers, by name."""
    at = lambda i: there["hapax"].addresses[i % len(there["hapax"].addresses)]
    targets = [
        Target("hapax, Carvalho–Roucairol, the lock stays", lambda i, n: [worker, "hapax", at(i), n], ours=True),
        Target("hapax, Carvalho–Roucairol, asked for anew", lambda i, n: [worker, "hapax-anew", at(i), n], ours=True),
        Target("hapax, Ricart–Agrawala", lambda i, n: [worker, "hapax", at(i), f"ra/{n}"], ours=True),
        Target("limit: std::mutex in one thread", lambda i, n: [worker, "mutex", "-", n], works=("one",)),
        Target("limit: a Unix-socket round trip", lambda i, n: [worker, "round-trip", "-", n], works=("one", "many")),
        Target("limit: a fan-out to two and back", lambda i, n: [worker, "fan-out", "-", n], works=("one",)),
        Target("flock(2), this machine only", lambda i, n: [worker, "flock", stage.place, n]),
    ]
    if bare := there["bare"]:
        targets.insert(-1, Target("limit: one server with a queue a lock, and nothing else", lambda i, n: [worker, "bare", bare.path, n]))
    if one := there.get("redis"):
        targets.append(Target("Redis", lambda i, n: [worker, "redis", one.hosts, n]))
        targets.append(Target("Redis, asking without a pause", lambda i, n: [worker, "redis-spinning", one.hosts, n], works=("contended",)))
    if three := there.get("redlock"):
        targets.append(Target("Redlock × 3", lambda i, n: [worker, "hapax", f"redis://{three.hosts}", n]))
    if sql := there.get("postgres"):
        targets.append(Target("PostgreSQL", lambda i, n: [worker, "postgres", sql.address, n]))
    for count in (1, 3):
        if etcd := there.get(f"etcd-{count}"):
            if go:
                targets.append(Target(f"etcd × {count}, Go's client", lambda i, n, e=etcd: [go, e.hosts, n]))
            if count == 3:
                targets.append(Target("etcd × 3, hapax's client", lambda i, n, e=etcd: [worker, "hapax", f"etcd://{e.hosts}", n]))
    for count in (1, 3):
        if keeper := there.get(f"zookeeper-{count}"):
            if curator:  # Not with 64 clients: as many Java machines take minutes to begin.
                targets.append(Target(f"ZooKeeper × {count}, Curator", lambda i, n, z=keeper: [*curator, z.hosts, n],
                                      works=("one", "contended")))
            targets.append(Target(f"ZooKeeper × {count}, hapax's client",
                                  lambda i, n, z=keeper: [worker, "hapax", f"zookeeper://{z.hosts}", n]))
    return targets
