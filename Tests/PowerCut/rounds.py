"""Rounds of load, SIGKILL at a random moment, restart and questions; with or without power."""

import argparse
import os
import random
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from shim import Disk  # noqa: E402  (also makes Tests/Peers importable)

from aftermath import Aftermath  # noqa: E402
from load import Worker  # noqa: E402
from portico import Portico, binary, crowd_member, write_realm  # noqa: E402
from running import Missing, workspace  # noqa: E402
from steps import Steps, Stop, closing_line  # noqa: E402


class Broken(Exception):
    """A promise was not kept; the message says which and how often."""


class Rounds:
    def __init__(self, arguments, folder, disk=None):
        realm = os.path.join(folder, "realm.json")
        write_realm(realm, crowd=arguments.workers)
        self.disk = disk
        environment = disk.environment() if disk else None
        data = disk.data if disk else os.path.join(folder, "data")
        self.provider = Portico(
            arguments.program, folder, realm, data=data, environment=environment
        )
        self.arguments = arguments
        self.chance = random.Random(arguments.seed)
        self.sessions, self.grants = [], []

    def round(self):
        """One life of the server. Returns what was counted; raises `Broken`."""
        workers, stop = self.load()
        time.sleep(self.arguments.seconds * self.chance.uniform(0.3, 1.0))
        self.provider.kill()
        stop.set()
        for worker in workers:
            worker.join(30)
        problems = [worker.problem for worker in workers if worker.problem]
        if problems:
            raise Broken(f"under load: {problems[0]}")
        if self.disk:
            self.disk.lose_power()
        sessions = [session for worker in workers for session in worker.sessions]
        codes = [code for worker in workers for code in worker.codes]
        grants = [grant for worker in workers for grant in worker.grants]
        begin = time.monotonic()
        self.provider.start()
        ready = time.monotonic() - begin
        aftermath = Aftermath(self.provider, self.arguments.limit)
        self.sessions, self.grants = aftermath.run(sessions, codes, grants)
        # A few live on, so that later rounds ask about earlier lives.
        self.sessions, self.grants = self.sessions[-8:], self.grants[-64:]
        if aftermath.findings:
            first = aftermath.findings[0]
            raise Broken(f"{len(aftermath.findings)} findings, the first: {first}")
        return len(codes), sum(len(grant.tokens) - 1 for grant in grants), ready, aftermath.counts

    def load(self):
        stop = threading.Event()
        workers = []
        for number in range(self.arguments.workers):
            sessions = self.sessions[number :: self.arguments.workers]
            mine = {id(session) for session in sessions}
            grants = [grant for grant in self.grants if id(grant.session) in mine]
            account, seed = crowd_member(number), self.chance.random()
            workers.append(Worker(self.provider, account, seed, sessions, grants, stop))
        for worker in workers:
            worker.start()
        return workers, stop

    def run(self, steps):
        with steps.step("the server starts"):
            self.provider.start(120)
        try:
            for number in range(1, self.arguments.rounds + 1):
                with steps.step(f"round {number} of {self.arguments.rounds}"):
                    codes, rotations, ready, counts = self.round()
                words = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
                print(
                    f"        {codes} codes, {rotations} rotations; ready in {ready:.2f} s; {words}"
                )
        finally:
            self.provider.stop()


def arguments(description):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", help="the portico program")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=3.0, help="the longest life of the server")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--limit", type=int, default=1500, help="grants asked about in a round")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    return parser


def kill_nine(description):
    given = arguments(description).parse_args()
    steps = Steps("kill -9")
    try:
        given.program = binary(given.binary)
        print(f"seed {given.seed}", flush=True)
        with workspace("kill-nine") as folder:
            Rounds(given, folder).run(steps)
    except Stop:
        pass
    except Missing as problem:
        steps.failed += 1
        print(f"FAILED  {problem}")
    return closing_line(steps)


def power_cut(description):
    given = arguments(description).parse_args()
    steps = Steps("power cut")
    try:
        given.program = binary(given.binary)
        print(f"seed {given.seed}", flush=True)
        with workspace("power-cut") as folder:
            disk = Disk(os.path.join(folder, "data"), os.path.join(folder, "disk"))
            Rounds(given, folder, disk).run(steps)
        with steps.step("with synchronous=OFF the same check finds what is lost"):
            check_bites(given)
    except Stop:
        pass
    except Missing as problem:
        steps.failed += 1
        print(f"FAILED  {problem}")
    return closing_line(steps)


def check_bites(given):
    """The same rounds must fail where SQLite does not sync."""
    with workspace("power-cut-off") as folder:
        disk = Disk(
            os.path.join(folder, "data"), os.path.join(folder, "disk"), synchronous_off=True
        )
        rounds = Rounds(given, folder, disk)
        rounds.provider.start(120)
        try:
            for _ in range(3):
                rounds.round()
        except (Broken, RuntimeError) as loss:
            print(f"        as it must: {' '.join(str(loss).split())[:200]}")
            return
        finally:
            rounds.provider.stop()
    raise AssertionError("three power cuts with synchronous=OFF lost nothing")
