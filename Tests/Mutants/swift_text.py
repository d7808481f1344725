"""Reads Swift as far as is needed to put a switch into it: where text and comments are, which
brackets belong together, and which braces hold statements."""

import re
from dataclasses import dataclass

TYPES = {"struct", "enum", "class", "actor", "protocol", "extension", "operator", "precedencegroup"}
STATEMENTS = {
    "func", "init", "deinit", "subscript", "var", "let", "if", "guard", "else", "for", "while",
    "repeat", "do", "catch", "defer", "return", "throw", "in", "case", "default", "get", "set",
    "willSet", "didSet",
}  # fmt: skip
ACCESSORS = re.compile(r"\s*(?:@\w+\s+|(?:non)?mutating\s+)*(?:get|set|willSet|didSet)\b\s*[{(a-z]")
GROUP = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
SIGNATURE = re.compile(
    rf"\s*(?:@\w+\s+)*(?:\[[^\]]*\]\s*)?(?:{GROUP}|\w+(?:\s*,\s*\w+)*)?\s*(?:async\s*)?"
    rf"(?:throws(?:{GROUP})?\s*)?(?:->\s*[^{{}}=\n]+?)?\s*\bin\b"
)
LITERAL_OR_COMMENT = re.compile(r'//|/\*|#*"')
OPERATOR = "=<>!&|+-*/%^~?"


@dataclass(frozen=True)
class Region:
    """A stretch of a source, which a switch can go around: `kind` is statements or expression."""

    start: int
    end: int
    kind: str


def blank(text):
    """The text with each literal turned into `_` and each comment into spaces, at equal length."""
    out = list(text)
    place = 0
    while (found := LITERAL_OR_COMMENT.search(text, place)) is not None:
        place = start = found.start()
        if text.startswith("//", place):
            place = text.find("\n", place)
            place = len(text) if place < 0 else place
            out[start:place] = " " * (place - start)
        elif text.startswith("/*", place):
            place = comment_end(text, place)
            out[start:place] = [c if c == "\n" else " " for c in text[start:place]]
        else:
            place = literal_end(text, place, found[0].count("#"))
            out[start:place] = "_" * (place - start)
    return "".join(out)


def comment_end(text, place):
    depth = 0
    for found in re.compile(r"/\*|\*/").finditer(text, place):
        depth += 1 if found[0] == "/*" else -1
        if depth == 0:
            return found.end()
    return len(text)


def literal_end(text, place, hashes):
    """Where the literal ends that begins at `place`, with what is interpolated in it."""
    place += hashes
    quote = '"""' if text.startswith('"""', place) else '"'
    ending, escape = quote + "#" * hashes, "\\" + "#" * hashes
    place += len(quote)
    while place < len(text):
        if text.startswith(ending, place):
            return place + len(ending)
        if text.startswith(escape + "(", place):
            place = interpolation_end(text, place + len(escape))
        elif text.startswith(escape, place):
            place += len(escape) + 1
        else:
            place += 1
    return place


def interpolation_end(text, place):
    depth = 0
    while place < len(text):
        literal = re.compile(r'#*"').match(text, place)
        if literal is not None:
            place = literal_end(text, place, literal[0].count("#"))
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            break
    return place


def pairs(code):
    """The bracket that belongs to each, both ways; None where they do not match."""
    found, stack = {}, []
    for place, character in enumerate(code):
        if character in "([{":
            stack.append(place)
        elif character in ")]}":
            if not stack or code[stack[-1]] + character not in ("()", "[]", "{}"):
                return None
            found[place] = stack[-1]
            found[stack.pop()] = place
    return None if stack else found


def holders(code):
    found, stack = [], [-1]
    for character in code:
        if character in ")]}" and len(stack) > 1:
            stack.pop()
        found.append(stack[-1])
        if character in "([{":
            stack.append(len(found) - 1)
    return found


def is_balanced(text):
    return pairs(blank(text)) is not None


class Source:
    def __init__(self, text):
        self.text = text
        self.code = blank(text)
        self.pairs = pairs(self.code)
        self.holder = holders(self.code)  # Of each place: the bracket it stands directly in, or -1.

    def regions(self, start, end):
        """What holds the stretch and can stand behind a switch, the smallest first."""
        if self.pairs is None:
            return
        expressions = []
        around = [place for place, other in self.pairs.items() if place < start and end <= other]
        for holder in sorted(around, reverse=True) + [-1]:
            if holder >= 0 and self.code[holder] == "{" and self.holds_statements(holder):
                inside = self.after_signature(holder)
                if inside <= start:
                    yield Region(inside, self.pairs[holder], "statements")
            found = self.expression(start, end, holder)
            if found is not None:
                expressions.append(found)
        yield from expressions

    def after_signature(self, holder):
        signature = SIGNATURE.match(self.code, holder + 1)
        return signature.end() if signature else holder + 1

    def holds_statements(self, brace):
        """Whether what opens at `brace` is neither a type, a switch, nor a list of accessors."""
        if ACCESSORS.match(self.code, brace + 1):
            return False
        code, place, newline = self.code, brace - 1, False
        while place >= 0:
            character = code[place]
            if character.isspace():
                newline = newline or character == "\n"
            elif character in "([{;" or character == "}" and newline:
                return True
            elif character in ")]}":
                place = self.pairs[place]
                newline = False
            elif self.is_equals(place):
                return True
            elif character.isalnum() or character == "_":
                first = place
                while first > 0 and (code[first - 1].isalnum() or code[first - 1] == "_"):
                    first -= 1
                word = code[first : place + 1]
                if code[first - 1] not in ".`" and (first == 0 or code[first - 1] != "$"):
                    if word in TYPES or word == "switch":
                        return False
                    if word in STATEMENTS:
                        return True
                place, newline = first, False
            else:
                newline = False
            place -= 1
        return True

    def expression(self, start, end, holder):
        """What stands behind the `=` of a declaration directly inside of a bracket."""
        code = self.code
        for place in range(start - 1, holder, -1):
            if self.holder[place] != holder:
                continue
            if code[place] in ";,":
                return None
            if self.is_equals(place):
                break
        else:
            return None
        if re.match(r"\s*case\b", code[code.rfind("\n", 0, place) + 1 : place]):
            return None  # A raw value is a literal.
        last = self.expression_end(place, holder)
        is_whole = end <= last and code[place + 1 : last].strip()
        return Region(place + 1, last, "expression") if is_whole else None

    def expression_end(self, equals, holder):
        code = self.code
        place = equals + 1
        limit = self.pairs[holder] if holder >= 0 else len(code)
        while place < limit:
            if code[place] in "([{":
                place = self.pairs[place]
            elif code[place] in ",;":
                break
            elif code[place] == "\n":
                before, after = code[equals:place].rstrip(), code[place:limit].lstrip()
                if before[-1] not in OPERATOR + ":" and after[:1] not in tuple(OPERATOR + ".:"):
                    break
            place += 1
        return min(place, limit)

    def is_equals(self, place):
        around = self.code[place - 1] + self.code[place + 1 : place + 2]
        return self.code[place] == "=" and not set(around) & set(OPERATOR)


def is_expression(text):
    """Whether no declaration follows."""
    source = Source("let x = " + text.strip())
    return source.expression_end(source.text.index("="), -1) == len(source.text)


def is_body(text):
    """Whether no signature of a closure stands in front."""
    return SIGNATURE.match(blank(text)) is None
