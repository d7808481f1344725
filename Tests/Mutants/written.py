"""How entries are written behind their switches, all of them at once."""

import collections
import hashlib
import json
import os
import re

import switches

ERROR = re.compile(r"^(/[^:\n]+):(\d+):\d+: error: (.*)$", re.MULTILINE)


class Entries:
    def __init__(self, sources, entries, marks):
        self.sources = sources
        self.marks = marks  # The folder where a file says which is on.
        self.entries = {entry["id"]: entry for entry in entries}
        self.numbers = {name: number for number, name in enumerate(self.entries)}
        self.places, self.choices, self.taken = {}, {}, {}
        self.singly, self.lines = {}, {}
        for name, entry in self.entries.items():
            place = sources.place(entry)
            if isinstance(place, str):
                self.singly[name] = place
                continue
            self.places[name] = place
            if not place.file.endswith(".swift"):
                self.singly[name] = "not Swift"
                continue
            text = sources.files[place.file]
            self.choices[name] = switches.choices(text, place, entry["new"])
            self.taken[name] = 0
            self.settle(name)

    def settle(self, name, why="no place for a switch"):
        if self.taken[name] >= len(self.choices[name]):
            self.singly[name] = why

    def texts(self):
        """The files that have switches."""
        chosen = collections.defaultdict(dict)
        for name, number in self.taken.items():
            if name not in self.singly:
                chosen[self.places[name].file][name] = self.choices[name][number]
        out = {}
        for file, own in chosen.items():
            text = self.sources.files[file]
            out[file], self.lines[file] = switches.rewrite(
                file, text, own, self.marks, self.numbers
            )
        return out

    def plainly(self, entry):
        """The file with this mutation, and no switch."""
        place = self.places[entry["id"]]
        text = self.sources.files[place.file]
        return place.file, text[: place.start] + entry["new"] + text[place.end :]

    def blame(self, output, folder):
        """Writes what does not build otherwise; whether there was any."""
        blamed = {}
        for path, line, message in ERROR.findall(output):
            lines = self.lines.get(os.path.relpath(path, folder), [])
            for name in switches.owners(lines, int(line)):
                blamed.setdefault(name, message)
        for name, message in sorted(blamed.items()):
            print(f"written otherwise: {name}: {message}", flush=True)
            self.taken[name] += 1
            self.settle(name)
        return bool(blamed)

    def key(self, name):
        """Of an entry, where it stands."""
        entry, text = self.entries[name], self.sources.files[self.places[name].file]
        parts = [entry.get("name", name), entry["old"], entry["new"], text]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def remembered(self):
        """Which way of writing an entry builds, so that the next run does not try the others."""
        return {self.key(name): number for name, number in self.taken.items() if number}

    def choose(self, remembered):
        for name in self.taken:
            self.taken[name] = remembered.get(self.key(name), 0)
            self.settle(name)
