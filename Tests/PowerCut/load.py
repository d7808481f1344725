"""Load on a running Provider; records every response.

Each worker is one browser and one native app. What was acknowledged, and what was under way when
the server died, is written down, so that `aftermath.py` can ask about all of it after the restart.
"""

import dataclasses
import http.client
import json
import random
import secrets
import threading
import time
import urllib.parse

from web import Answer, code_verifier, form_with, s256, unverified_claims

CLIENT = "peer-native"
REDIRECT = "http://127.0.0.1:49153/callback"
SCOPE = "openid profile email"


class Lost(Exception):
    """No whole answer came: the request may have been carried out, or not."""


class Unexpected(Exception):
    """An answer that no interruption explains."""


class Line:
    """One connection to the server; an answer is whole or `Lost`."""

    def __init__(self, port):
        self.port = port
        self.connection = None

    def send(self, method, path, form=None, headers=None):
        headers = {"Accept": "text/html,application/json", **(headers or {})}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        for _ in range(60):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
                self.connection.request(method, path, body, headers)
                response = self.connection.getresponse()
                answer = Answer(path, response.status, response.headers, response.read())
            except (OSError, http.client.HTTPException) as problem:
                self.close()
                raise Lost(str(problem)) from problem
            if answer.status != 503:  # busy, and nothing was done: ask again later
                return answer
            time.sleep(0.05)
        raise Unexpected("the server stays busy for seconds")

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


@dataclasses.dataclass(eq=False)
class Session:
    """A browser's sign-in: `alive`, `ended` (both acknowledged) or `unknown`."""

    cookies: dict
    person: str
    state: str = "alive"


@dataclasses.dataclass(eq=False)
class Code:
    """`unused`; `spent` or `refused` (for a wrong verifier), both acknowledged; `unknown`: its
    redemption was under way."""

    text: str
    verifier: str
    session: Session
    issued: float
    state: str = "unused"

    def fresh(self):
        """Whether a refusal says that it was spent, and not that it expired (60 s)."""
        return time.monotonic() - self.issued < 55


@dataclasses.dataclass(eq=False)
class Grant:
    """`tokens` are the acknowledged generations; `pending`: one more was under way."""

    code: Code
    tokens: list
    access: str
    id_token: str
    key: str | None = None
    pending: bool = False
    pending_key: str | None = None
    state: str = "alive"  # or ended (acknowledged), unknown

    @property
    def session(self):
        return self.code.session

    def fresh(self):
        return self.code.fresh()

    def expected(self):
        if "ended" in (self.state, self.session.state):
            return "ended"
        if "unknown" in (self.state, self.session.state):
            return "unknown"
        return "alive"


class Person:
    """The calls of one browser and one app, each a single request to the server."""

    def __init__(self, provider):
        self.line = Line(provider.port)
        path = urllib.parse.urlsplit(provider.endpoint).path
        self.authorize_path, self.token_path = f"{path}/auth", f"{path}/token"
        self.revoke_path, self.logout_path = f"{path}/revoke", f"{path}/logout"
        self.userinfo_path = f"{path}/userinfo"

    def browse(self, session, method, path, form=None, headers=None):
        cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
        headers = dict(headers or {}) | ({"Cookie": cookies} if cookies else {})
        answer = self.line.send(method, path, form, headers)
        for header in answer.headers.get_all("Set-Cookie") or []:
            pair, *attributes = [part.strip() for part in header.split(";")]
            name, _, value = pair.partition("=")
            if any(part.lower() == "max-age=0" for part in attributes) or not value:
                session.cookies.pop(name, None)
            else:
                session.cookies[name] = value
        return answer

    def authorization_path(self, verifier, **more):
        parameters = {
            "response_type": "code",
            "client_id": CLIENT,
            "redirect_uri": REDIRECT,
            "scope": SCOPE,
            "state": secrets.token_urlsafe(12),
            "nonce": secrets.token_urlsafe(12),
            "code_challenge": s256(verifier),
            "code_challenge_method": "S256",
            **more,
        }
        return f"{self.authorize_path}?{urllib.parse.urlencode(parameters)}"

    @staticmethod
    def response(answer):
        """The parameters that reach the app, or None when the browser did not go there."""
        location = answer.headers.get("Location", "")
        if answer.status not in (302, 303) or not location.startswith(REDIRECT):
            return None
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))

    def sign_in(self, username, password):
        """A new browser signs in: its session and the first code."""
        session = Session({}, username)
        verifier = code_verifier()
        page = self.browse(session, "GET", self.authorization_path(verifier))
        action, fields, buttons = form_with(page, "username")
        fields.update(username=username, password=password, **dict(buttons[:1]))
        path = urllib.parse.urlsplit(action)
        target = path.path + (f"?{path.query}" if path.query else "")
        answer = self.browse(session, "POST", target, fields)
        response = self.response(answer)
        while response is None and answer.status in (302, 303):
            location = urllib.parse.urlsplit(answer.headers["Location"])
            target = location.path + (f"?{location.query}" if location.query else "")
            answer = self.browse(session, "GET", target)
            response = self.response(answer)
        if response is None or "code" not in response:
            raise Unexpected(f"sign-in ends with {answer.status}: {answer.text[:400]}")
        return session, Code(response["code"], verifier, session, time.monotonic())

    def new_code(self, session):
        """A code by single sign-on, or None when the session is not known any more."""
        verifier = code_verifier()
        answer = self.browse(session, "GET", self.authorization_path(verifier, prompt="none"))
        response = self.response(answer)
        if response is None:
            raise Unexpected(f"prompt=none ends with {answer.status}: {answer.text[:400]}")
        if response.get("error") == "login_required":
            return None
        if "code" not in response:
            raise Unexpected(f"prompt=none gives {response}")
        return Code(response["code"], verifier, session, time.monotonic())

    def redeem(self, code, verifier=None):
        """The token response, or None when the code is refused."""
        form = {
            "grant_type": "authorization_code",
            "code": code.text,
            "redirect_uri": REDIRECT,
            "client_id": CLIENT,
            "code_verifier": verifier or code.verifier,
        }
        return self._token(form)

    def refresh(self, token, key=None):
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": CLIENT}
        return self._token(form, {"Idempotency-Key": key} if key else None)

    def _token(self, form, headers=None):
        answer = self.line.send("POST", self.token_path, form, headers)
        if answer.status == 200:
            return json.loads(answer.body)
        if answer.status == 400 and json.loads(answer.body).get("error") == "invalid_grant":
            return None
        raise Unexpected(f"the token endpoint answers {answer.status}: {answer.text[:400]}")

    def revoke(self, token):
        form = {"token": token, "token_type_hint": "refresh_token", "client_id": CLIENT}
        answer = self.line.send("POST", self.revoke_path, form)
        if answer.status != 200:
            raise Unexpected(f"revocation answers {answer.status}: {answer.text[:400]}")

    def sign_out(self, grant):
        query = urllib.parse.urlencode({"id_token_hint": grant.id_token, "client_id": CLIENT})
        answer = self.browse(grant.session, "GET", f"{self.logout_path}?{query}")
        if answer.status not in (200, 302, 303):
            raise Unexpected(f"sign-out answers {answer.status}: {answer.text[:400]}")

    def knows(self, access):
        """Whether UserInfo takes the access token."""
        answer = self.line.send(
            "GET", self.userinfo_path, headers={"Authorization": f"Bearer {access}"}
        )
        if answer.status not in (200, 401):
            raise Unexpected(f"UserInfo answers {answer.status}: {answer.text[:400]}")
        return answer.status == 200


