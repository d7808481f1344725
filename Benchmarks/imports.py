"""How fast realm files are imported, in how much memory, and how long sign-ins beside it take."""

import os
import statistics
import subprocess
import threading
import time

import realm_files

PEOPLE, CLIENTS, REALMS = 100_000, 10_000, 1_000
# What a sign-in beside an import may take more than one alone, in seconds.
MOST = 0.1


def run(command, environment):
    """Runs a command to its end: seconds, and the most memory that it had, in MB."""
    begin = time.monotonic()
    with open(os.devnull, "wb") as nowhere:
        running = subprocess.Popen(command, stdout=nowhere, stderr=subprocess.PIPE, env=environment)
        errors = running.stderr.read()
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        running.stderr.close()
    if running.returncode != 0:
        raise RuntimeError(f"{command}: {errors.decode()[-1000:]}")
    # The kernel counts in units of 1,024 bytes (getrusage(2)).
    return time.monotonic() - begin, usage.ru_maxrss * 1024 / 1e6


def command(binary, data, base, file):
    return [binary, "realm", "import", file, "--public-url", base, "--data-directory", data, "-q"]


class SignIns:
    """One after the other, until the end of the `with`."""

    def __init__(self, sign_in):
        self.sign_in = sign_in
        self.seconds = []
        self.error = None
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.go_on)

    def go_on(self):
        try:
            number = 0
            while not self.stop.is_set():
                self.seconds.append(timed(lambda: self.sign_in(number % 8)))
                number += 1
        except Exception as error:
            self.error = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        # One that failed was not slow, but there is nothing to say of it otherwise.
        if self.error:
            raise self.error


def measure(server, sign_in, folder, megabytes=None):
    """`server` runs; `sign_in(number)` signs one of its people in. With `megabytes`, one realm of that
    size with nothing but people in it is measured besides."""
    kinds = [
        ("people", PEOPLE, "5,000/s in 200 MB", {"people": PEOPLE}),
        ("clients", CLIENTS, "5 s", {"clients": CLIENTS}),
        ("realms", REALMS, "60 s", {"realms": REALMS, "people": 3, "clients": 2}),
    ]
    if megabytes:
        people = realm_files.people_in(megabytes)
        kinds.append(("people", people, f"{megabytes:,} MB in 200 MB", {"people": people}))
    print("\nImports, beside the running server")
    alone = statistics.median(timed(lambda: sign_in(1)) for _ in range(20))
    for number, (name, count, goal, options) in enumerate(kinds):
        file = os.path.join(folder, f"{name}.json")
        realm_files.write(file, name=f"bench-{number}-{name}", **options)
        size = os.path.getsize(file) / 1e6
        with SignIns(sign_in) as beside:
            importing = command(server.binary, server.data, server.base, file)
            seconds, memory = run(importing, server.environment)
        os.unlink(file)
        print(
            f"{count:>9,} {name:<10}{seconds:>8.1f} s {count / seconds:>10,.0f}/s "
            f"{size:>6.0f} MB of file in {memory:>4.0f} MB of memory   goal: {goal}"
        )
        report(beside.seconds, alone)


def report(seconds, alone):
    """What the sign-ins beside an import took, the last of them perhaps after its end."""
    if not seconds:
        return print("          no sign-in beside it")
    seconds = sorted(seconds)
    late = sum(one > alone + MOST for one in seconds)
    print(
        f"          {len(seconds):,} sign-ins beside it: median {milliseconds(statistics.median(seconds))}, "
        f"99 of 100 below {milliseconds(seconds[int(len(seconds) * 0.99)])}, "
        f"at most {milliseconds(seconds[-1])} (alone: {milliseconds(alone)}); "
        f"{late:,} took {milliseconds(MOST)} more   goal: none",
        flush=True,
    )


def milliseconds(seconds):
    return f"{seconds * 1000:.0f} ms"


def timed(body):
    begin = time.monotonic()
    body()
    return time.monotonic() - begin
