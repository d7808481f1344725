"""Programs that a check starts and ends: free ports, waiting with a limit, ending by process id."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


class Missing(Exception):
    """Something this machine lacks; the message says what and how to get it."""


def need(program, package):
    """The path of a program, or `Missing` with the Debian package that has it."""
    path = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise Missing(f"{program} is missing: apt-get install {package}")
    return path


def need_file(path, package):
    """A file that a Debian package brings, or `Missing`."""
    if not os.path.exists(path):
        raise Missing(f"{path} is missing: apt-get install {package}")
    return path


def free_port():
    """A loopback port that was free a moment ago.

    It lies below those that systems give to connections by themselves (from 32768, or 49152): one of
    those could be some connection's by the time the program asks for it.
    """
    for _ in range(1000):
        port = random.randrange(20000, 32000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port
    raise Missing("no port of 127.0.0.1 can be listened on")


@contextlib.contextmanager
def workspace(prefix):
    """A private folder that is gone afterwards, unless PORTICO_KEEP is set."""
    folder = tempfile.mkdtemp(prefix=f"portico-{prefix}-")
    try:
        yield folder
    finally:
        if os.environ.get("PORTICO_KEEP"):
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


class Running:
    """One started program with its log; ended by its own process group, never by name."""

    def __init__(self, command, log, environment=None, folder=None):
        self.command = command
        self.log = log
        self.output = open(log, "ab")
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_alive(self):
        return self.process.poll() is None

    def wait_for_port(self, port, limit=20.0):
        """Returns once the port accepts; raises when the program ends or the limit passes."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.command[0]} ended early:\n{self.tail()}")
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            time.sleep(0.02)
        raise RuntimeError(f"{self.command[0]} does not listen on {port}:\n{self.tail()}")

    def serving(self, port, limit=20.0):
        """Itself, once the port accepts; where it never does, it is stopped."""
        try:
            self.wait_for_port(port, limit)
        except BaseException:
            self.stop()
            raise
        return self

    def kill(self):
        """SIGKILL, at once. Returns the exit status: -9, unless it had ended by itself."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()
        self.output.close()
        return self.process.returncode

    def stop(self, limit=10.0):
        """SIGTERM, then SIGKILL when that is not enough. Returns the exit status."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGTERM)
            try:
                self.process.wait(limit)
            except subprocess.TimeoutExpired:
                self.kill()
        self.output.close()
        return self.process.returncode

    def tail(self, size=4000):
        with open(self.log, "rb") as file:
            return file.read()[-size:].decode("utf-8", "replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def hold(announcement):
    """For a peer started by another program: prints one JSON line, then waits for the end of
    standard input or for SIGTERM."""
    import json

    print(json.dumps(announcement), flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt):
        sys.stdin.read()
