"""Load on a running backend-for-frontend, with a realm of the same server as its provider.

People sign in with the browser and with an app, apps redeem hand-off codes and renew their sessions,
both sign out. What was acknowledged is written down, as in `load.py`.
"""

import dataclasses
import itertools
import json
import re
import secrets
import time
import urllib.parse

from load import Driver, Person, Unexpected
from web import code_verifier, s256

PROVIDER, CLIENT, APP = "house", "peer-backend", "notes"
SECRET = "the secret of the backend under load"
REDIRECT = "http://127.0.0.1:49153/signed-in"


def set_up(backend):
    """The realm, the backend as its client, and an app, before the first start."""
    backend.set_up()
    backend.administer(
        *("client", "create", CLIENT, "--template", "web", "--secret-file", "-"),
        *("--redirect-uri", backend.callback(PROVIDER)),
        given=SECRET,
    )
    backend.add_provider(PROVIDER, backend.issuer, CLIENT, SECRET, "keycloak")
    backend.administer(
        *("client", "create", APP, "--hand-off", "code"),
        *("--redirect-uri", "http://127.0.0.1/signed-in"),
    )


@dataclasses.dataclass(eq=False)
class WebSession:
    """A browser's: `alive`, `ended` (both acknowledged) or `unknown`."""

    cookies: dict
    person: str
    state: str = "alive"


@dataclasses.dataclass(eq=False)
class HandOff:
    """A code: `unused`; `spent` or `refused` (for a wrong verifier), both acknowledged; `unknown`."""

    text: str
    verifier: str
    person: str
    issued: float
    state: str = "unused"

    def fresh(self):
        """Whether a refusal says that it was spent, and not that it expired (60 s)."""
        return time.monotonic() - self.issued < 55


@dataclasses.dataclass(eq=False)
class AppSession:
    """`tokens`: the acknowledged generations to refresh with; `pending`: one more was under way."""

    hand_off: HandOff
    tokens: list
    token: str
    user: str
    key: str | None = None
    pending: bool = False
    pending_key: str | None = None
    state: str = "alive"  # or ended (acknowledged), unknown

    @property
    def person(self):
        return self.hand_off.person

    def expected(self):
        return self.state


