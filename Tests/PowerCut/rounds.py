"""Rounds of load, SIGKILL at a random moment, restart and checks; with or without a power cut."""

import argparse
import os
import random
import signal
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from shim import Disk  # noqa: E402  (also makes Tests/Peers importable)

import backend_load  # noqa: E402
from aftermath import Aftermath  # noqa: E402
from backend import Backend  # noqa: E402
from backend_aftermath import BackendAftermath  # noqa: E402
from backend_load import BackendWorker  # noqa: E402
from load import Worker  # noqa: E402
from portico import binary, crowd_member, write_realm  # noqa: E402
from running import Missing, workspace  # noqa: E402
from steps import Steps, Stop, closing_line  # noqa: E402
from web import Visitor  # noqa: E402

# Seconds for what must happen.
PATIENCE = 60


class Broken(Exception):
    """A promise was not kept; the message says which and how often."""


class Ended(Exception):
    """The server was not alive when it was to be killed."""


class Rounds:
    def __init__(self, arguments, folder, disk=None, environment=None):
        realm = os.path.join(folder, "realm.json")
        write_realm(realm, crowd=arguments.workers + arguments.backend_workers)
        self.disk = disk
        data = disk.data if disk else os.path.join(folder, "data")
        self.server = Backend(arguments.program, folder, realm, data=data)
        backend_load.set_up(self.server)
        if disk:
            disk.settle()
            environment = disk.environment(environment)
        self.server.environment = environment
        self.arguments = arguments
        self.chance = random.Random(arguments.seed)
        self.is_first = True
        self.sessions, self.grants, self.web, self.apps = [], [], [], []
        self.users = backend_load.Users()

    def round(self):
        """One life of the server. Returns what was counted; raises `Broken`."""
        workers, stop = self.load()
        try:
            self.until_all_work(workers)
            # The first life is a long one: what ends a server after seconds ends it in there.
            share, self.is_first = 1 if self.is_first else self.chance.random(), False
            time.sleep(self.arguments.seconds * share)
            self.killed(workers)
        finally:
            stop.set()
            for worker in workers:
                worker.join(30)
        problems = [worker.problem for worker in workers if worker.problem]
        if problems:
            raise Broken(f"under load: {problems[0]}")
        if self.disk:
            self.disk.lose_power()
        begin = time.monotonic()
        self.server.start()
        ready = time.monotonic() - begin
        return {"seconds until it was ready": round(ready, 2)} | self.ask(workers)

    def until_all_work(self, workers):
        """A life in which nothing was promised proves nothing."""
        end = time.monotonic() + PATIENCE
        while not all(worker.has_worked() or worker.problem for worker in workers):
            if any(worker.lost for worker in workers) or not self.server.running.is_alive:
                raise Ended(f"the server ended by itself:\n{self.server.running.tail(1500)}")
            if time.monotonic() > end:
                idle = [type(worker).__name__ for worker in workers if not worker.has_worked()]
                raise Broken(f"in {PATIENCE} s no code was redeemed by {len(idle)} of: {set(idle)}")
            time.sleep(0.01)

    def killed(self, workers):
        """SIGKILL, to a server that lives and answers: one that crashed before proves nothing."""
        try:
            answer = Visitor(timeout=PATIENCE).get(f"{self.server.base}/healthz")
        except OSError as problem:
            tail = self.server.running.tail(1500)
            raise Ended(f"the server did not answer before the kill: {problem}\n{tail}") from None
        if answer.status != 200:
            raise Broken(f"/healthz answers {answer.status} before the kill")
        moment = time.monotonic()
        status = self.server.kill()
        if status != -signal.SIGKILL:
            tail = self.server.running.tail(1500)
            raise Ended(f"the server had ended before the kill, with {status}:\n{tail}")
        if any(worker.lost and worker.lost < moment for worker in workers):
            raise Broken("an answer was lost before the kill")

    def ask(self, workers):
        there = [worker for worker in workers if isinstance(worker, Worker)]
        front = [worker for worker in workers if isinstance(worker, BackendWorker)]
        sessions, codes, grants = (every(there, name) for name in ("sessions", "codes", "grants"))
        web, hand_offs, apps = (every(front, name) for name in ("web", "codes", "apps"))
        aftermath = Aftermath(self.server, self.arguments.limit)
        self.sessions, self.grants = aftermath.run(sessions, codes, grants)
        behind = BackendAftermath(self.server, self.arguments.limit, self.users)
        self.web, self.apps = behind.run(web, hand_offs, apps)
        # A few live on, so that later rounds ask about earlier lives.
        self.sessions, self.grants = self.sessions[-8:], self.grants[-64:]
        self.web, self.apps = self.web[-16:], self.apps[-64:]
        findings = aftermath.findings + behind.findings
        if findings:
            raise Broken(f"{len(findings)} findings, the first: {findings[0]}")
        rotations = sum(len(one.tokens) - 1 for one in grants + apps)
        issued = {"codes": len(codes), "hand-offs": len(hand_offs), "rotations": rotations}
        return issued | aftermath.counts | behind.counts

    def load(self):
        stop = threading.Event()
        count = self.arguments.workers
        workers = []
        for number in range(count):
            sessions = self.sessions[number::count]
            mine = {id(session) for session in sessions}
            grants = [grant for grant in self.grants if id(grant.session) in mine]
            account, seed = crowd_member(number), self.chance.random()
            workers.append(Worker(self.server, account, seed, sessions, grants, stop))
        for number in range(count, count + self.arguments.backend_workers):
            account, seed = crowd_member(number), self.chance.random()
            web = [one for one in self.web if one.person == account[0]]
            apps = [one for one in self.apps if one.person == account[0]]
            of = (self.server, account, seed, self.users, web, apps, stop)
            workers.append(BackendWorker(*of))
        for worker in workers:
            worker.start()
        return workers, stop

    def run(self, steps):
        with steps.step("the server starts"):
            self.server.start(120)
        try:
            for number in range(1, self.arguments.rounds + 1):
                with steps.step(f"round {number} of {self.arguments.rounds}"):
                    counts = self.round()
                print("        " + ", ".join(f"{count} {what}" for what, count in counts.items()))
        finally:
            self.server.stop()


