"""Judges a part of the entries in the tree as it was built for the tests: their files get switches,
only these are compiled again, and stand as they were in the end."""

import contextlib
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import judging
import written
from results import Judged

PARTS = 20


def number(root):
    """Of the part, from the commit: a failure can be repeated, and every part's turn comes."""
    head = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(head, cwd=root, capture_output=True, text=True, check=True).stdout
    return int(commit[:12], 16) % PARTS + 1


def part(sources, known, wanted):
    """Neighbours: of few targets, and so little is compiled."""
    places = {entry["id"]: sources.place(entry) for entry in known}
    found = sorted(
        (entry for entry in known if places[entry["id"]].file.startswith("Sources/")),
        key=lambda entry: (places[entry["id"]].file, places[entry["id"]].start, entry["id"]),
    )
    size = math.ceil(len(found) / PARTS)
    return found[(wanted - 1) * size : wanted * size]


def unsaved(root, files):
    """Of the files, those that are not as they were committed."""
    state = ["git", "status", "--porcelain", "--", *files]
    lines = subprocess.run(state, cwd=root, capture_output=True, text=True, check=True).stdout
    return {line[3:] for line in lines.splitlines()}


@contextlib.contextmanager
def kept(root, files):
    saved = {root / file: (root / file).read_bytes() for file in files}
    try:
        yield
    finally:
        for path, content in saved.items():
            path.write_bytes(content)


def judge(root, sources, own, jobs):
    """What became of each; the next build makes the tree whole again."""
    files = {sources.place(entry).file for entry in own}
    dirty = unsaved(root, sorted(files))
    own = [entry for entry in own if sources.place(entry).file not in dirty]
    for file in sorted(dirty):
        print(f"not committed yet, so nothing is broken here: {file}")
    marks = root / ".build" / "mutants"
    entries = written.Entries(sources, own, marks)
    with kept(root, files - dirty), tempfile.TemporaryDirectory() as folder:
        while True:
            texts = entries.texts()
            for file in files - dirty:
                text = texts.get(file, sources.files[file]).encode()
                if (root / file).read_bytes() != text:
                    (root / file).write_bytes(text)
            code, output = judging.build(root)
            if code == 0:
                break
            if not entries.blame(output, root):
                sys.exit("the tree does not build:\n" + output[-4000:])
        judged = Judged(root, marks, "", jobs, math.inf, Path(folder) / "judged.json")
        judged.all([entry for entry in own if entry["id"] not in entries.singly])
    for name, why in sorted(entries.singly.items()):
        print(f"{'left out':<16} {name:<32} {why}")
    return {entry["id"]: judged.word(entry) for entry in own if entry["id"] not in entries.singly}
