"""Finds where an entry's mutation goes: by its text and by the declaration around it, so that a
file may move, and code be formatted otherwise, without a change to the entry."""

import functools
import re
from dataclasses import dataclass

import swift_text

TYPES = {"struct", "enum", "class", "actor", "protocol", "extension"}
MARK = re.compile(
    r"[{}()\[\]]|(?<![.\w`])(?:"
    r"(struct|enum|class|actor|protocol|extension|func|var|let|case|typealias)"
    r"\s+(?!func\b|var\b|let\b)(`?[\w.]+`?|[^\w\s({\[]+)?|(init|deinit|subscript)\b)"
)
# What `…` stands for: anything whose brackets are balanced.
BALANCED = r"[^()\[\]{}]"
for _ in range(5):
    BALANCED = rf"(?:[^()\[\]{{}}]|[(\[{{]{BALANCED}*?[)\]}}])"
# A literal is one word; all other marks stand alone, with or without space between them.
WORD = re.compile(r'#*"(?:\\.|[^"\\\n])*"#*|\w+|[^\w\s]')


@dataclass(frozen=True, order=True)
class Place:
    """A stretch of a file. `is_moved`: the declaration that the entry names has gone."""

    file: str
    start: int
    end: int
    is_moved: bool = False


def words(text):
    return [found.span() for found in WORD.finditer(text)]


@functools.lru_cache(maxsize=4096)
def pattern(text):
    """Matches the text however it is spaced."""
    parts, before = [], ""
    for first, last in words(text):
        word = text[first:last]
        if before:
            is_apart = is_word(before[-1]) and is_word(word[0])
            parts.append(r"\s+" if is_apart else r"\s*")
        parts.append(BALANCED + "*?" if word == "…" else re.escape(word))
        before = word
    if not parts:
        return None
    head = r"(?<!\w)" if is_word(text.strip()[0]) else ""
    tail = r"(?!\w)" if is_word(before[-1]) else ""
    return re.compile(head + "".join(parts) + tail)


def has_letters(text):
    return any(character.isalnum() for character in text)


def is_word(character):
    return character.isalnum() or character == "_"


@functools.lru_cache(maxsize=4096)
def declarations(text):
    """(`Type.member`, start, end) of each declaration that is not inside of a function."""
    code = swift_text.blank(text)
    found = []
    stack = [[True, "", None]]  # Of each bracket: is it a type's, whose, and the open member.

    def close(frame, place):
        if frame[2] is not None:
            name, _, start = frame[2]
            found.append((name, start, place))
            frame[2] = None

    for mark in MARK.finditer(code):
        frame = stack[-1]
        if mark[0] in ("(", "["):
            stack.append([False, frame[1], None])
        elif mark[0] == "{":
            member = frame[2] if frame[0] else None
            is_type = member is not None and member[1] in TYPES
            stack.append([is_type, member[0] if is_type else frame[1], None])
        elif mark[0] in (")", "]", "}"):
            if len(stack) > 1:
                close(stack.pop(), mark.start())
            if mark[0] == "}" and stack[-1][2] is not None and stack[-1][2][1] in TYPES:
                close(stack[-1], mark.end())
        elif frame[0]:
            keyword = mark[1] or mark[3]
            start = code.rfind("\n", 0, mark.start()) + 1
            close(frame, start)
            name = (mark[2] or keyword).strip("`.")
            frame[2] = (f"{frame[1]}.{name}".lstrip("."), keyword, start)
    close(stack[0], len(code))
    return found


class Sources:
    """The files that entries may be about, by name."""

    def __init__(self, files):
        self.files = files
        self.index = {}
        for file, text in files.items():
            if file.startswith("Sources/") and file.endswith(".swift"):
                for name, start, end in declarations(text):
                    self.index.setdefault(name, []).append((file, start, end))

    def around(self, place):
        """The smallest declaration that holds a stretch."""
        found = [
            (end - start, name, start, end)
            for name, start, end in self.declarations(place.file)
            if start <= place.start and place.end <= end
        ]
        return min(found)[1:] if found else (None, 0, len(self.files[place.file]))

    def declarations(self, file):
        return declarations(self.files[file]) if file.endswith(".swift") else []

    def matches(self, old, stretches):
        """Each once, though declarations are inside of one another."""
        wanted = pattern(old)
        if wanted is None:
            return []
        return sorted(
            {
                (file, *found.span())
                for file, start, end in stretches
                for found in wanted.finditer(self.files[file], start, end)
            }
        )

    def place(self, entry):
        """Where the entry's `old` stands, or why not. One that was generated says so itself."""
        if "at" in entry:
            return Place(*entry["at"])
        if "file" in entry:
            file, text = entry["file"], self.files.get(entry["file"])
            if text is None:
                return f"{file} does not exist"
            if text.count(entry["old"]) == 1:
                start = text.index(entry["old"])
                return Place(file, start, start + len(entry["old"]))
            scopes = [[(file, 0, len(text))]]
        else:
            scopes = self.scopes(entry["in"])
        for number, stretches in enumerate(scopes):
            found = self.matches(entry["old"], stretches)
            if len(found) == 1:
                return Place(*found[0], is_moved=number > 0)
            if found:
                break
        return f"`old` occurs {len(found)} times in {entry.get('in') or entry['file']}"

    def scopes(self, name):
        """The declarations of that name; where it has gone, those that share a part of it; all."""
        if name in self.index:
            return [self.index[name]]
        *outer, last = name.split(".")
        inside = self.index.get(".".join(outer), [])
        alike = [
            one for key, all in self.index.items() if key.split(".")[-1] == last for one in all
        ]
        every = [
            (file, 0, len(text))
            for file, text in self.files.items()
            if file.startswith("Sources/")
        ]
        return [[], inside, alike, every]
