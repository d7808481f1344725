"""How fast realm files are imported, in how much memory, and how long sign-ins beside it take."""

import os
import statistics
import subprocess
import threading
import time

import realm_files

PEOPLE, CLIENTS, REALMS = 100_000, 10_000, 1_000


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
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def command(binary, data, base, file):
    return [binary, "realm", "import", file, "--public-url", base, "--data-directory", data, "-q"]


def measure(server, sign_in, folder):
    """`server` runs; `sign_in(number)` signs one of its people in."""

    def beside(file):
        seconds = []
        stop = threading.Event()

        def sign_ins():
            number = 0
            while not stop.is_set():
                begin = time.monotonic()
                sign_in(number % 8)
                seconds.append(time.monotonic() - begin)
                number += 1

        thread = threading.Thread(target=sign_ins)
        thread.start()
        try:
            result = run(command(server.binary, server.data, server.base, file), server.environment)
        finally:
            stop.set()
            thread.join()
        return result, seconds

    print("\nImports, beside the running server")
    alone = [timed(lambda: sign_in(1)) for _ in range(20)]
    for name, count, goal, options in (
        ("people", PEOPLE, "5,000/s in 200 MB", {"people": PEOPLE}),
        ("clients", CLIENTS, "5 s", {"clients": CLIENTS}),
        ("realms", REALMS, "60 s", {"realms": REALMS, "people": 3, "clients": 2}),
    ):
        file = os.path.join(folder, f"{name}.json")
        realm_files.write(file, name=f"bench-{name}", **options)
        size = os.path.getsize(file) / 1e6
        (seconds, memory), beside_it = beside(file)
        os.unlink(file)
        print(
            f"{count:>9,} {name:<10}{seconds:>8.1f} s {count / seconds:>10,.0f}/s "
            f"{size:>6.0f} MB of file in {memory:>4.0f} MB of memory   goal: {goal}"
        )
        if beside_it:
            beside_it.sort()
            print(
                f"          a sign-in beside it: median {statistics.median(beside_it) * 1000:.0f} ms, "
                f"99 of 100 below {beside_it[int(len(beside_it) * 0.99)] * 1000:.0f} ms "
                f"(alone: {statistics.median(alone) * 1000:.0f} ms)   goal: 100 ms more"
            )


def timed(body):
    begin = time.monotonic()
    body()
    return time.monotonic() - begin
