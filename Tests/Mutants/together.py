"""Runs many mutations with one build: in a copy of the tree, each of them behind a switch.

What no switch can stand before, and what does not build behind one, is told, to be run singly.
"""

import collections
import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass, field

import judging
import switches

ERROR = re.compile(r"^(/[^:\n]+):(\d+):\d+: error: (.*)$", re.MULTILINE)


def committed(root):
    """The files of HEAD: what stands in the tree uncommitted is somebody's work in progress."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", "HEAD"], cwd=root, capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as members:
        for member in members:
            if member.isfile():
                yield member.name, members.extractfile(member).read(), member.mode


@dataclass
class Tree:
    """The copy, and how each entry is written in it."""

    root: object
    folder: object
    known: list
    files: dict = field(default_factory=dict)
    modes: dict = field(default_factory=dict)
    choices: dict = field(default_factory=dict)
    taken: dict = field(default_factory=dict)
    singly: dict = field(default_factory=dict)
    lines: dict = field(default_factory=dict)

    def __post_init__(self):
        for name, content, mode in committed(self.root):
            self.files[name], self.modes[name] = content, mode
        remembered = self.remembered()
        for entry in self.known:
            name = entry["id"]
            text = self.files.get(entry["file"], b"").decode(errors="replace")
            if text.count(entry["old"]) != 1:
                self.singly[name] = "not in HEAD"
            elif not entry["file"].startswith("Sources/"):
                continue  # Tests read it where it stands.
            elif not entry["file"].endswith(".swift"):
                self.singly[name] = "compiled in, and not Swift"
            else:
                self.choices[name] = switches.choices(text, entry)
                self.taken[name] = remembered.get(self.key(entry), 0)
                self.settle(name)

    @property
    def switch(self):
        return self.folder / ".build" / "mutant"

    @property
    def memory(self):
        return self.folder / ".build" / "mutants.json"

    def remembered(self):
        try:
            return json.loads(self.memory.read_text())
        except (OSError, ValueError):
            return {}

    def remember(self):
        """Which way of writing an entry builds, so that the next run does not try the others."""
        known = {self.key(entry): self.taken.get(entry["id"], 0) for entry in self.known}
        self.memory.write_text(json.dumps({key: way for key, way in known.items() if way}))

    def key(self, entry):
        """Of an entry, where it stands."""
        parts = [entry[part] for part in ("id", "file", "old", "new")]
        digest = hashlib.sha256(json.dumps(parts).encode() + self.files.get(entry["file"], b""))
        return digest.hexdigest()[:24]

    def settle(self, name):
        if self.taken[name] >= len(self.choices[name]):
            self.singly.setdefault(name, "no place for a switch")

    def write(self):
        """Only what is not there yet, so that only this is compiled again."""
        wanted = dict(self.files)
        package = wanted["Package.swift"].decode()
        wanted["Package.swift"] = re.sub(r".*\.treatAllWarnings\(.*\n", "", package).encode()
        place = "Sources/PorticoBytes/MutantSwitch.swift"
        wanted[place] = switches.switch_source(self.switch).encode()
        resolved = self.root / "Package.resolved"
        if resolved.exists():
            wanted.setdefault("Package.resolved", resolved.read_bytes())
        chosen = collections.defaultdict(dict)
        for entry in self.known:
            name = entry["id"]
            if name in self.taken and name not in self.singly:
                chosen[entry["file"]][name] = self.choices[name][self.taken[name]]
        for file, entries in chosen.items():
            module = file.split("/")[1]
            text, self.lines[file] = switches.rewrite(wanted[file].decode(), entries, module)
            wanted[file] = text.encode()
        for path in sorted(self.folder.rglob("*")):
            name = str(path.relative_to(self.folder))
            if path.is_file() and not name.startswith(".build") and name not in wanted:
                path.unlink()
        for name, content in wanted.items():
            path = self.folder / name
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                path.chmod(self.modes.get(name, 0o644) | 0o600)
        self.switch.parent.mkdir(exist_ok=True)
        self.switch.write_text("")

    @contextlib.contextmanager
    def broken(self, entry):
        """While this lasts, the entry's mutation is on."""
        path, content = self.switch, entry["id"]
        if entry["id"] not in self.taken:
            path = self.folder / entry["file"]
            content = path.read_text().replace(entry["old"], entry["new"])
        before = path.read_text()
        path.write_text(content)
        try:
            yield
        finally:
            path.write_text(before)

    def build(self):
        """Writes and builds, until what does not build behind a switch is written otherwise."""
        while True:
            self.write()
            code, output = judging.build(self.folder)
            if code == 0:
                return self.remember()
            blamed = {}
            for path, line, message in ERROR.findall(output):
                file = os.path.relpath(path, self.folder)
                for name in switches.owners(self.lines.get(file, []), int(line)):
                    blamed.setdefault(name, message)
            if not blamed:
                sys.exit("the tree does not build:\n" + output[-4000:])
            for name, message in sorted(blamed.items()):
                print(f"written otherwise: {name}: {message}", flush=True)
                self.taken[name] += 1
                self.settle(name)
            self.remember()


def since(root, commit, known):
    """The entries that are not as they were at a commit."""
    folder = "scripts/mutations"
    listing = ["git", "ls-tree", "--name-only", commit, f"{folder}/"]
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout
    before = []
    for name in names.split():
        show = ["git", "show", f"{commit}:{name}"]
        content = subprocess.run(show, cwd=root, capture_output=True, check=True).stdout
        before += json.loads(content)
    return [entry for entry in known if entry not in before]


def judge(root, folder, known, chosen):
    """A line for each chosen entry; whether all that could be run were killed."""
    tree = Tree(root, folder, known)
    tree.build()
    entries = [entry for entry in chosen if entry["id"] not in tree.singly]
    spoilt = judging.unusable([entry["test"] for entry in entries], folder)
    outcomes = collections.Counter()
    for entry in entries:
        started = time.monotonic()
        name, test = entry["id"], entry["test"]
        if test in spoilt:
            word = f"unbroken: {spoilt[test]}"
        else:
            with tree.broken(entry):
                word = judging.verdict([test], folder)
            word = judging.word(entry, word)
        outcomes[word] += 1
        seconds = round(time.monotonic() - started)
        print(f"{word:<16} {name:<32} {seconds:>4} s  {test}", flush=True)
    for entry in chosen:
        if entry["id"] in tree.singly:
            print(f"{'to be run singly':<16} {entry['id']:<32} {tree.singly[entry['id']]}")
    total, killed = sum(outcomes.values()), outcomes["killed"]
    print(f"{total} broken: {killed} killed, {total - killed} not", end="")
    print(f"; {len(chosen) - total} to be run singly")
    return killed == total
