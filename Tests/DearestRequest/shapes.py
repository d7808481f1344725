"""The shapes that requests are tried in: what is written (TEXTS), and where (PLACES).

To try one more, add it to one of the two lists: every text goes to every place of every address. A text
is given how many bytes it may have; a place changes a draft that the server answers as it should, in one
part of it.
"""

import base64
import dataclasses
import functools
import itertools
import json
from collections.abc import Callable

from draft import FIELDS, FORM, JSON, in_body, in_query


@dataclasses.dataclass(frozen=True)
class Text:
    name: str
    make: Callable
    # Goes into a query or a form as it stands: it has escapes of its own.
    is_escaped: bool = False
    # Tried at every address and parameter, in the quick form too.
    is_strong: bool = False

    @functools.lru_cache(256)
    def of(self, size):
        return self.make(size)


def again(unit, size):
    return (unit * (size // len(unit) + 1))[: size // len(unit) * len(unit)]


def repeated(unit):
    unit = unit.encode() if isinstance(unit, str) else unit
    return lambda size: again(unit, size)


def after(first, unit):
    first, unit = first.encode(), unit.encode()
    return lambda size: first + again(unit, max(0, size - len(first)))


def numbered(form, separator):
    """Different words: `form` holds %d."""

    def make(size):
        words, length = [], 0
        for number in itertools.count():
            word = form % number
            length += len(word) + len(separator)
            if length > size:
                return separator.join(words).encode()
            words.append(word)

    return make


def nested(open_, close):
    return lambda size: (open_ * (size // (len(open_) + len(close)))).encode() + (
        close * (size // (len(open_) + len(close)))
    ).encode()


def members(name, value):
    """A JSON object with many members; `name` holds %d, for they differ."""

    def make(size):
        body = numbered(f'"{name}":{value}', ",")(max(0, size - 2))
        return b"{" + body + b"}"

    return make


def jose(part):
    """A compact JWS with this text as header or payload (RFC 7515 §7.1)."""

    def make(size, header=part):
        text = header(max(8, (size - 60) * 3 // 4))
        return base64.urlsafe_b64encode(text).rstrip(b"=") + b".eyJpc3MiOiJhIn0." + b"A" * 43

    return make


def payload(part):
    def make(size):
        text = part(max(8, (size - 120) * 3 // 4))
        header = base64.urlsafe_b64encode(b'{"alg":"ES256","kid":"a","typ":"JWT"}').rstrip(b"=")
        return header + b"." + base64.urlsafe_b64encode(text).rstrip(b"=") + b"." + b"A" * 86

    return make


# Two marks of different classes in the wrong order: normalisation has to sort them (UAX #15 §3.11).
MARKS = "\u0301\u0323"

TEXTS = [
    Text("marks", after("a", MARKS), is_strong=True),
    Text("one letter", repeated("a"), is_strong=True),
    Text("marks as JSON writes them", after("a", "\\u0301\\u0323")),
    Text("marks, escaped", after("a", "%CC%81%CC%A3"), is_escaped=True),
    Text("escapes", repeated("%41"), is_escaped=True),
    Text("broken escapes", repeated("%"), is_escaped=True),
    Text("pluses", repeated("+"), is_escaped=True),
    Text("flags", repeated("\U0001f1e6")),  # which letters make a flag is known from the first one on
    Text("families", repeated("\U0001f469\u200d")),  # one Character without an end
    Text("jamo", repeated("\u1112\u1161\u11ab")),
    Text("what grows in lower case", repeated("\u0130")),
    Text("what grows when normalised", repeated("\u0344")),
    Text("no UTF-8", repeated(b"\xff")),
    Text("different words", numbered("w%d", " "), is_strong=True),
    Text("different words in a list", numbered("w%d", ",")),
    Text("the same word", repeated("openid ")),
    Text("blanks", repeated(" ")),
    Text("letters, then blanks", lambda size: b"a" * (size // 2) + b" " * (size - size // 2)),
    Text("digits", repeated("9")),
    Text("dots", repeated("a.")),
    Text("slashes", repeated("/a")),
    Text("colons", repeated("1:")),
    Text("semicolons", repeated("a;")),
    Text("commas", repeated(",")),
    Text("languages", numbered("aa-%d;q=0.5", ",")),
    Text("addresses", numbered("10.0.0.%d", ", ")),
    Text("at signs", repeated("a@")),
    Text("quotes", repeated('"\\')),
    Text("what HTML escapes", repeated("<&>'")),
    Text("an address with a long query", after("http://127.0.0.1/callback?", "a=b&")),
    Text("an address with many labels", after("https://", "a.")),
    Text("an address with many segments", after("http://127.0.0.1/", "../")),
    Text("deep JSON", nested("[", "]")),
    Text("deep JSON objects", nested('{"a":', "}")),
    Text("unfinished JSON", repeated("[")),
    Text("JSON with many members", members("m%d", "1")),
    Text("JSON with long numbers", after('{"a":', "1")),
    Text("JSON with marks as names", members("%d" + MARKS * 40, "1")),
    Text("claims", members("m%d", '{"essential":true}')),
    Text("a JWT with a deep header", jose(nested("[", "]"))),
    Text("a JWT with many header members", jose(members("m%d", '"a"'))),
    Text("a JWT with marks as header members", jose(members("%d" + MARKS * 40, "1"))),
    Text("a JWT with many claims", payload(members("m%d", '"a"'))),
    Text("a JWT with marks as claims", payload(members("%d" + MARKS * 40, '"a"'))),
    Text("a JWT with a deep claim", payload(nested('{"a":', "}"))),
    Text("a JWT with a long kid", jose(lambda n: b'{"alg":"ES256","kid":"' + b"k" * n + b'"}')),
    Text("a sealed request", lambda n: b"A" * 43 + b"." + base64.urlsafe_b64encode(again(b"[", n // 2))),
]


@dataclasses.dataclass(frozen=True)
class Place:
    name: str
    # The part of the request that it changes: changes in different parts are tried together.
    part: str
    # (draft, address, text) -> whether it is possible here; changes the draft.
    put: Callable
    # Asks for one text only, its own.
    has_own_text: bool = False
    # Tried at every address, in the quick form too: what an address reads by itself.
    is_strong: bool = False


def fit(text, room, encode):
    """The longest text that fits when encoded."""
    size = max(0, room)
    written = encode(text.of(size))
    for _ in range(8):
        if len(written) <= room or not size:
            break
        size = size * room // len(written)
        written = encode(text.of(size))
    return written if 0 < len(written) <= room else None


def encoded(text, part):
    if text.is_escaped:
        return bytes
    return in_query if part == "query" else in_body


def pairs_of(draft, part):
    return draft.query if part == "query" else draft.form


def _value(part, name):
    def put(draft, address, text):
        pairs = pairs_of(draft, part)
        pairs[:] = [pair for pair in pairs if pair[0] != name.encode()]
        pairs.append((name.encode(), b""))
        value = fit(text, draft.room(part), encoded(text, part))
        pairs[-1] = (name.encode(), value)
        return value is not None

    return put


def _all_values(part):
    def put(draft, address, text):
        names = [name.encode() for name in address.names(part)]
        pairs = pairs_of(draft, part)
        if not names:
            return False
        pairs[:] = [(name, b"") for name in names]
        value = fit(text, draft.room(part) // len(names), encoded(text, part))
        pairs[:] = [(name, value) for name in names]
        return value is not None

    return put


def _name(part):
    def put(draft, address, text):
        name = fit(text, draft.room(part) - 2, encoded(text, part))
        if name is not None:
            pairs_of(draft, part).append((name, b"1"))
        return name is not None

    return put


def _many(part, pair):
    """Many small parameters; `pair(number)`."""

    def put(draft, address, text):
        pairs = pairs_of(draft, part)
        room, number = draft.room(part), 0
        while True:
            name, value = pair(number)
            room -= len(name) + len(value) + 2
            if room < 0:
                return True
            pairs.append((name, value))
            number += 1

    return put


def _many_with_text(part):
    """As many parameters of forty bytes as there is room for, each named by a little of the text."""

    def put(draft, address, text):
        little = encoded(text, part)(text.of(40))
        return _many(part, lambda number: (b"%d" % number + little, b"1"))(draft, address, text)

    return put


def as_json(draft, document):
    draft.form, draft.kind, draft.body = None, JSON, document
    return True


def _string(text):
    """A JSON string; a text with escapes of JSON's own keeps them."""
    raw = text if b"\\u" in text else text.replace(b"\\", b"\\\\")
    return b'"' + raw.replace(b'"', b'\\"') + b'"'


def _json_value(name):
    def put(draft, address, text):
        given = {n: v for n, v in address.working("form").items() if n != name}
        head = json.dumps(given).encode()[:-1] + (b"," if given else b"")
        head += json.dumps(name).encode() + b":"
        value = fit(text, 60_000 - len(head), _string)
        return value is not None and as_json(draft, head + value + b"}")

    return put


def _json_name(draft, address, text):
    value = fit(text, 60_000, _string)
    return value is not None and as_json(draft, b"{" + value + b":1}")


def _json_document(draft, address, text):
    """The text is the document, or a part of one."""
    return as_json(draft, text.of(60_000))


def _bare_body(kind):
    def put(draft, address, text):
        draft.form, draft.kind, draft.body = None, kind, text.of(60_000)
        return True

    return put


def _chunks(draft, address, text):
    value = _value("body", address.names("body")[0])(draft, address, text)
    draft.chunk = 1
    return value


def _field(name, form=lambda value: value):
    def put(draft, address, text):
        if any(byte in b"\r\n\0" for byte in text.of(8)):
            return False
        draft.fields[:] = [pair for pair in draft.fields if pair[0].lower() != name.lower()]
        value = fit(text, draft.room("head") - 200, form)
        if value is not None:
            draft.fields.append((name, value))
        return value is not None

    return put


def _many_fields(name):
    """The limit counts fields, too. `name` may hold %d."""

    def put(draft, address, text):
        count = FIELDS - len(draft.fields)
        value = fit(text, draft.room("head") // count - 24, bytes)
        for number in range(count if value else 0):
            draft.fields.append((name % number if b"%d" in name else name, value))
        return value is not None

    return put


def _cookie(name):
    def put(draft, address, text):
        names = address.cookie_names if name is None else [name]
        if not names:
            return False
        draft.cookies[:] = [pair for pair in draft.cookies if pair[0] not in names]
        room = (draft.room("head") - 200) // len(names) - 60
        value = fit(text, room, lambda text: text.replace(b";", b"."))
        draft.cookies += [(name, value) for name in names if value]
        return value is not None

    return put


def _cookie_name(draft, address, text):
    name = fit(text, draft.room("head") - 200, lambda text: text.replace(b";", b".").replace(b"=", b"."))
    if name is not None:
        draft.cookies.append((name, b"1"))
    return name is not None


def _many_cookies(pair):
    def put(draft, address, text):
        room, number = draft.room("head") - 200, 0
        while True:
            name, value = pair(number, address)
            room -= len(name) + len(value) + 3
            if room < 0:
                return True
            draft.cookies.append((name, value))
            number += 1

    return put


def _segment(place):
    """The text stands in one segment of the path; a path has visible ASCII only."""

    def put(draft, address, text):
        segments = draft.path.split(b"/")
        if place + 1 >= len(segments):
            return False
        segments[place + 1] = b""
        draft.path = b"/".join(segments)
        segment = fit(text, draft.room("query"), in_query)
        segments[place + 1] = (segment or b"").replace(b"?", b".").replace(b"/", b".")
        draft.path = b"/".join(segments)
        return segment is not None

    return put


def _path_end(draft, address, text):
    end = fit(text, draft.room("query") - 1, in_query)
    draft.path += b"/" + (end or b"").replace(b"?", b".")
    return end is not None


def basic(value):
    return b"Basic " + base64.b64encode(value + b":" + value[:16])


def multipart(draft, address, text):
    """RFC 7578, which nothing here reads."""
    value = text.of(600)
    part = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + value + b"\r\n"
    draft.form, draft.kind = None, "multipart/form-data; boundary=b"
    draft.body = again(part, 60_000) + b"--b--\r\n"
    return True


FIELD_PLACES = [
    Place(f"{field.decode()}", "head", _field(field))
    for field in (
        b"Accept-Language",
        b"Accept",
        b"Accept-Encoding",
        b"User-Agent",
        b"X-Forwarded-For",
        b"X-Forwarded-Proto",
        b"Forwarded",
        b"Idempotency-Key",
        b"Origin",
        b"Referer",
        b"Sec-Fetch-Site",
        b"X-Portico",
        b"If-None-Match",
        b"Authorization",
        b"Cookie",
    )
]

# Where a parameter, a JSON member or a cookie of each name goes is added for each address.
PLACES = FIELD_PLACES + [
    Place("all parameters of the query", "query", _all_values("query")),
    Place("all parameters of the form", "body", _all_values("body")),
    Place("a name in the query", "query", _name("query"), is_strong=True),
    Place("a name in the form", "body", _name("body"), is_strong=True),
    Place("many names in the query", "query", _many_with_text("query")),
    Place("many names in the form", "body", _many_with_text("body")),
    Place("a name in JSON", "body", _json_name, is_strong=True),
    Place("the JSON itself", "body", _json_document),
    Place("a body of no known kind", "body", _bare_body("application/octet-stream")),
    Place("a body that says it is a form", "body", _bare_body(FORM)),
    Place("a multipart body", "body", multipart),
    Place("a body in chunks of a byte", "body", _chunks),
    Place("Bearer", "head", _field(b"Authorization", lambda value: b"Bearer " + value)),
    Place("Basic", "head", _field(b"Authorization", basic)),
    Place("many Authorization fields", "head", _many_fields(b"Authorization")),
    Place("many Accept-Language fields", "head", _many_fields(b"Accept-Language")),
    Place("many X-Forwarded-For fields", "head", _many_fields(b"X-Forwarded-For")),
    Place("many fields", "head", _many_fields(b"X-Field-%d")),
    Place("the server's cookies", "head", _cookie(None)),
    Place("a cookie", "head", _cookie(b"a")),
    Place("a cookie's name", "head", _cookie_name),
    Place("the path's first segment", "query", _segment(0)),
    Place("the path's second segment", "query", _segment(1)),
    Place("the path's third segment", "query", _segment(2)),
    Place("the path's end", "query", _path_end),
    Place("many parameters", "query", _many("query", lambda n: (b"p%d" % n, b"")), True),
    Place("many parameters in the form", "body", _many("body", lambda n: (b"p%d" % n, b"1")), True),
    Place("one parameter, often", "query", _many("query", lambda n: (b"a", b"")), True),
    Place("one parameter, often, in the form", "body", _many("body", lambda n: (b"a", b"")), True),
    Place("many empty parameters", "body", _many("body", lambda n: (b"", b"")), True),
    Place("many cookies", "head", _many_cookies(lambda n, _: (b"c%d" % n, b"1")), True),
    Place(
        "the server's cookies, often",
        "head",
        _many_cookies(lambda n, a: ((a.cookie_names or [b"a"])[n % len(a.cookie_names or [1])], b"1")),
        True,
    ),
    Place(
        "many cookies like the server's",
        "head",
        _many_cookies(lambda n, a: ((a.cookie_names or [b"a"])[0] + b"%d" % n, b"1")),
        True,
    ),
]


def places(address):
    """Those of the list that this address has, and one for each parameter that it reads."""
    has_form, has_json = address.draft().form is not None, address.reads_json
    for name in address.names("query"):
        yield Place(f"{name} in the query", "query", _value("query", name), is_strong=True)
    for name in address.names("body"):
        yield Place(f"{name} in the form", "body", _value("body", name), is_strong=True)
        if has_json:
            yield Place(f"{name} in JSON", "body", _json_value(name), is_strong=True)
    for place in PLACES:
        in_form = place.part == "body" and "JSON" not in place.name
        if in_form and not has_form or "JSON" in place.name and not has_json:
            continue
        yield place
