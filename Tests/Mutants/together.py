"""Runs many mutations with one build: in a copy of the tree, each of them behind a switch.

What no switch can stand before, and what does not build behind one, has a build of its own in the
end. What was judged is remembered in the copy, for these sources: a run that was ended goes on.
"""

import collections
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile

import generated
import judging
import written
from anchors import Sources
from results import Judged


def committed(root):
    """The files of HEAD: what stands in the tree uncommitted is work in progress."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", "HEAD"], cwd=root, capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as members:
        for member in members:
            if member.isfile():
                yield member.name, members.extractfile(member).read(), member.mode


class Tree:
    """The copy of HEAD in a folder, with these entries, or those that are made of its sources."""

    def __init__(self, root, folder, known, makes=None):
        self.folder = folder
        self.files, self.modes = {}, {}
        for name, content, mode in committed(root):
            self.files[name], self.modes[name] = content, mode
        if (root / "Package.resolved").exists():
            self.files.setdefault("Package.resolved", (root / "Package.resolved").read_bytes())
        package = self.files["Package.swift"].decode()
        self.files["Package.swift"] = re.sub(r".*\.treatAllWarnings\(.*\n", "", package).encode()
        texts = {
            name: content.decode(errors="replace")
            for name, content in self.files.items()
            if name.startswith("Sources/") or name in {entry.get("file") for entry in known}
        }
        sources = Sources(texts)
        if makes is not None:
            known = makes(sources)
        self.memory = folder / ".build" / "mutants.json"
        self.memory.parent.mkdir(parents=True, exist_ok=True)
        self.written = written.Entries(sources, known, folder / ".build" / "mutants")
        try:
            self.written.choose(json.loads(self.memory.read_text()))
        except (OSError, ValueError):
            pass  # The first build here, or one that was ended: it is found out again.

    def digest(self):
        """Of all that decides what a test does."""
        found = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            if name.startswith(("Sources/", "Tests/", "Package.")) and not name.endswith(".py"):
                found.update(f"{name} {len(content)} ".encode() + content)
        return found.hexdigest()[:24]

    def write(self, plainly=()):
        """Only what is not there yet, so that only this is compiled again."""
        wanted = self.files | {name: text.encode() for name, text in self.written.texts().items()}
        for entry in plainly:
            file, text = self.written.plainly(entry)
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

    def build(self):
        """Writes and builds, until what does not build behind a switch is written otherwise."""
        while True:
            self.write()
            code, output = judging.build(self.folder)
            if code == 0:
                break
            if not self.written.blame(output, self.folder):
                sys.exit("the tree does not build:\n" + output[-4000:])
            self.memory.write_text(json.dumps(self.written.remembered()))
        self.memory.write_text(json.dumps(self.written.remembered()))

    def judge_singly(self, entry, judged):
        """With a build of its own, in which no switch is on."""
        self.write([entry])
        code, _ = judging.build(self.folder)
        return "does not build" if code != 0 else judged.ask(entry)


def since(root, commit, known):
    """The entries that are not as they were at a commit."""
    folder = "scripts/mutations"
    listing = ["git", "ls-tree", "--name-only", commit, f"{folder}/"]
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout
    before = []
    for name in names.split():
        show = ["git", "show", f"{commit}:{name}"]
        content = subprocess.run(show, cwd=root, capture_output=True, check=True).stdout
        before += [entry for entry in json.loads(content) if isinstance(entry, dict)]
    return [entry for entry in known if entry not in before]


def judge(root, folder, known, chosen, jobs, until):
    """Judges the chosen entries, those first that were never judged; what is known of each then."""
    tree = Tree(root, folder, known)
    tree.build()
    judged = Judged(folder, tree.written.marks, tree.digest(), jobs, until)
    singly = dict(tree.written.singly)
    judged.all([entry for entry in chosen if entry["id"] not in singly])
    alone = [entry for entry in chosen if entry["id"] in singly]
    judged.prove({entry["test"] for entry in alone})
    for entry in judged.waiting(alone):
        if entry["id"] in tree.written.places:
            judged.one(entry, lambda entry: tree.judge_singly(entry, judged))
        else:
            judged.tell(entry, singly[entry["id"]], 0)
    if alone:
        tree.build()
    return {entry["id"]: judged.word(entry) for entry in chosen}


def judge_generated(root, folder, folders, sample, jobs, until):
    """Judges what is made of the syntax of these folders, or an even sample of it; by name."""
    tree = Tree(root, folder, [], lambda sources: generated.all_of(sources, folders))
    tree.build()
    judged = generated.Generated(folder, tree.written.marks, tree.digest(), jobs, until)
    made = list(tree.written.entries.values())
    fit = [entry for entry in made if entry["id"] not in tree.written.singly]
    print(f"{len(made)} made, {len(made) - len(fit)} of them do not build", flush=True)
    judged.find_reaching(len(made), generated.suites(folder))
    chosen = fit[:: max(1, len(fit) // sample)] if sample else fit
    judged.all(chosen)
    return {entry["name"]: judged.word(entry) for entry in chosen}


def summary(words):
    """A line; whether all were killed."""
    counts = collections.Counter(words.values())
    killed, left = counts["killed"], counts[None]
    print(f"{len(words) - left} broken: {killed} killed, {len(words) - left - killed} not", end="")
    print(f"; {left} left for the next run" if left else "")
    return killed == len(words) - left
