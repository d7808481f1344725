"""Makes mutations from the syntax of the files that keep security rules, so that nobody has to write
them down: a condition of a `guard` that always holds, an `if` that never does, a comparison turned
round, an `and` for an `or`, a call that is not made.

Which suites can notice one is found out, not written down: one run of each suite records which switches
it passes (switches.py). A mutation is killed if one of those suites fails.
"""

import concurrent.futures
import contextlib
import hashlib
import json
import re
import time

import anchors
import judging
import swift_text
from results import SERIAL, Judged

SWAPPED = {
    "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
}  # fmt: skip
OPERATOR = re.compile(r"(?<= )(===|!==|==|!=|<=|>=|<|>|&&|\|\|)(?= )")
CONDITIONS = re.compile(r"(?<![.\w`#])(guard|if)\s+")
# A call whose answer nobody takes, on a line of its own: `try await store.end(…)`.
CALL = re.compile(r"^[ ]+(?:try[?!]? |await )*[\w.?!]+\(", re.MULTILINE)
NOT_CALLED = re.compile(r"^\s*(?:\.|(?:if|guard|while|for|switch|return|throws?|case|super|self|precondition|assert)\b)")
BOUND = re.compile(r"^(?:let|var|case)\b|^[#_]")
# Longer than this no suite is asked about one mutation, in seconds.
PATIENCE = 90


def parts(code, start, end):
    """The conditions between `guard` and `else`, or `if` and `{`: where each begins and ends."""
    depth, first = 0, start
    for place in range(start, end):
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
        elif code[place] == "," and depth == 0:
            yield first, place
            first = place + 1
    yield first, end


def trimmed(code, start, end):
    while start < end and code[start].isspace():
        start += 1
    while end > start and code[end - 1].isspace():
        end -= 1
    return start, end


def condition_end(code, start, keyword):
    """Where the conditions of a `guard` or an `if` end."""
    depth = 0
    for place in range(start, len(code)):
        if code[place] in "([":
            depth += 1
        elif code[place] in ")]":
            depth -= 1
        elif code[place] == "{" and depth == 0:
            # A closure without a label is inside of brackets, by the house's style.
            text = code[start:place]
            if keyword == "if":
                return place
            found = re.search(r"\belse\s*$", text)
            if found:
                return start + found.start()
        if depth < 0:
            return None
    return None


def conditions(code):
    """(what it is called, start, end, the text in its place)."""
    for found in CONDITIONS.finditer(code):
        end = condition_end(code, found.end(), found[1])
        if end is None:
            continue
        for first, last in parts(code, found.end(), end):
            first, last = trimmed(code, first, last)
            if first < last and not BOUND.match(code[first:last]):
                yield found[1], first, last, "true" if found[1] == "guard" else "false"


def comparisons(code):
    for found in OPERATOR.finditer(code):
        yield found[1], found.start(), found.end(), SWAPPED[found[1]]


def calls(code, pairs):
    for found in CALL.finditer(code):
        opening = found.end() - 1
        line = code[found.start() : found.end()]
        if opening not in pairs or NOT_CALLED.match(line) or line.strip()[0].isupper():
            continue
        end = pairs[opening] + 1
        # A line that ends an expression of the one before, or goes on, is no statement.
        before = code[: found.start()].rstrip()[-1:]
        after = code[end:].lstrip(" ")[:1]
        if before in "{}" or before == ")" or before.isalnum():
            if after in "\n}" and not code[end:].lstrip()[:1] in (".", "?"):
                yield "call", found.start() + len(line) - len(line.lstrip()), end, ""


