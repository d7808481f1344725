"""What became of each mutation: asked of several tests at a time, remembered, and recorded."""

import concurrent.futures
import contextlib
import datetime
import hashlib
import json
import subprocess
import threading
import time

import judging

# They start servers and browsers: one at a time, beside tests that stay in their process.
SERIAL = ("EndToEndTests.", "PorticoProgramTests.")
UNBROKEN = "unbroken"  # The test proves nothing: it is asked again in the next run.


class Judged:
    def __init__(self, tree, marks, digest, jobs, until, memory=None):
        self.tree, self.marks, self.digest = tree, marks, digest
        self.jobs, self.until = jobs, until
        self.memory = memory or tree / ".build" / "judged.json"
        self.lock, self.serial = threading.Lock(), threading.Lock()
        marks.mkdir(parents=True, exist_ok=True)
        for left in marks.iterdir():
            left.unlink()
        try:
            self.known = json.loads(self.memory.read_text())
        except (OSError, ValueError):
            self.known = {}

    def key(self, what):
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:24]

    def word(self, what):
        """What was found of an entry or a test in these sources."""
        found = self.known.get(self.key(what))
        return found["word"] if found and found["digest"] == self.digest else None

    def remember(self, what, word):
        with self.lock:
            at = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
            self.known[self.key(what)] = {"word": word, "at": at, "digest": self.digest}
            fresh = self.memory.with_suffix(".new")
            fresh.write_text(json.dumps(self.known))
            fresh.replace(self.memory)

    def waiting(self, entries):
        """Those to be judged: the ones that never were come first, then the oldest."""
        left = [entry for entry in entries if (self.word(entry) or UNBROKEN).startswith(UNBROKEN)]
        return sorted(left, key=lambda entry: self.known.get(self.key(entry), {}).get("at", ""))

    def tell(self, entry, word, seconds):
        self.remember(entry, word)
        print(f"{word:<16} {entry['id']:<32} {seconds:>4} s  {entry['test']}", flush=True)

    def one(self, entry, ask):
        started = time.monotonic()
        if started < self.until:
            self.tell(entry, ask(entry), round(time.monotonic() - started))

    def all(self, entries):
        waiting = self.waiting(entries)
        self.prove({entry["test"] for entry in waiting})
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(self.one, entry, self.ask_switched) for entry in waiting]:
                done.result()
        # Once more, alone: beside others a race may not come about.
        for entry in waiting:
            if self.word(entry) not in ("killed", None):
                self.one(entry, self.ask_switched)

    def ask(self, entry, mark=None):
        """Whether its test bites, in the tree as it was built."""
        test = entry["test"]
        spoilt = self.word(test)
        if spoilt != "passes":
            return f"{UNBROKEN}: {spoilt}"
        with self.serial if test.startswith(SERIAL) else contextlib.nullcontext():
            return judging.word(entry, judging.verdict([test], self.tree, mark))

    def ask_switched(self, entry):
        return self.ask(entry, (self.marks, entry["id"]))

    def prove(self, tests):
        """Finds the tests that do not pass though nothing is broken: they prove nothing."""
        targets = {}
        for test in sorted(tests):
            if self.word(test) != "passes" and time.monotonic() < self.until:
                targets.setdefault(test.partition(".")[0], []).append(test)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self.prove_target, targets.values()))

    def prove_target(self, tests):
        with self.serial if tests[0].startswith(SERIAL) else contextlib.nullcontext():
            if judging.verdict(tests, self.tree) == "passes":
                words = dict.fromkeys(tests, "passes")
            else:
                words = {test: judging.verdict([test], self.tree) for test in tests}
        for test, word in words.items():
            self.remember(test, word)


def record(root, path, words):
    """Writes the date and the result of a full run into the repository."""
    state = ["git", "status", "--porcelain", "--", "Sources", "Tests", "scripts/mutations"]
    dirty = subprocess.run(state, cwd=root, capture_output=True, text=True, check=True).stdout
    left = sum(word is None for word in words.values())
    if dirty or left:
        why = f"{left} are left" if left else f"not committed:\n{dirty}"
        print(f"not recorded: {why}")
        return False
    head = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(head, cwd=root, capture_output=True, text=True, check=True).stdout
    run = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": commit.strip(),
        "entries": len(words),
        "killed": sum(word == "killed" for word in words.values()),
        "not killed": {name: word for name, word in sorted(words.items()) if word != "killed"},
    }
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    return True
