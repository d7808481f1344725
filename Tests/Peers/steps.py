"""One plain line per step: `ok` or `FAILED`; the run fails when one step does."""

import contextlib
import sys


class Steps:
    def __init__(self, subject):
        self.subject = subject
        self.passed = 0
        self.failed = 0
        # For a product that `portico client create --for` knows: its name there, which version ran
        # and what was seen of it. See record.py.
        self.product = None
        self.version = None
        self.seen = None

    @contextlib.contextmanager
    def step(self, name):
        """Runs the block; what it raises makes the step fail and ends the sequence."""
        try:
            yield
        except Exception as problem:
            self.failed += 1
            print(
                f"FAILED  {self.subject}: {name}: {type(problem).__name__}: {problem}", flush=True
            )
            raise Stop from problem
        self.passed += 1
        print(f"ok      {self.subject}: {name}", flush=True)

    def take(self, done):
        """Counts the lines of a program that has steps of its own, and has ended."""
        for line in done.stdout.splitlines():
            if line.startswith("ok "):
                self.passed += 1
            elif line.startswith("FAILED "):
                self.failed += 1
            else:
                continue
            print(line, flush=True)
        if done.returncode != 0 and not self.failed:
            self.failed += 1
            print(f"FAILED  {self.subject}: it ended with {done.returncode}", flush=True)

    def skipped(self, why):
        print(f"skipped {self.subject}: {why}", flush=True)


class Stop(Exception):
    """A step failed; it has been printed."""


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def closing_line(*all_steps, skipped=0):
    """The line that test reports count, and the exit status."""
    passed = sum(steps.passed for steps in all_steps)
    failed = sum(steps.failed for steps in all_steps)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.stdout.flush()
    return 1 if failed or not passed else 0
