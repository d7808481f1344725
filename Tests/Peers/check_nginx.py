"""Debian's nginx in front of a service, with `auth_request`, exactly as in docs/nginx.md."""

import http.client
import json
import os
import urllib.parse

from nginx import Nginx, ScriptedBackend, Service
from running import Missing, need, workspace
from steps import Steps, Stop, expect


def ask(base, path="/", method="GET", fields=()):
    """One exchange on a connection of its own; fields may stand twice."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(base).netloc, timeout=20)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in fields:
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")
    finally:
        connection.close()


class Walk:
    """Needs of a backend its base address, and one live session: its cookie and its token."""

    def __init__(self, steps, nginx, cookie, token, user):
        self.steps, self.nginx, self.user = steps, nginx, user
        self.name, self.value = cookie
        self.cookie = ("Cookie", f"{self.name}={self.value}")
        self.bearer = ("Authorization", f"Bearer {token}")

    def status(self, *fields, method="GET"):
        return ask(self.nginx.base, method=method, fields=fields)[0]

    def admitted(self):
        with self.steps.step("a live session reaches the service, with the person's name"):
            for proof in (self.cookie, self.bearer):
                status, text = ask(
                    self.nginx.base, fields=[proof, ("X-Portico-User", "another person")]
                )
                expect(status == 200, f"{proof[0]} gets {status}")
                expect(f'"x-portico-user": "{self.user}"' in text, text)
                expect(self.value not in text and self.bearer[1] not in text, "a proof went on")

    def own_word(self, says):
        with self.steps.step("no client can set any of the five headers itself"):
            names = [f"X-Portico-{name}" for name in
                     ("User", "Session", "Email", "Email-Verified", "App")]  # fmt: skip
            for proof in (self.cookie, self.bearer):
                for spelled in (str, str.lower, str.upper, lambda name: name.replace("-", "_")):
                    own = [(spelled(name), "their own word") for name in names]
                    status, text = ask(self.nginx.base, fields=[*own, proof, *own])
                    expect(status == 200, f"{proof[0]} gets {status}")
                    arrived = {
                        name: value
                        for name, value in json.loads(text).items()
                        if name.replace("_", "-").startswith("x-portico-")
                    }
                    wanted = {name.lower(): value for name, value in says[proof[0]].items()}
                    expect(arrived == wanted, f"{proof[0]}, {own[0][0]}: {arrived}")

    def refused(self):
        with self.steps.step("a request without a cookie, with a wrong one or with two gets 401"):
            other = ("Cookie", f"{self.name}=nobody")
            for fields in (
                [],
                [other],
                [("Cookie", f"x{self.name}={self.value}")],
                [("Cookie", f"{self.name}={self.value}; {self.name}=nobody")],
                [("Authorization", "Bearer nobody")],
                [("Authorization", "Bearer nobody"), self.cookie],
            ):
                status = self.status(*fields)
                expect(status == 401, f"{fields} gets {status}")
            among = ("Cookie", f"a=b; {self.name}={self.value}; c=d")
            expect(self.status(among) == 200, "the session among other cookies")

    def cross_site(self):
        with self.steps.step("another site's page cannot change anything with the cookie"):
            same = ("Sec-Fetch-Site", "same-origin")
            for method in ("POST", "DELETE"):
                for fields, wanted in (
                    ([], 403),
                    ([("Sec-Fetch-Site", "cross-site")], 403),
                    ([("Sec-Fetch-Site", "same-site")], 403),
                    ([same], 200),
                    ([("X-Portico", "1")], 200),
                    ([("X-Portico", "0")], 403),
                ):
                    status = self.status(self.cookie, *fields, method=method)
                    expect(status == wanted, f"{method} {fields} gets {status}")
                expect(self.status(self.bearer, method=method) == 200, "a token is proof enough")
            upgrade = ("Upgrade", "websocket")
            expect(self.status(self.cookie, upgrade) == 403, "an upgrade is no reading")
            expect(self.status(self.cookie, upgrade, same) == 200, "our own page may")


def forwarded(steps, nginx, backend):
    with steps.step("nothing but the proof is forwarded, and never both"):
        backend.asked.clear()
        fields = [("Cookie", f"tracking=1; {'='.join(backend.cookie)}"), ("X-Secret", "1")]
        ask(nginx.base, "/notes?token=1", fields=fields)
        ask(nginx.base, fields=[*fields, ("Authorization", f"Bearer {backend.token}")])
        (path, first), (_, second) = backend.asked
        expect(path == "/v1/auth/session", path)
        allowed = {"host", "connection", "accept", "cookie", "authorization"}
        for asked in (first, second):
            names = {name.lower() for name, _ in asked}
            expect(names <= allowed, f"{names - allowed} went along")
        expect(dict(first)["Cookie"] == "=".join(backend.cookie), "other cookies went along")
        expect("Cookie" not in dict(second), "the cookie went along with a token")


def closed(steps, nginx, backend):
    with steps.step("without a proper response from the backend, no request gets in"):
        proof = ("Cookie", "=".join(backend.cookie))
        for status in (302, 404, 429, 500, 503):
            backend.status = status
            answer = ask(nginx.base, fields=[proof])[0]
            expect(answer == 500, f"{status} becomes {answer}")
        backend.stop()
        expect(ask(nginx.base, fields=[proof])[0] == 500, "without a backend")


def run(_program):
    steps = Steps("nginx")
    try:
        if not os.environ.get("PORTICO_NGINX"):
            need("nginx", "nginx")
    except Missing as missing:
        steps.skipped(str(missing))
        return steps
    service = Service()
    backend = ScriptedBackend("portico-dev-session")
    try:
        with workspace("nginx") as folder:
            nginx = Nginx(folder).start(backend.base, service.base, backend.cookie[0])
            with nginx:
                walk = Walk(steps, nginx, backend.cookie, backend.token, "u-1")
                walk.admitted()
                walk.own_word(backend.says)
                walk.refused()
                walk.cross_site()
                forwarded(steps, nginx, backend)
                closed(steps, nginx, backend)
    except Stop:
        pass
    finally:
        service.stop()
    return steps