class Driver(threading.Thread):
    """Drives one person until it is told to stop or the server is gone."""

    def __init__(self, person, account, seed, stop):
        super().__init__(daemon=True)
        self.person, self.account = person, account
        self.chance = random.Random(seed)
        self.stop = stop
        self.requests = 0
        self.problem = None
        self.lost = None  # when an answer did not come, by time.monotonic

    def run(self):
        try:
            while not self.stop.is_set():
                self.requests += 1
                self.step()
        except Lost:
            # The server died; what was under way is marked as unknown.
            self.lost = time.monotonic()
        except Exception as problem:  # reported by the main thread
            self.problem = problem
        finally:
            self.person.line.close()


class Worker(Driver):
    """At the Provider: sign-ins, codes, refresh tokens."""

    def __init__(self, provider, account, seed, sessions, grants, stop):
        super().__init__(Person(provider), account, seed, stop)
        self.sessions, self.grants, self.codes = sessions, grants, []

    def has_worked(self):
        """Whether every kind of promise was given in this life of the server."""
        return any(code.state == "spent" for code in self.codes)

    def step(self):
        alive = [session for session in self.sessions if session.state == "alive"]
        live = [grant for grant in self.grants[-40:] if grant.expected() == "alive"]
        live = [grant for grant in live if not grant.pending]
        act = self.chance.random()
        if not alive or (act < 0.02 and len(alive) < 5):
            session, code = self.person.sign_in(*self.account)
            self.sessions.append(session)
            self.codes.append(code)
            self.redeem(code)
        elif act < 0.45 or not live:
            code = self.person.new_code(self.chance.choice(alive))
            if code is None:
                raise Unexpected("a live session is not known")
            self.codes.append(code)
            if self.chance.random() > 0.1:  # the others wait for the restart
                self.redeem(code)
        elif act < 0.95:
            self.refresh(self.chance.choice(live))
        elif act < 0.98:
            grant = self.chance.choice(live)
            grant.state = "unknown"
            self.person.revoke(grant.tokens[-1])
            grant.state = "ended"
        elif len(alive) > 1:
            grant = self.chance.choice(live)
            grant.session.state = "unknown"
            self.person.sign_out(grant)
            grant.session.state = "ended"

    def redeem(self, code):
        wrong = self.chance.random() < 0.05
        code.state = "unknown"
        token = self.person.redeem(code, code_verifier() if wrong else None)
        if wrong:
            if token is not None:
                raise Unexpected("a wrong verifier is good")
            code.state = "refused"
            return
        code.state = "spent"
        if token is None:
            raise Unexpected("a fresh code is refused")
        self.grants.append(
            Grant(code, [token["refresh_token"]], token["access_token"], token["id_token"])
        )

    def refresh(self, grant):
        key = secrets.token_urlsafe(16) if self.chance.random() < 0.7 else None
        grant.pending, grant.pending_key = True, key
        token = self.person.refresh(grant.tokens[-1], key)
        if token is None:
            raise Unexpected("the current refresh token is refused")
        if token["refresh_token"] in grant.tokens:
            raise Unexpected("a refresh token came back unchanged")
        grant.pending, grant.key = False, key
        grant.tokens.append(token["refresh_token"])
        grant.access, grant.id_token = token["access_token"], token["id_token"]


def same_person(grant, token):
    return unverified_claims(token["access_token"])["sub"] == unverified_claims(grant.access)["sub"]
