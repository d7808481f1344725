#!/usr/bin/env python3
"""Proves the shim itself: against an independent model of a disk, and with SQLite's own program."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from shim import Disk, library  # noqa: E402

from running import need, workspace  # noqa: E402
from steps import Steps, Stop, closing_line, expect  # noqa: E402


def play(folder, seed, count):
    """Random file operations below `folder`, without and with the shim the same."""
    chance = random.Random(seed)
    names = [os.path.join(folder, name) for name in ("a", "b", "c", "d")]
    folder_descriptor = os.open(folder, os.O_RDONLY)
    descriptors = {}

    def descriptor(name, flags=os.O_RDWR):
        if name not in descriptors:
            descriptors[name] = os.open(name, flags | os.O_CREAT, 0o600)
        return descriptors[name]

    for _ in range(count):
        name = chance.choice(names)
        act = chance.choices(
            (
                "pwrite",
                "append",
                "truncate",
                "fsync",
                "folder",
                "rename",
                "unlink",
                "empty",
                "reopen",
            ),
            (30, 8, 6, 20, 6, 5, 5, 3, 8),
        )[0]
        offset, size = chance.randrange(0, 900_000), chance.randrange(1, 9000)
        other = chance.choice(names)
        text = chance.randbytes(size)
        if act == "pwrite":
            os.pwrite(descriptor(name), text, offset)
        elif act == "append":
            os.lseek(descriptor(name), 0, os.SEEK_END)
            os.writev(descriptor(name), [text[:100], text[100:]])
        elif act == "truncate":
            os.ftruncate(descriptor(name), offset)
        elif act == "fsync":
            chance.choice((os.fsync, os.fdatasync))(descriptor(name))
        elif act == "folder":
            os.fsync(folder_descriptor)
        elif act == "rename" and os.path.exists(name) and name != other:
            os.rename(name, other)
            descriptors.pop(other, None)  # an open file without a name: nothing more is asked of it
            if name in descriptors:
                descriptors[other] = descriptors.pop(name)
        elif act == "unlink" and os.path.exists(name):
            os.unlink(name)
            descriptors.pop(name, None)
        elif act == "empty":
            made = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.write(made, text)
            descriptors.setdefault(name, made)
        elif act == "reopen":
            descriptors.pop(name, None)
        yield act, name, other, offset, text


class Model:
    """The same operations on a disk of Python dictionaries."""

    def __init__(self, folder, durable):
        self.folder = folder
        self.live = {name: bytearray(text) for name, text in durable.items()}
        self.names = {name: name for name in durable}  # live name -> identity
        self.content = {name: bytearray(text) for name, text in durable.items()}  # by identity
        self.synced = dict(durable)  # identity -> durable content
        self.durable = {name: name for name in durable}  # durable name -> identity
        self.fresh = 0

    def identity(self, name):
        if name not in self.names:
            self.fresh += 1
            self.names[name] = f"#{self.fresh}"
            self.content[self.names[name]] = bytearray()
        return self.names[name]

    def put(self, content, offset, text):
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset : offset + len(text)] = text

    def sync(self, name):
        identity = self.identity(name)
        self.synced[identity] = bytes(self.content[identity])
        stale = [
            other
            for other, held in self.durable.items()
            if held == identity and self.names.get(other) != identity
        ]
        self.durable[name] = identity
        for other in stale:
            self.durable.pop(other, None)

    def apply(self, act, name, other, offset, text):
        if act == "pwrite":
            self.put(self.content[self.identity(name)], offset, text)
        elif act == "append":
            content = self.content[self.identity(name)]
            self.put(content, len(content), text)
        elif act == "truncate":
            content = self.content[self.identity(name)]
            if len(content) > offset:
                del content[offset:]
            else:
                content.extend(bytes(offset - len(content)))
        elif act == "fsync":
            self.sync(name)
        elif act == "folder":
            self.durable = dict(self.names)
        elif act == "rename" and name in self.names and name != other:
            self.names[other] = self.names.pop(name)
        elif act == "unlink":
            self.names.pop(name, None)
        elif act == "empty":
            content = self.content[self.identity(name)]
            content[:] = text

    def tree(self):
        return {
            os.path.basename(name): bytes(self.synced.get(identity, b""))
            for name, identity in self.durable.items()
        }


def child(folder, seed, count):
    for _ in play(folder, int(seed), int(count)):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


def read_tree(folder):
    tree = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            tree[name] = file.read()
    return tree


def check_model(steps, rounds):
    with steps.step(f"{rounds} random runs, each cut: the tree is what the model of a disk holds"):
        for seed in range(rounds):
            with workspace("shim") as folder:
                data, twin = os.path.join(folder, "data"), os.path.join(folder, "twin")
                os.makedirs(data)
                chance = random.Random(-1 - seed)
                for name in ("a", "b"):
                    with open(os.path.join(data, name), "wb") as file:
                        file.write(chance.randbytes(chance.randrange(600_000)))
                shutil.copytree(data, twin)
                count = chance.randrange(1, 400)
                disk = Disk(data, os.path.join(folder, "disk"))
                done = subprocess.run(
                    [sys.executable, __file__, "child", data, str(seed), str(count)],
                    env=disk.environment(),
                    capture_output=True,
                    text=True,
                    timeout=120,
                )
                expect(done.returncode == -signal.SIGKILL, f"the child ended: {done.stderr}")
                durable = {os.path.join(twin, name): text for name, text in read_tree(twin).items()}
                model = Model(twin, durable)
                for step in play(twin, seed, count):
                    model.apply(*step)
                live = {
                    name: model.content[model.names[os.path.join(twin, name)]]
                    for name in os.listdir(twin)
                }
                expect(read_tree(twin) == live, f"seed {seed}: the model itself is wrong")
                expect(
                    read_tree(data) == live, f"seed {seed}: the shim changed the program's files"
                )
                disk.lose_power()
                held, wanted = read_tree(data), model.tree()
                expect(
                    held == wanted,
                    f"seed {seed}: names {sorted(held)} and {sorted(wanted)}, different: "
                    f"{[n for n in held if held[n] != wanted.get(n)]}",
                )


def commits_after_power_cut(journal, synchronous, seconds, synchronous_off=False):
    """Runs the sqlite3 program, cuts it, and returns (acknowledged, found, integrity)."""
    program = need("sqlite3", "sqlite3")
    with workspace("sqlite") as folder:
        data = os.path.join(folder, "data")
        disk = Disk(data, os.path.join(folder, "disk"), synchronous_off)
        database = os.path.join(data, "test.db")
        process = subprocess.Popen(
            [program, "-batch", database],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=disk.environment(),
            text=True,
        )
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()

        def answer():
            line = process.stdout.readline()
            expect(line, "sqlite3 ended or said nothing for a minute")
            return line.strip()

        def say(sql):
            process.stdin.write(sql + "\n")
            process.stdin.flush()

        say(f"PRAGMA journal_mode={journal}; PRAGMA synchronous={synchronous};")
        process.stdout.readline()
        # A checkpoint syncs even with NORMAL: it must not happen where losses are expected.
        pages = 50 if synchronous in ("FULL", "EXTRA") else 0
        say(f"PRAGMA wal_autocheckpoint={pages};")
        say("CREATE TABLE t(n INTEGER PRIMARY KEY, text BLOB);")
        say("SELECT 'begun';")
        while answer() != "begun":
            pass
        acknowledged = 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            number = acknowledged + 1
            say(f"INSERT INTO t VALUES({number}, randomblob(3000)); SELECT {number};")
            acknowledged = int(answer())
        say(f"INSERT INTO t VALUES({acknowledged + 1}, randomblob(300000));")  # cut in the middle
        time.sleep(random.random() / 200)
        process.kill()
        process.wait()
        watchdog.cancel()
        process.stdin.close()
        process.stdout.close()
        disk.lose_power()
        found, integrity = 0, "no database"
        if os.path.exists(database):
            with sqlite3.connect(database) as connection:
                integrity = connection.execute("PRAGMA integrity_check").fetchone()[0]
                try:
                    found = connection.execute(
                        "SELECT count(*) FROM t WHERE n <= ?", (acknowledged,)
                    ).fetchone()[0]
                except sqlite3.OperationalError:  # the table itself was not durable
                    found = 0
            connection.close()
        return acknowledged, found, integrity


def check_sqlite(steps, rounds):
    # Only EXTRA syncs the folder after the journal's removal, which is the commit of DELETE.
    for journal, synchronous in (("WAL", "FULL"), ("DELETE", "EXTRA"), ("TRUNCATE", "FULL")):
        with steps.step(
            f"SQLite, {journal}, synchronous={synchronous}: {rounds} cuts lose no commit"
        ):
            for _ in range(rounds):
                acknowledged, found, integrity = commits_after_power_cut(journal, synchronous, 0.3)
                expect(acknowledged > 10, "hardly anything was committed")
                expect(found == acknowledged, f"{acknowledged - found} of {acknowledged} are lost")
                expect(integrity == "ok", integrity)
    with steps.step("SQLite, WAL, synchronous=NORMAL: a cut loses commits and breaks nothing"):
        acknowledged, found, integrity = commits_after_power_cut("WAL", "NORMAL", 0.3)
        expect(found < acknowledged, "nothing was lost: the shim sees syncs that were not made")
        expect(integrity == "ok", integrity)
    with steps.step("SQLite, synchronous=OFF: a cut loses commits"):
        acknowledged, found, _ = commits_after_power_cut("WAL", "OFF", 0.3)
        expect(found < acknowledged, "nothing was lost")
    with steps.step(
        "synchronous=OFF forced from outside loses commits of a program that says FULL"
    ):
        acknowledged, found, _ = commits_after_power_cut("WAL", "FULL", 0.3, synchronous_off=True)
        expect(found < acknowledged, "nothing was lost")


def check_speed(steps):
    with steps.step("a growing file costs by what was written, not by its size"):
        with workspace("shim") as folder:
            data = os.path.join(folder, "data")
            disk = Disk(data, os.path.join(folder, "disk"))
            script = (
                "import os,sys,time\n"
                f"d = os.open({os.path.join(data, 'log')!r}, os.O_RDWR | os.O_CREAT)\n"
                "os.ftruncate(d, 64 << 20); os.fsync(d)\n"
                "begin = time.process_time()\n"
                "for i in range(10000):\n"
                "    os.pwrite(d, bytes(4096), i * 4096); os.fdatasync(d)\n"
                "print(time.process_time() - begin)\n"
            )
            done = subprocess.run(
                [sys.executable, "-c", script],
                env=disk.environment(),
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            )
            # 10,000 whole copies of 64 MiB would take minutes; the bound only tells the two apart.
            expect(float(done.stdout) < 30, f"10,000 syncs took {done.stdout.strip()} s")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    steps = Steps("shim")
    try:
        library("synced-only")
        check_model(steps, rounds)
        check_sqlite(steps, max(2, rounds // 10))
        check_speed(steps)
    except Stop:
        pass
    return closing_line(steps)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
    else:
        sys.exit(main())