def of_file(file, text):
    """The mutations of a source."""
    code = swift_text.blank(text)
    pairs = swift_text.pairs(code)
    if pairs is None:
        return
    declared = anchors.declarations(text)
    seen = {}
    for kind, start, end, new in [*conditions(code), *comparisons(code), *calls(code, pairs)]:
        around = [one for one in declared if one[1] <= start and end <= one[2]]
        if not around:
            continue
        name = min(around, key=lambda one: one[2] - one[1])[0]
        old = text[start:end]
        line = text[text.rfind("\n", 0, start) + 1 : text.find("\n", end)].strip()
        mark = hashlib.sha256(f"{kind} {old} {line}".encode()).hexdigest()[:6]
        number = seen[name, mark] = seen.get((name, mark), 0) + 1
        yield {
            "name": f"{name} {kind} {mark}" + (f".{number}" if number > 1 else ""),
            "at": [file, start, end],
            "old": old,
            "new": new,
        }


def all_of(sources, folders):
    """Of the files in these folders, and these files. `name` stays while the line stays; `id` is a number."""
    made = []
    for file, text in sorted(sources.files.items()):
        if file.endswith(".swift") and file.startswith(tuple(folders)):
            made += of_file(file, text)
    names = {}
    for entry in made:
        again = names[entry["name"]] = names.get(entry["name"], 0) + 1
        if again > 1:  # Two types of one name.
            entry["name"] += f" ({again})"
    return [entry | {"id": f"g{number}"} for number, entry in enumerate(made)]


def suites(tree):
    """Every suite of the bundle, as `Target.Suite`."""
    (bundle,) = (tree / ".build" / "debug").glob("*.xctest")
    command = [str(bundle), "--testing-library", "swift-testing", "--list-tests"]
    _, output = judging.run(command, 120, tree)
    return sorted({m[1] for m in re.finditer(r"^(\w+Tests\.\w+)/", output, re.MULTILINE)})


class Generated(Judged):
    """Asks those suites that pass a mutation's switch, the quick ones first."""

    def find_reaching(self, count, own):
        """Runs each suite once; remembers its seconds and the numbers of the switches it passed."""
        known = self.memory.with_name("reached.json")
        try:
            found = json.loads(known.read_text())
            assert found["digest"] == self.digest and found["count"] == count
        except (OSError, ValueError, KeyError, AssertionError):
            found = {"digest": self.digest, "count": count, "suites": {}}
        left = [suite for suite in own if suite not in found["suites"]]

        def one(suite):
            started = time.monotonic()
            with self.serial if suite.startswith(SERIAL) else contextlib.nullcontext():
                word, numbers = judging.reached(suite, self.tree, self.marks, count)
            seconds = time.monotonic() - started
            with self.lock:
                found["suites"][suite] = {"word": word, "seconds": seconds, "reached": numbers}
                known.write_text(json.dumps(found))
            print(f"{word:<16} {len(numbers):>5} reached  {seconds:6.1f} s  {suite}", flush=True)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(one, left))
        self.reaching = {}
        for suite, what in sorted(found["suites"].items(), key=lambda item: item[1]["seconds"]):
            if what["word"] == "passes":
                for number in what["reached"]:
                    self.reaching.setdefault(number, []).append((suite, what["seconds"]))

    def ask_switched(self, entry):
        known = self.reaching.get(int(entry["id"][1:]), [])
        if not known:
            return "not reached"
        spent, chunk, weight = 0, [], 0
        for suite, seconds in known + [(None, 0)]:
            if suite is not None:
                chunk.append(suite)
                weight += seconds
            if chunk and (suite is None or weight > 5):
                verdict = judging.verdict_of_suites(chunk, self.tree, (self.marks, entry["id"]))
                if verdict != "passes":
                    return "killed"
                spent, chunk, weight = spent + weight, [], 0
                if spent > PATIENCE:
                    break
        return "SURVIVED"

    def tell(self, entry, word, seconds):
        self.remember(entry, word)
        print(f"{word:<12} {seconds:>4} s  {entry['name']}: {entry['old'][:60]!r}", flush=True)

    def all(self, entries):
        waiting = self.waiting(entries)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(self.one, entry, self.ask_switched) for entry in waiting]:
                done.result()
