"""Our backend-for-frontend as a peer sees it: `portico serve` with identity providers, and people
before it, each with a browser and an address of their own."""

import itertools
import json
import os
import re
import urllib.parse

from portico import Portico
from steps import expect
from web import Visitor, address, code_verifier, forms, s256


class Backend(Portico):
    """`portico serve` with people who sign in with another provider. It trusts `X-Forwarded-For`, so each
    person may come from an address of their own: starts are limited for an address."""

    def __init__(self, program, folder, realm_file=None, options=(), **more):
        os.makedirs(folder, exist_ok=True)
        options = ("--trusted-proxy", "127.0.0.1", *options)
        super().__init__(program, folder, realm_file, options=options, **more)

    def callback(self, provider):
        return f"{self.base}/v1/auth/{provider}/callback"

    def logout_address(self, provider):
        return f"{self.base}/v1/auth/{provider}/backchannel-logout"

    def add_provider(self, name, issuer, client_id, secret, kind="oidc", more=()):
        """Registers an identity provider, before the first start."""
        self.administer(
            *("provider", "add", kind, "--name", name, "--public-url", self.base),
            *("--client-id", client_id, "--issuer", issuer, "--allow-insecure-loopback"),
            *("--secret-file", "-", *more),
            given=secret,
        )

    def wait_for_button(self, text):
        """Until the sign-in page offers a provider of that display name."""
        self.wait_until(lambda: text in Visitor().get(f"{self.base}/login").text, f"button {text}")


# What Firefox and Chromium send: some providers take a JSON type for a program.
# In the log, where a provider does not take what the backend proves itself with.
CLIENT_REFUSED = "does not know this client"
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


class Person(Visitor):
    """A person with a browser."""

    _numbers = itertools.count(1)

    def __init__(self, backend):
        super().__init__()
        self.backend = backend
        # RFC 2544 §C.2.2: reserved for measurements.
        self.address = f"198.18.0.{next(self._numbers)}"

    def send(self, method, url, form=None, document=None, headers=None):
        headers = BROWSER | dict(headers or {})
        if url.startswith(f"{self.backend.base}/"):
            headers["X-Forwarded-For"] = self.address
        return super().send(method, url, form, document, headers)

    def start(self, provider, until="none", **more):
        """Presses the provider's button, and follows to where redirects end, or to one that leads
        to `until`."""
        url = address(f"{self.backend.base}/v1/auth/{provider}", **more)
        return self.follow(self.get(url), until)

    def arrived(self, answer, path):
        """Follows redirects; the page at the end must be ours, and that one."""
        answer = self.follow(answer, until="none")
        place = urllib.parse.urlsplit(answer.url)
        at_home = answer.url.startswith(f"{self.backend.base}/")
        expect(at_home, f"it ends at {answer.url}: {answer.status}")
        expect(place.path == path, f"it ends at {answer.url}: {answer.status}")
        expect(answer.status == 200, f"{path} answers {answer.status}")
        return answer

    def session(self, token=None):
        """What the session check says: status and document."""
        headers = {"Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.get(f"{self.backend.base}/v1/auth/session", headers=headers)
        return answer.status, answer.json()

    def user(self):
        status, document = self.session()
        expect(status == 200, f"the session check answers {status}: {document}")
        return document["user"]

    @property
    def is_signed_in(self):
        status, document = self.session()
        expect(status in (200, 401), f"the session check answers {status}: {document}")
        return status == 200

    def sign_out(self):
        """By the page's button."""
        page = self.get(f"{self.backend.base}/logout")
        answer = self.press(page, "here")
        expect(answer.status in (200, 303), f"signing out answers {answer.status}")
        expect(not self.is_signed_in, "they are signed in still")

    def press(self, page, value, fields=None):
        """Presses the button of that value, with the fields of its form."""
        for form in forms(page):
            for name, given in form["buttons"]:
                if given == value:
                    action = urllib.parse.urljoin(page.url, form["action"])
                    sent = form["fields"] | dict(fields or {}) | {name: value}
                    return self.post(action, sent)
        raise AssertionError(f"no button {value!r} ({page.status} at {page.url})")


class App:
    """A native app of the backend's: starts a sign-in in the browser, redeems its hand-off code."""

    def __init__(self, name, redirect_uri):
        self.name, self.redirect_uri = name, redirect_uri
        self.verifier = code_verifier()
        self.tokens = None

    def starting(self):
        """What the app adds to the address of the start."""
        return {
            "platform": "mobile",
            "app": self.name,
            "redirect_uri": self.redirect_uri,
            "code_challenge": s256(self.verifier),
        }

    def redeem(self, person, answer):
        """`answer`: the redirect, or the page before it, that hands the code over."""
        code = re.search(r"[?&]code=([^&\"]+)", answer.headers["Location"] or answer.text)
        expect(code, f"no code is handed over: {answer.status} at {answer.url}")
        reply = person.post(
            f"{person.backend.base}/v1/auth/token",
            {
                "grant_type": "authorization_code",
                "code": code.group(1),
                "code_verifier": self.verifier,
                "app": self.name,
                "redirect_uri": self.redirect_uri,
            },
        )
        expect(reply.status == 200, f"the hand-off answers {reply.status}: {reply.text[:500]}")
        self.tokens = reply.json()

    def refresh(self, person):
        form = {"refresh_token": self.tokens["refresh_token"]}
        reply = person.post(f"{person.backend.base}/v1/auth/refresh", form)
        if reply.status == 200:
            self.tokens = reply.json()
        return reply.status, json.loads(reply.text)


def wrong_secret(steps, backend, name, sign_in):
    """A backend that proves itself with another secret than its provider knows: a plain page for the
    person, and the reason for the operator, in the log. `sign_in(person)` walks through the
    provider's pages."""
    secret, button = "a secret that the provider does not know", "Ex-directory"
    person = Person(backend)
    with steps.step("with a secret that it does not know: a plain page, and the reason in the log"):
        backend.administer(
            *("provider", "update", name, "--display-name", button, "--secret-file", "-"),
            given=secret,
        )
        # The server sees it within a second.
        backend.wait_for_button(button)
        page = person.arrived(sign_in(person), "/login")
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query)
        expect(query["error"] == ["authentication_failed"], f"it says {query}")
        expect(query["reason"] == ["provider_misconfigured"], f"it says {query}")
        expect("client_secret" not in page.text, "the page tells of a secret")
        expect(not person.is_signed_in, "a person is signed in")
        words = ("event=provider.failed", f"provider={name}", CLIENT_REFUSED, "advice=")
        backend.wait_until(lambda: len(backend.logged(*words)) == 1, "the reason is logged")
        expect(not backend.logged(secret), "the log has the secret")
