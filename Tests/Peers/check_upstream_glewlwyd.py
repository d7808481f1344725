"""glewlwyd as the identity provider of our backend-for-frontend: a real browser, its own pages."""

import json
import os
import urllib.parse

from backend import Backend, Person, wrong_secret
from glewlwyd import Glewlwyd
from running import free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor, address, code_verifier, s256
from webdriver import Chromium

NAME = "glewlwyd"
BUTTON = "Example directory"
SCOPE = "openid profile email"


class Walk:
    def __init__(self, steps, server, backend, browser):
        self.steps, self.server, self.backend, self.browser = steps, server, backend, browser

    def session(self):
        """What the session check says to the page that the browser shows."""
        self.browser.open(f"{self.backend.base}/v1/auth/session")
        return json.loads(self.browser.text())

    def at(self, path):
        """Whether the browser shows that page of ours."""
        return self.browser.url.split("?")[0].rstrip("#") == f"{self.backend.base}{path}"

    def press_button(self):
        self.browser.open(f"{self.backend.base}/login?return_to=/account")
        self.browser.click(f"button[formaction*='/v1/auth/{NAME}']")

    def registered(self):
        with self.steps.step("ann registers, in a real browser"):
            self.press_button()
            self.server.sign_in(self.browser, None, lambda: self.at("/onboarding"))
            document = self.session()
            expect(document["authenticated"], f"the session check says {document}")
            user = document["user"]
            expect(user["email"] == self.server.email, f"the address is {user['email']}")
            expect(user["email_verified"] is False, "the address is taken as verified")
            expect(user["name"] == self.server.name, f"the name is {user['name']}")
        return user["id"]

    def returned(self, account):
        with self.steps.step("she signs out here, and returns to the page that she wanted"):
            self.browser.open(f"{self.backend.base}/logout")
            self.browser.click("button[value=here]")
            self.browser.wait_until(
                lambda: not self.browser.find("button[value=here]"), "the page after it"
            )
            expect(not self.session()["authenticated"], "she is signed in still")
            self.press_button()
            self.server.go_on(self.browser, lambda: self.at("/account"))
            expect(self.session()["user"]["id"] == account, "it is another account")

    def of_another(self):
        with self.steps.step("bob registers, and is another person"):
            bob = Person(self.backend)
            request = bob.get(f"{self.backend.base}/v1/auth/{NAME}").location
            bob.arrived(
                self.server.granted(
                    bob, self.server.other, self.server.confidential_id, SCOPE, request
                ),
                "/onboarding",
            )
            expect(bob.user()["email"] == "bob@example.com", f"it is {bob.user()}")
        return bob

    def ended_there(self, bob, port):
        with self.steps.step("her sign-out at another client of its ends her session here"):
            token = self.at_another_client(port)
            expect(self.session()["authenticated"], "the session has ended before")
            self.server.sign_out(self.browser, token)
            self.backend.wait_until(
                lambda: self.backend.logged("sign_out.provider", NAME), "the logout is told"
            )
            expect(not self.session()["authenticated"], "she is signed in still")
            expect(bob.is_signed_in, "bob is signed out too")

    def at_another_client(self, port):
        """Signs the same browser in at the other client; its ID Token."""
        verifier = code_verifier()
        redirect_uri = f"http://127.0.0.1:{port}/callback"
        self.browser.open(
            address(
                f"{self.server.issuer}/auth",
                response_type="code",
                client_id=self.server.client_id,
                redirect_uri=redirect_uri,
                scope=SCOPE,
                state="state-of-the-other-client",
                nonce="nonce-of-the-other-client",
                code_challenge=s256(verifier),
                code_challenge_method="S256",
            )
        )
        # Nothing listens on it: only the browser's address is needed.
        self.server.consent(self.browser, lambda: self.browser.url.startswith(redirect_uri))
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.browser.url).query))
        answer = Visitor().post(
            f"{self.server.issuer}/token",
            {
                "grant_type": "authorization_code",
                "code": query["code"],
                "redirect_uri": redirect_uri,
                "client_id": self.server.client_id,
                "code_verifier": verifier,
            },
        )
        expect(answer.status == 200, f"the token endpoint answers {answer.status}: {answer.text}")
        return answer.json()["id_token"]


def refused(steps, server, backend):
    """With another secret than the one that glewlwyd has."""

    def sign_in(person):
        request = person.get(f"{backend.base}/v1/auth/{NAME}").location
        return server.granted(person, server.other, server.confidential_id, SCOPE, request)

    wrong_secret(steps, backend, NAME, sign_in)


def run(program):
    steps = Steps("glewlwyd as upstream")
    port = free_port()
    with workspace("upstream-glewlwyd") as folder:
        backend = Backend(program, os.path.join(folder, "backend"))
        redirects = [backend.callback(NAME), f"{backend.callback(NAME)}/link"]
        place = os.path.join(folder, "glewlwyd")
        os.makedirs(place)
        server = Glewlwyd(place, [port], redirects, logout_uri=backend.logout_address(NAME))
        try:
            with server:
                with steps.step("its issuer is all that the backend is told of it"):
                    backend.add_provider(
                        NAME,
                        server.issuer,
                        server.confidential_id,
                        server.confidential_secret,
                        more=("--display-name", BUTTON),
                    )
                with backend:
                    with Chromium(folder) as browser:
                        walk = Walk(steps, server, backend, browser)
                        account = walk.registered()
                        walk.returned(account)
                        bob = walk.of_another()
                        walk.ended_there(bob, port)
                    refused(steps, server, backend)
        except Stop:
            pass
    return steps
