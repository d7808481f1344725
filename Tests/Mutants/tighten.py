"""Writes an entry as short as it may be: what changes, the least around it that stands once in the
declaration, and the declaration's name."""

import re

import anchors
import swift_text

LEAST = 2  # Names or numbers: with fewer, it would stand for anything.
REACH = 4  # Lines around, at most.
ELIDED = 1  # Words between brackets: from so many on they are `…`.


def tight(entry, sources):
    """The entry, or one that makes the same change and says less."""
    place = sources.place(entry)
    if isinstance(place, str):
        return entry
    text = sources.files[place.file]
    name, first, last = sources.around(place)
    where = {"in": name} if name else {"file": place.file}
    wanted = meaning(text, place, entry["new"])
    before, after = lines_around(text, place, first, last)
    old = before + text[place.start : place.end] + after
    for old, new in shorter(old, before + entry["new"] + after):
        for old in (elided(old), old):
            shorter_one = {"id": entry["id"], **where, "old": old, "new": new}
            found = sources.place(shorter_one)
            if not isinstance(found, str) and found.file == place.file:
                if meaning(text, found, new) == wanted:
                    return shorter_one | {k: v for k, v in entry.items() if k not in PLACED}
    return entry if "in" in entry else {"id": entry["id"]} | entry


PLACED = {"id", "in", "file", "old", "new"}


def shorter(old, new):
    """What is replaced and by what, with ever more around it, on its own line first."""
    olds, news = anchors.words(old), anchors.words(new)
    before, after = [old[a:b] for a, b in olds], [new[a:b] for a, b in news]
    shared = min(len(before), len(after))
    head = next((n for n in range(shared) if before[n] != after[n]), shared)
    shared -= head
    tail = next((n for n in range(shared) if before[-1 - n] != after[-1 - n]), shared)
    first, last = head, len(before) - tail
    longer = len(after) - len(before)
    while True:
        if sum(map(anchors.has_letters, before[first:last])) >= LEAST:
            begin, end = olds[first][0], olds[last - 1][1]
            text = new[news[first][0] : news[last + longer - 1][1]] if last + longer > first else ""
            # A space before it that was none before: Swift tells ` ==` from `==`.
            is_apart = text and 0 < first and news[first - 1][1] < news[first][0]
            yield old[begin:end], " " + text if is_apart and olds[first - 1][1] == begin else text
        sides = []  # (Whether a line ends in between, how much is there already, the side)
        if first > 0:
            between = old[olds[first - 1][1] : olds[first][0]] if first < len(olds) else ""
            sides.append(("\n" in between, head - first, "left"))
        if last < len(before):
            between = old[olds[last - 1][1] : olds[last][0]] if last > 0 else ""
            sides.append(("\n" in between, last - len(before) + tail, "right"))
        if not sides:
            return
        if min(sides)[2] == "left":
            first -= 1
        else:
            last += 1


def elided(old):
    """Without what stands in brackets, where it is long."""
    code = swift_text.blank(old)
    pairs = swift_text.pairs(code) or {}
    out, place = [], 0
    for first, last in sorted(pairs.items()):
        if first < last and first >= place and len(anchors.words(old[first + 1 : last])) >= ELIDED:
            out += [old[place : first + 1], "…"]
            place = last
    return "".join(out) + old[place:]


def lines_around(text, place, first, last):
    """What stands before and after a stretch in its declaration, a few lines of it."""
    before = text[first : place.start].split("\n")
    after = text[place.end : last].split("\n")
    return "\n".join(before[-REACH:]), "\n".join(after[:REACH])


def meaning(text, place, new):
    """The source with the change, whatever its spacing."""
    changed = text[: place.start] + new + text[place.end :]
    lines = [re.sub(r"\s+", " ", line).strip() for line in changed.split("\n")]
    changed = "\n".join(line for line in lines if line)
    return re.sub(r" ?([^\w\s]) ?", r"\1", changed)
