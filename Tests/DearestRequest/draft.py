"""A request as bytes on the wire, part by part, and the connection that it is sent on.

Nothing is corrected on the way: a shape may break what a browser would keep.
"""

import http.client
import socket

# docs/configuration.md, `limits.*`, and ConnectionLimits: beyond them the connection answers by
# itself. A head has room for what every request brings.
TARGET, HEAD, FIELDS, BODY = 48 * 1024, 60 * 1024, 90, 64 * 1024

# An answer may take back hundreds of cookies that it was sent; Python reads a hundred fields.
http.client._MAXHEADERS = 2000

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


def _quoting(kept):
    """Percent-encodes every byte that is not kept."""
    written = [b"%c" % byte if byte in kept else b"%%%02X" % byte for byte in range(0x100)]
    return lambda text: b"".join(map(written.__getitem__, text))


# A query is visible ASCII. A form's body may hold any byte but those that part its parameters.
in_query = _quoting(set(range(0x21, 0x7F)) - set(b"&=+%#"))
in_body = _quoting(set(range(1, 0x100)) - set(b"&=+%"))


class Draft:
    """What is sent. Names and values of `query` and `form` are encoded already; `form` is None where
    `body` is something else."""

    def __init__(self, method, path):
        self.method, self.path = method, path
        self.query, self.form, self.cookies, self.fields = [], None, [], []
        self.body, self.kind, self.chunk = None, None, None

    def copy(self):
        other = Draft(self.method, self.path)
        other.query, other.cookies = list(self.query), list(self.cookies)
        other.fields, other.form = list(self.fields), None if self.form is None else list(self.form)
        other.body, other.kind, other.chunk = self.body, self.kind, self.chunk
        return other

    def target(self):
        return self.path + (b"?" + joined(self.query) if self.query else b"")

    def content(self):
        return joined(self.form) if self.form is not None else self.body

    def room(self, part):
        """Bytes that a part of the request may still grow by."""
        if part == "query":
            return TARGET - len(self.target()) - 2
        if part == "body":
            return BODY - len(self.content() or b"") - 2
        return HEAD - len(self.target()) - sum(len(name) + len(value) for name, value in self.fields) - len(self.jar())

    def jar(self):
        return b"; ".join(name + b"=" + value for name, value in self.cookies)

    def wire(self, host):
        lines = [b"%s %s HTTP/1.1" % (self.method.encode(), self.target()), b"Host: " + host]
        fields = list(self.fields)
        if self.cookies:
            fields.append((b"Cookie", self.jar()))
        body = self.content()
        if body is not None:
            fields.append((b"Content-Type", (self.kind or FORM).encode()))
            if self.chunk:
                fields.append((b"Transfer-Encoding", b"chunked"))
                body = chunked(body, self.chunk)
            else:
                fields.append((b"Content-Length", b"%d" % len(body)))
        lines += [name + b": " + value for name, value in fields]
        return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")


def joined(pairs):
    return b"&".join(name if value is None else name + b"=" + value for name, value in pairs)


def chunked(body, size):
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body


class Wire:
    """One connection, opened again where the server closed it."""

    def __init__(self, port, timeout):
        self.port, self.timeout = port, timeout
        self.host = b"127.0.0.1:%d" % port
        self.socket = None

    def send(self, draft):
        """The answer; None where none came in time or the connection broke."""
        text = draft.wire(self.host)
        for attempt in (1, 2):
            kept = self.socket is not None
            try:
                if not kept:
                    self.socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
                    self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return self._exchange(text, draft.method)
            except TimeoutError:
                self.close()
                return None
            except (OSError, http.client.HTTPException):
                self.close()
                # A kept connection may have been closed while nothing was under way.
                if not kept or attempt == 2:
                    return None
        return None

    def _exchange(self, text, method):
        try:
            self.socket.sendall(text)
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before all was sent: the answer may be there all the same
        response = http.client.HTTPResponse(self.socket, method=method)
        response.begin()
        answer = Answer(response.status, response.headers, response.read())
        if response.will_close:
            self.close()
        return answer

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None
