"""Writes what ran into the list of products: `ran: DATE, TITLE VERSION: WHAT WAS SEEN`.

docs/clients.md is made of that list: afterwards, `portico client products --markdown`.
"""

import datetime
import os

from pypi import ROOT

LIST = os.path.join(ROOT, "Sources", "PorticoProgram", "Clients", "ProductList.swift")


class Entry:
    """Where an entry of the list stands: the lines between its name and the next one's."""

    def __init__(self, lines, name):
        beginnings = [i for i, line in enumerate(lines) if line.strip() == f"= {name}"]
        if len(beginnings) != 1:
            raise RuntimeError(f"the list of products has {len(beginnings)} entries {name!r}")
        self.first = beginnings[0]
        self.last = next(
            (
                index
                for index, line in enumerate(lines[self.first + 1 :], self.first + 1)
                if line.strip().startswith("= ") or line.strip().startswith('"""#')
            ),
            len(lines),
        )

    def places(self, lines, key):
        return [
            index
            for index in range(self.first, self.last)
            if lines[index].strip().startswith(f"{key}: ")
        ]


def recorded(text, steps, today):
    """The list with one product's new line in the place of its old one. What was run before and is
    no such line (as "before every release") stays."""
    lines = text.split("\n")
    entry = Entry(lines, steps.product)
    (title,) = entry.places(lines, "title")
    indent = lines[title][: len(lines[title]) - len(lines[title].lstrip())]
    name = lines[title].split("title: ", 1)[1].split(",")[0]
    line = f"{indent}ran: {today}, {name} {steps.version}: {steps.seen}"
    dated = [i for i in entry.places(lines, "ran") if lines[i].split("ran: ", 1)[1][:1].isdigit()]
    if dated:
        lines[dated[0]] = line
    else:
        lines.insert(entry.places(lines, "works")[-1] + 1, line)
    return "\n".join(lines)


def write(results):
    """Of those that ran without a failure."""
    done = [s for s in results if s.product and s.version and s.passed and not s.failed]
    with open(LIST, encoding="utf-8") as file:
        text = file.read()
    today = datetime.date.today().isoformat()
    for steps in done:
        text = recorded(text, steps, today)
        print(f"recorded {steps.product} {steps.version}", flush=True)
    with open(LIST, "w", encoding="utf-8") as file:
        file.write(text)
    if done:
        print("now: portico client products --markdown > docs/clients.md", flush=True)
