"""Debian's nginx in front of a service and a backend under one host, exactly as in docs/nginx.md."""

import http.client
import json
import os
import re
import ssl
import urllib.parse

from nginx import Nginx, ScriptedBackend, Service, document
from portico import Portico
from running import Missing, need, workspace
from steps import Steps, Stop, expect

PAGE = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
WAY = "/orders?page=2&x=1&name=J%C3%B6rg%26co"


def ask(nginx, path="/", method="GET", fields=(), plain=False):
    """One exchange on a connection of its own; fields may stand twice. Redirects are not followed."""
    if plain:
        connection = http.client.HTTPConnection("127.0.0.1", nginx.plain_port, timeout=20)
    else:
        trust = ssl._create_unverified_context()  # its certificate is its own
        connection = http.client.HTTPSConnection(
            "127.0.0.1", nginx.port, timeout=20, context=trust
        )
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", nginx.authority)
        for name, value in fields:
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        return answer.status, text, answer.headers.get("Location", "")
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
        return ask(self.nginx, method=method, fields=fields)[0]

    def admitted(self):
        with self.steps.step("a live session reaches the service, with the person's name"):
            for proof in (self.cookie, self.bearer):
                status, text, _ = ask(
                    self.nginx, fields=[proof, ("X-Portico-User", "another person")]
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
                    status, text, _ = ask(self.nginx, fields=[*own, proof, *own])
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


def sign_in(steps, nginx):
    with steps.step("a person who opens a page is led to the sign-in, a program gets 401"):
        status, _, location = ask(nginx, WAY, fields=[PAGE])
        back = f"{nginx.origin}/login/back?return_to={WAY}"
        expect((status, location) == (302, back), f"{status} {location}")
        for method, fields in (
            ("GET", []),
            ("GET", [("Accept", "application/json")]),
            ("GET", [("Accept", "*/*")]),
            ("POST", [PAGE, ("Sec-Fetch-Site", "same-origin")]),
        ):
            status, _, location = ask(nginx, WAY, method, fields)
            expect((status, location) == (401, ""), f"{method} {fields}: {status} {location}")
        status, _, location = ask(nginx, WAY, plain=True)
        expect((status, location) == (301, f"https://{nginx.host}{WAY}"), f"{status} {location}")


def owned(steps, nginx):
    with steps.step("every path of the table reaches the backend, with what it must know, and no other"):
        table = document().split("## Portico's paths")[1].split("## ")[0]
        rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `/")]
        paths = [path for row in rows for path in re.findall(r"`(/[^`]*)`", row)]
        expect(len(paths) > 25, f"only {paths}")
        for path in paths:
            path = path.replace("…", "some/thing").replace("NAME", "shop")
            status, text, _ = ask(nginx, path + "?a=1")
            if path.startswith(("/admin", "/healthz", "/readyz")):
                expect(status == 401, f"{path}: {status}")
                continue
            expect(status == 200, f"{path}: {status}")
            seen = json.loads(text)
            expect(seen["backend"] == path + "?a=1", text)
            expect(seen["Host"] == nginx.authority, text)
            expect(seen["X-Forwarded-Proto"] == "https", text)
            expect(seen["X-Forwarded-For"] == "127.0.0.1", text)
        for path in ("/", "/orders", "/loginx", "/v12", "/helper", "/api/authors", "/realmsx"):
            expect(ask(nginx, path)[0] == 401, f"{path} is the service's")


def by_handle(steps, nginx, backend):
    def status(*fields, method="GET"):
        return ask(nginx, "/notes", method=method, fields=fields)[0]

    sid = f"sid={backend.seal}"
    own = "=".join(backend.cookie)
    with steps.step("a sign-in by internet handle is admitted by its cookie, and by its seal"):
        for proof in (
            ("Cookie", sid),
            ("Cookie", f"a=b; {sid}; c=d"),
            ("Cookie", f"{sid}; {own}"),
            ("Authorization", f"Bearer {backend.seal}"),
        ):
            expect(status(proof) == 200, f"{proof} gets {status(proof)}")
        for wrong in (f"x{sid}", f"{sid}; {sid}", f"{sid}; sid=other", "sid=other"):
            expect(status(("Cookie", wrong)) == 401, f"{wrong} gets {status(('Cookie', wrong))}")
    with steps.step("an app that has only that cookie needs no field; a browser says where it is"):
        expect(status(("Cookie", sid), method="POST") == 200, "the app")
        for fields in (
            [("Origin", "https://evil.example")],
            [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")],
        ):
            got = status(("Cookie", sid), *fields, method="POST")
            expect(got == 403, f"{fields} gets {got}")
        expect(status(("Cookie", f"{own}; {sid}"), method="POST") == 403, "beside the other cookie")


def forwarded(steps, nginx, backend):
    with steps.step("nothing but the proof is forwarded, and never both"):
        backend.asked.clear()
        fields = [("Cookie", f"tracking=1; {'='.join(backend.cookie)}"), ("X-Secret", "1")]
        ask(nginx, "/notes?token=1", fields=fields)
        ask(nginx, fields=[*fields, ("Authorization", f"Bearer {backend.token}")])
        (path, first), (_, second) = backend.asked
        expect(path == "/v1/auth/session", path)
        allowed = {"host", "connection", "accept", "cookie", "authorization"}
        allowed |= {"x-forwarded-for", "x-forwarded-proto"}
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
            answer = ask(nginx, fields=[proof])[0]
            expect(answer == 500, f"{status} becomes {answer}")
        backend.stop()
        expect(ask(nginx, fields=[proof])[0] == 500, "without a backend")


def real(steps, program, folder):
    """The program itself behind it."""
    os.makedirs(folder)
    nginx = Nginx(folder)
    service = Service()
    options = ("--trusted-proxy", "127.0.0.1", "--pages-home", "/")
    portico = Portico(program, folder, options=options, public_url=nginx.origin)
    more = ("--public-url", nginx.origin, "--client-id", "peer", "--secret-file", "-")
    portico.administer("provider", "add", "google", *more, given="a secret of the peer")
    try:
        portico.start()
        with nginx.start(portico.base, service.base):
            with steps.step("the program behind it: from a page to the sign-in, and the way back whole"):
                status, _, location = ask(nginx, WAY, fields=[PAGE])
                expect(status == 302, f"{status} {location}")
                place = location.removeprefix(nginx.origin)
                status, _, location = ask(nginx, place, fields=[PAGE])
                wanted = "/login?return_to=" + urllib.parse.quote(WAY, safe="-._~")
                expect((status, location) == (303, wanted), f"{status} {location}")
                status, text, _ = ask(nginx, location, fields=[PAGE])
                expect(status == 200, f"{location}: {status}")
                field = WAY.replace("&", "&amp;")
                expect(f'name="return_to" value="{field}"' in text, text[:4000])
                expect(ask(nginx, WAY)[0] == 401, "a program")
                for elsewhere in ("//evil.example", "https://evil.example", "/login/back"):
                    place = f"/login/back?return_to={elsewhere}"
                    status, _, location = ask(nginx, place, fields=[PAGE])
                    wanted = "/login?return_to=%2F"
                    expect((status, location) == (303, wanted), f"{elsewhere}: {location}")
    finally:
        portico.stop()
        service.stop()


def run(program):
    steps = Steps("nginx")
    try:
        if not os.environ.get("PORTICO_NGINX"):
            need("nginx", "nginx")
    except Missing as missing:
        steps.skipped(str(missing))
        return steps
    service = Service()
    backend = ScriptedBackend("__Host-session")
    try:
        with workspace("nginx") as folder:
            if program:
                real(steps, program, os.path.join(folder, "real"))
            nginx = Nginx(folder).start(backend.base, service.base)
            with nginx:
                walk = Walk(steps, nginx, backend.cookie, backend.token, "u-1")
                walk.admitted()
                walk.own_word(backend.says)
                walk.refused()
                walk.cross_site()
                sign_in(steps, nginx)
                owned(steps, nginx)
                by_handle(steps, nginx, backend)
                forwarded(steps, nginx, backend)
                closed(steps, nginx, backend)
    except Stop:
        pass
    finally:
        service.stop()
    return steps
