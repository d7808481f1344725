"""Writes what ran into the list of products: `ran: DATE, TITLE VERSION: WHAT WAS SEEN`.

docs/clients.md is made of that list: afterwards, `portico client products --markdown`.
"""

import datetime
import glob
import os

from pypi import ROOT

# A file for each kind of product.
LISTS = os.path.join(ROOT, "Sources", "PorticoProgram", "Resources", "products-*.txt")


def beginnings(lines, name):
    return [i for i, line in enumerate(lines) if line.strip() == f"= {name}"]


class Entry:
    """Where an entry of the list stands: the lines between its name and the next one's."""

    def __init__(self, lines, name):
        (self.first,) = beginnings(lines, name)
        self.last = next(
            (
                index
                for index, line in enumerate(lines[self.first + 1 :], self.first + 1)
                if line.startswith("= ")
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


def file_of(product):
    """The file that the product's one entry is in."""
    found = []
    for path in sorted(glob.glob(LISTS)):
        with open(path, encoding="utf-8") as file:
            found += [path for _ in beginnings(file.read().split("\n"), product)]
    if len(found) != 1:
        raise RuntimeError(f"the list of products has {len(found)} entries {product!r}")
    return found[0]


def write(results):
    """Of those that ran without a failure."""
    done = [s for s in results if s.product and s.version and s.passed and not s.failed]
    today = datetime.date.today().isoformat()
    for steps in done:
        path = file_of(steps.product)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(recorded(text, steps, today))
        print(f"recorded {steps.product} {steps.version}", flush=True)
    if done:
        print("now: portico client products --markdown > docs/clients.md", flush=True)