def every(workers, name):
    return [one for worker in workers for one in getattr(worker, name)]


def check_end(given):
    """A server that ends by itself is found out, and not taken for one that was killed."""
    with workspace("ended") as folder:
        # No report of the crash: it would take longer than the round.
        environment = dict(os.environ) | {"SWIFT_BACKTRACE": "enable=no"}
        rounds = Rounds(given, folder, environment=environment)
        rounds.server.start(120)
        load = rounds.load

        def load_that_crashes():
            crash = threading.Timer(0.5, os.kill, (rounds.server.running.pid, signal.SIGILL))
            crash.start()
            return load()

        rounds.load = load_that_crashes
        try:
            rounds.round()
        except Ended as found:
            print(f"        as it must: {' '.join(str(found).split())[:100]}")
            return
        finally:
            rounds.server.stop()
    raise AssertionError("a server that crashed counts as one that was killed")


def arguments(description):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", help="the portico program")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=3.0, help="the longest that a server lives on once all work")
    parser.add_argument("--workers", type=int, default=6, help="at the Provider")
    parser.add_argument("--backend-workers", type=int, default=4, help="at the backend")
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
        with steps.step("a server that crashes by itself is found out"):
            check_end(given)
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
        rounds.server.start(120)
        try:
            for _ in range(3):
                rounds.round()
        except (Broken, RuntimeError) as loss:
            print(f"        as it must: {' '.join(str(loss).split())[:200]}")
            return
        finally:
            rounds.server.stop()
    raise AssertionError("three power cuts with synchronous=OFF lost nothing")
