"""Asks one test what it does in a tree that is built, and starts what the test needs beside it."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

BUILD = ["swift", "build", "--traits", "Server", "--build-tests"]
BUILD += os.environ.get("TEST_BUILD", "").split()
PATIENCE = {"build": 3600, "test": 240}
WORDS = {"fails": "killed", "passes": "SURVIVED"}


def word(entry, verdict):
    """What became of a mutation. One that ends or stops the process by its nature may do so."""
    if verdict in ("test crashes", "test hangs") and entry.get("fatal"):
        return "killed"
    return WORDS.get(verdict, verdict)


def run(command, seconds, tree, mark=None, passed=None):
    """The exit code (None: too long) and the output; ends whatever the command started.

    A mark is a folder and an id: a file there is named like the command's session and the id. It is as long as
    `passed`, a bytearray, which gets what stands in it in the end.
    """
    if mark is not None:
        begin = 'set -e; truncate -s "$2" "$0/$$.$1"; shift 2; exec "$@"'
        command = ["/bin/sh", "-c", begin, *map(str, mark), str(len(passed or b"")), *command]
    child = subprocess.Popen(
        command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        output, _ = child.communicate(timeout=seconds)
        return child.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        if mark is not None:
            made = mark[0] / f"{child.pid}.{mark[1]}"
            if passed:
                passed[:] = made.read_bytes()
            made.unlink(missing_ok=True)


def build(tree):
    return run(BUILD, PATIENCE["build"], tree)


@contextlib.contextmanager
def driver(tests):
    """A browser's driver, where a test walks in one and nobody has started it."""
    walks = any(test.startswith("EndToEndTests.") for test in tests)
    program = shutil.which("chromedriver")
    if not walks or program is None or os.environ.get("TEST_WEBDRIVER"):
        yield
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nothing = subprocess.DEVNULL
    child = subprocess.Popen(
        [program, f"--port={port}", "--allowed-ips=127.0.0.1"], stdout=nothing, stderr=nothing
    )
    os.environ["TEST_WEBDRIVER"] = f"http://127.0.0.1:{port}"
    try:
        yield
    finally:
        child.kill()
        child.wait()


def mail_server(tests, root):
    """The Python of scripts/smtpd, where a test may mail to a server that is not ours."""
    mails = any(re.match(r"PorticoMailTests\.|EndToEndTests\.", test) for test in tests)
    if mails and not os.environ.get("TEST_SMTPD"):
        found = subprocess.run([root / "scripts" / "smtpd"], stdout=subprocess.PIPE, text=True)
        if found.returncode == 0:  # Without it the test is skipped, and that is told.
            os.environ["TEST_SMTPD"] = found.stdout.strip()


def verdict(tests, tree, mark=None):
    """What tests do in the tree as it was just built: several pass only if each of them does."""
    return verdict_of(["^" + re.escape(test) + r"\(" for test in tests], tree, mark)


def verdict_of_suites(suites, tree, mark, passed=None):
    return verdict_of(["^" + re.escape(suite) + "/" for suite in suites], tree, mark, passed)


def reached(suite, tree, marks, count):
    """What a suite does where nothing is broken, and the numbers of the switches that it passes."""
    passed = bytearray(count)
    word = verdict_of_suites([suite], tree, (marks, "reached"), passed)
    return word, [number for number, byte in enumerate(passed) if byte]


def verdict_of(filters, tree, mark=None, passed=None):
    selection = [word for one in filters for word in ("--filter", one)]
    if sys.platform == "linux":  # What `swift test` starts here, without its ten seconds before.
        (bundle,) = (tree / ".build" / "debug").glob("*.xctest")
        command = [str(bundle), "--testing-library", "swift-testing", *selection]
    else:
        command = ["swift", "test", "--traits", "Server", "--skip-build", "--disable-xctest", *selection]
    code, output = run(command, PATIENCE["test"], tree, mark, passed)
    if code is None:
        return "test hangs"
    ran = re.search(r"Test run with (\d+) tests?\b.* (passed|failed) after", output)
    if not ran:
        return "test crashes"
    if int(ran[1]) < len(filters):
        return "test not run"
    if re.search(r"^\S+ +(Test|Suite) .* skipped", output, re.MULTILINE):
        return "test skipped"
    return "passes" if ran[2] == "passed" and code == 0 else "fails"


def unusable(tests, tree):
    """Of the tests, those that do not pass in a tree that is not broken: they prove nothing."""
    found = {}
    for target in sorted({test.partition(".")[0] for test in tests}):
        own = sorted({test for test in tests if test.startswith(target + ".")})
        if verdict(own, tree) != "passes":
            found |= {test: word for test in own if (word := verdict([test], tree)) != "passes"}
    return found
