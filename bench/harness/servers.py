"""The servers that `hapax bench` starts on this machine, and stops: each knows its address, and when it answers."""
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time


class Failed(Exception):
    pass


all_servers = []
stopping = threading.Event()  # Whoever waits for a server to start gives up.


def stop_all():
    stopping.set()
    for server in list(all_servers):
        server.stop()


ports_given = set()  # Servers start side by side, and none takes its port at once.


def free_port():
    while True:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        if port not in ports_given:
            ports_given.add(port)
            return port


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 0.5):
            return True
    except OSError:
        return False


def ask(port, words):
    """What a server says to a line, as text; nothing if it does not."""
    try:
        with socket.create_connection(("127.0.0.1", port), 0.5) as s:
            s.settimeout(0.5)
            s.sendall(words)
            return s.recv(4096).decode(errors="replace")
    except OSError:
        return ""


class Servers:
    """Processes in a folder of their own, below `place`; all of them end with it."""

    def __init__(self, place):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="server-", dir=place))
        os.chmod(self.folder, 0o755)
        self.running = []
        all_servers.append(self)  # From now on, so that nothing stays even if it does not start.

    def start(self, words, **options):
        log = open(self.folder / "log", "ab")
        process = subprocess.Popen([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)
        self.running.append(process)
        return process

    def wait_until(self, is_there, seconds=60):
        until = time.monotonic() + seconds
        while not is_there():
            gone = [p for p in self.running if p.poll() is not None]
            if gone or stopping.is_set() or time.monotonic() > until:
                self.stop()
                raise Failed(f"{type(self).__name__} does not start: " + (self.folder / "log").read_text(errors="replace")[-800:])
            time.sleep(0.05)

    def stop(self):
        all_servers.remove(self)
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()

    def resident(self):
        """Bytes of memory, of all of them."""
        total = 0
        for process in self.running:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            total += int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024
        return total

    def cpu_seconds(self):
        """Of all threads, to the nanosecond: a member at rest uses less than the ticks that /proc/PID/stat counts in."""
        files = (f for p in self.running for f in pathlib.Path(f"/proc/{p.pid}/task").glob("*/schedstat"))
        return sum(int(file.read_text().split()[0]) for file in files) / 1e9


class Hapax(Servers):
    """A group of daemons on an embedded engine. Locks below `ra/` are served by Ricart-Agrawala."""

    def __init__(self, place, hapax, members=3, ttl="10s"):
        super().__init__(place)
        self.hapax = hapax
        self.addresses = [f"unix:{self.folder}/clients-{i}" for i in range(members)]
        for i, address in enumerate(self.addresses):
            self.start([hapax, "node", "--engine", f"embedded:{self.folder}/group.db", "--listen", f"unix:{self.folder}/member-{i}",
                        "--name", f"m{i}", "--clients", address, "--ttl", ttl, "--new-group", "--state", f"{self.folder}/state-{i}",
                        "--algorithm", "ra/*=ricart-agrawala"])
            if i == 0:
                self.wait_until(lambda: self.view_size(address) > 0)
        self.wait_until(lambda: all(self.view_size(a) == members for a in self.addresses), 180)

    def view_size(self, address):
        """As many as are in the view of the member there; 0 if it does not serve."""
        done = subprocess.run([self.hapax, "status", "--json", "--address", address], capture_output=True, text=True)
        status = json.loads(done.stdout) if done.returncode == 0 else {"ready": False}
        return status["size"] if status["ready"] else 0


class Bare(Servers):
    """The limit: one process with a queue a lock, and nothing else."""

    def __init__(self, place, worker):
        super().__init__(place)
        self.path = str(self.folder / "socket")
        self.start([worker, "bare-server", self.path])
        self.wait_until(lambda: os.path.exists(self.path))


class Etcd(Servers):
    def __init__(self, place, servers):
        super().__init__(place)
        client, peer = [free_port() for _ in range(servers)], [free_port() for _ in range(servers)]
        url = "http://127.0.0.1:{}".format
        cluster = ",".join(f"n{i}={url(p)}" for i, p in enumerate(peer))
        for i in range(servers):
            self.start(["etcd", "--name", f"n{i}", "--data-dir", self.folder / f"n{i}", "--listen-client-urls", url(client[i]),
                        "--advertise-client-urls", url(client[i]), "--listen-peer-urls", url(peer[i]),
                        "--initial-advertise-peer-urls", url(peer[i]), "--initial-cluster", cluster])
        self.hosts = ",".join(f"127.0.0.1:{p}" for p in client)
        self.wait_until(lambda: all('"health":"true"' in ask(p, b"GET /health HTTP/1.0\r\n\r\n") for p in client))


class ZooKeeper(Servers):
    def __init__(self, place, servers):
        super().__init__(place)
        ports = [[free_port() for _ in range(3)] for _ in range(servers)]
        peers = "".join(f"server.{i + 1}=127.0.0.1:{p[1]}:{p[2]}\n" for i, p in enumerate(ports)) if servers > 1 else ""
        for i, port in enumerate(ports):
            home = self.folder / f"n{i}"
            (home / "data").mkdir(parents=True)
            (home / "data" / "myid").write_text(f"{i + 1}\n")
            (home / "zoo.cfg").write_text(f"tickTime=500\ninitLimit=20\nsyncLimit=6\nadmin.enableServer=false\nmaxClientCnxns=0\n"
                                          f"4lw.commands.whitelist=srvr\nclientPort={port[0]}\ndataDir={home}/data\n{peers}")
            self.start(["java", "-Xmx256m", "-cp", f"{home}:/usr/share/java/zookeeper.jar",
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain", home / "zoo.cfg"])
        self.hosts = ",".join(f"127.0.0.1:{p[0]}" for p in ports)
        self.wait_until(lambda: all("Mode: " in ask(p[0], b"srvr") for p in ports))


class Redis(Servers):
    def __init__(self, place, servers):
        super().__init__(place)
        ports = [free_port() for _ in range(servers)]
        for port in ports:
            self.start(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", self.folder])
        self.hosts = ",".join(f"127.0.0.1:{p}" for p in ports)
        self.wait_until(lambda: all(answers(p) for p in ports))


class Postgres(Servers):
    def __init__(self, place):
        super().__init__(place)
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
        if not found:
            raise Failed("PostgreSQL is not there")
        # It refuses to run as root.
        user = {}
        if os.getuid() == 0:
            who = pwd.getpwnam("postgres")
            shutil.chown(self.folder, who.pw_uid, who.pw_gid)
            user = {"user": who.pw_uid, "group": who.pw_gid, "cwd": self.folder}
        subprocess.run([found[-1] / "initdb", "-D", self.folder / "data", "-A", "trust", "-U", "bench", "--no-sync"],
                       check=True, capture_output=True, **user)
        port = free_port()
        self.start([found[-1] / "postgres", "-D", self.folder / "data", "-p", port, "-k", self.folder, "-h", "127.0.0.1",
                    "-c", "max_connections=100"], **user)
        self.address = f"host=127.0.0.1 port={port} user=bench dbname=postgres"
        asks = [found[-1] / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        self.wait_until(lambda: subprocess.run(asks).returncode == 0)