class Customer(Person):
    """A person with a browser and an app of the backend's."""

    _numbers = itertools.count(1)

    def at_backend(self, browser, method, path, form=None, headers=None):
        """Each request comes from an address of its own: the limits have tests elsewhere."""
        number = next(self._numbers) % (1 << 16)
        come = {"X-Forwarded-For": f"198.18.{number >> 8}.{number & 255}"}
        come |= headers or {}
        if browser:
            return self.browse(browser, method, path, form, come)
        return self.line.send(method, path, form, come)

    def through_the_realm(self, session, **parameters):
        """A sign-in by the live session of the realm; the browser and the callback's answer."""
        browser = WebSession({}, session.person)
        query = urllib.parse.urlencode(parameters)
        answer = self.at_backend(browser, "GET", f"/v1/auth/{PROVIDER}?{query}")
        answer = self.browse(session, "GET", self.onward(answer, "the start"))
        place = self.onward(answer, "the realm")
        if not place.startswith(f"/v1/auth/{PROVIDER}/callback?") or "code=" not in place:
            raise Unexpected(f"the realm leads to {place.partition('?')[0]}")
        return browser, self.at_backend(browser, "GET", place)

    @staticmethod
    def onward(answer, what):
        if answer.status not in (302, 303):
            raise Unexpected(f"{what} answers {answer.status}: {answer.text[-400:]}")
        place = urllib.parse.urlsplit(answer.headers["Location"])
        return place.path + (f"?{place.query}" if place.query else "")

    def sign_in_web(self, session):
        browser, answer = self.through_the_realm(session, return_to="/account")
        place = self.onward(answer, "the callback")
        if place not in ("/account", "/onboarding?return_to=%2Faccount"):
            raise Unexpected(f"the sign-in ends at {place}")
        return browser

    def hand_off(self, session):
        verifier = code_verifier()
        _, answer = self.through_the_realm(
            session,
            platform="mobile",
            app=APP,
            redirect_uri=REDIRECT,
            code_challenge=s256(verifier),
        )
        code = re.search(r"[?&]code=([^&\"]+)", answer.headers["Location"] or answer.text)
        if not code:
            place = answer.headers["Location"] or answer.text[-400:]
            raise Unexpected(f"no code is handed over: {answer.status} {place}")
        return HandOff(code.group(1), verifier, session.person, time.monotonic())

    def redeem_hand_off(self, code, verifier=None):
        """The tokens, or None when the code is refused."""
        form = {
            "grant_type": "authorization_code",
            "code": code.text,
            "code_verifier": verifier or code.verifier,
            "app": APP,
            "redirect_uri": REDIRECT,
        }
        return self.tokens("/v1/auth/token", form)

    def renew(self, token, key=None):
        """The next tokens, or None when this one is refused."""
        headers = {"Idempotency-Key": key} if key else {}
        return self.tokens("/v1/auth/refresh", {"refresh_token": token}, headers)

    def tokens(self, path, form, headers=None):
        answer = self.at_backend(None, "POST", path, form, headers)
        if answer.status == 200:
            return json.loads(answer.body)
        if answer.status == 400 and json.loads(answer.body).get("error") == "invalid_grant":
            return None
        raise Unexpected(f"{path} answers {answer.status}: {answer.text[:400]}")

    def user(self, browser=None, token=None):
        """The session's person, or None if it is not a session."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = self.at_backend(browser, "GET", "/v1/auth/session", headers=headers)
        if answer.status == 200:
            return json.loads(answer.body)["user"]["id"]
        if answer.status == 401:
            return None
        raise Unexpected(f"the session check answers {answer.status}: {answer.text[:400]}")

    def leave(self, browser=None, token=None):
        """Signs out."""
        headers = {"Authorization": f"Bearer {token}"} if token else {"X-Portico": "1"}
        # A browser keeps its cookies here, so that the server is asked about them afterwards.
        sent = WebSession(dict(browser.cookies), browser.person) if browser else None
        answer = self.at_backend(sent, "POST", "/v1/auth/logout", {}, headers)
        if answer.status != 200:
            raise Unexpected(f"signing out answers {answer.status}: {answer.text[:400]}")


class Users:
    """Which account a person of the realm has, for good."""

    def __init__(self):
        self.known = {}

    def check(self, person, user):
        if self.known.setdefault(person, user) != user:
            raise Unexpected(f"{person} has a second account")


class BackendWorker(Driver):
    """At the backend: sign-ins in browsers, hand-offs to apps, their refresh tokens."""

    def __init__(self, backend, account, seed, users, web, apps, stop):
        super().__init__(Customer(backend), account, seed, stop)
        self.users, self.web, self.apps, self.codes = users, web, apps, []
        self.session = None  # at the realm
        self.sign_ins = 0

    def has_worked(self):
        return self.sign_ins > 0 and any(code.state == "spent" for code in self.codes)

    def step(self):
        if self.session is None:
            self.session, _ = self.person.sign_in(*self.account)
        web = [one for one in self.web if one.state == "alive"]
        apps = [one for one in self.apps[-40:] if one.state == "alive" and not one.pending]
        act = self.chance.random()
        if not self.sign_ins or act < 0.15:
            browser = self.person.sign_in_web(self.session)
            self.web.append(browser)
            self.sign_ins += 1
            self.users.check(browser.person, self.person.user(browser))
        elif act < 0.5 or not apps:
            self.hand_over()
        elif act < 0.9:
            self.renew(self.chance.choice(apps))
        elif act < 0.95 and len(web) > 1:
            self.leave(self.chance.choice(web))
        elif len(apps) > 1:
            self.leave(self.chance.choice(apps))

    def hand_over(self):
        code = self.person.hand_off(self.session)
        self.codes.append(code)
        if self.chance.random() < 0.1:
            return  # it waits for the restart
        wrong = self.chance.random() < 0.05
        code.state = "unknown"
        tokens = self.person.redeem_hand_off(code, code_verifier() if wrong else None)
        if wrong:
            if tokens is not None:
                raise Unexpected("a wrong verifier is good for a hand-off code")
            code.state = "refused"
            return
        code.state = "spent"
        if tokens is None:
            raise Unexpected("a fresh hand-off code is refused")
        user = tokens["user"]["id"]
        self.users.check(code.person, user)
        self.apps.append(
            AppSession(code, [tokens["refresh_token"]], tokens["session_token"], user)
        )

    def renew(self, app):
        key = secrets.token_urlsafe(16) if self.chance.random() < 0.7 else None
        app.pending, app.pending_key = True, key
        tokens = self.person.renew(app.tokens[-1], key)
        if tokens is None:
            raise Unexpected("the current refresh token of an app is refused")
        if tokens["refresh_token"] in app.tokens:
            raise Unexpected("a refresh token of an app came back unchanged")
        app.pending, app.key = False, key
        app.tokens.append(tokens["refresh_token"])
        app.token = tokens["session_token"]

    def leave(self, one):
        one.state = "unknown"
        if isinstance(one, WebSession):
            self.person.leave(browser=one)
        else:
            self.person.leave(token=one.token)
        one.state = "ended"
