"""Puts each mutation of a Swift source behind a switch, so that one build holds all of them."""

import hashlib
import json
from dataclasses import dataclass, field

from swift_text import Source, is_balanced, is_body, is_expression

# At the end of each file, under a name of its own: it may stand in a default argument of something
# public. It is asked once. A test's process leads a session, and every program that it starts is in
# it: so several can run, each with its own mutation. Where a file is there to be written to, a byte of it
# says of each switch whether it was passed.
SWITCH = """
@_silgen_name("getsid") private func sessionOf(_: CInt) -> CInt
@_silgen_name("access") private func accessTo(_: UnsafePointer<CChar>, _: CInt) -> CInt
@_silgen_name("open") private func opened(_: UnsafePointer<CChar>, _: CInt) -> CInt
@_silgen_name("lseek") private func sought(_: CInt, _: Int, _: CInt) -> Int
@_silgen_name("mmap") private func mapped(
    _: UnsafeMutableRawPointer?, _: Int, _: CInt, _: CInt, _: CInt, _: Int
) -> UnsafeMutableRawPointer?
private let mutants: [String] = {
    let session = sessionOf(0)
    return [%(ids)s].filter { accessTo(%(folder)s + "/\\(session).\\($0)", 0) == 0 }
}()
nonisolated(unsafe) private let passed: UnsafeMutablePointer<UInt8>? = {
    let file = opened(%(folder)s + "/\\(sessionOf(0)).reached", 2)
    guard file >= 0 else { return nil }
    return mapped(nil, sought(file, 0, 2), 3, 1, file, 0)?.assumingMemoryBound(to: UInt8.self)
}()
@usableFromInline func %(name)s(_ id: String, _ number: Int) -> Bool {
    passed?[number] = 1
    return mutants.contains(id)
}
"""


@dataclass
class Node:
    """A stretch with a switch in front: what each entry makes of it, and what stands inside."""

    start: int
    end: int
    kind: str
    branches: dict = field(default_factory=dict)
    inner: list = field(default_factory=list)


@dataclass
class Lines:
    """The lines of a rewritten file that are there for these entries only."""

    first: int
    last: int
    ids: list


def change(text, place, new):
    """The smallest stretch that differs, and what takes its place."""
    start, end = place.start, place.end
    old = text[start:end]
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return start + head, end - tail, new[head : len(new) - tail]


def choices(text, place, new):
    """How a mutation can be written: a stretch of the source, and the text in its place."""
    source = Source(text)
    start, end, new = change(text, place, new)
    found = []
    for region in source.regions(start, end):
        mutated = text[region.start : start] + new + text[end : region.end]
        fits = is_body if region.kind == "statements" else is_expression
        if is_balanced(mutated) and fits(mutated):
            found.append((region, mutated))
    return found


def tree(chosen, length):
    """The stretches of {id: (region, text)} inside of one another."""
    whole = Node(0, length, "file")
    for name, (region, text) in sorted(
        chosen.items(), key=lambda item: (item[1][0].start, -item[1][0].end, item[1][0].kind)
    ):
        node = whole
        while node.inner and node.inner[-1].end >= region.end:
            node = node.inner[-1]
        if (node.start, node.end, node.kind) != (region.start, region.end, region.kind):
            node.inner.append(Node(region.start, region.end, region.kind))
            node = node.inner[-1]
        node.branches[name] = text
    return whole


class Writer:
    def __init__(self, text, switch, numbers):
        self.text = text
        self.numbers = numbers
        self.switch = switch
        self.out = []
        self.line = 1
        self.lines = []

    def put(self, text):
        self.out.append(text)
        self.line += text.count("\n")

    def node(self, node):
        first = self.line
        is_expression = node.kind == "expression"
        for number, (name, text) in enumerate(node.branches.items()):
            head = "else " if number and not is_expression else ""
            asked = f"{self.switch}({json.dumps(name)}, {self.numbers[name]})"
            self.put(f"({asked} ? (" if is_expression else f"{head}if {asked} {{")
            own = self.line
            self.put("\n" + text + "\n")
            self.lines.append(Lines(own, self.line, [name]))
            self.put(") : " if is_expression else "} ")
        if node.branches:
            self.put("(" if is_expression else "else {")
            self.put("\n")
        place = node.start
        for inner in node.inner:
            self.put(self.text[place : inner.start])
            self.put("\n" if inner.kind == "statements" else " ")
            self.node(inner)
            place = inner.end
        self.put(self.text[place : node.end])
        if node.branches:
            self.put("\n")
            self.put(")" * (len(node.branches) + 1) if is_expression else "}\n")
            self.lines.append(Lines(first, self.line, list(node.branches)))


def rewrite(file, text, chosen, folder, numbers):
    """The source with its switches, and which of its lines are whose."""
    name = "mutantIs" + hashlib.sha256(file.encode()).hexdigest()[:8]
    writer = Writer(text, name, numbers)
    writer.node(tree(chosen, len(text)))
    ids = ", ".join(json.dumps(one) for one in chosen)
    writer.put(SWITCH % {"ids": ids, "folder": json.dumps(str(folder)), "name": name})
    return "".join(writer.out), writer.lines


def owners(lines, line):
    """The entries an error in a line is about: those of the smallest stretch around it."""
    around = [one for one in lines if one.first <= line <= one.last]
    return min(around, key=lambda one: (one.last - one.first, len(one.ids))).ids if around else []
